// This checkout and another one in turns, under every load: is anything slower than it was?
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { quartiles } from '../quantiles.ts';
import { LOAD_KINDS, type LoadKind, type Running } from './contestant.ts';
import { echo } from './contestants/echo.ts';
import { type TesseraOptions, tessera } from './contestants/tessera.ts';
import type { Workshop } from './facts.ts';
import type { Generator } from './generator/generator.ts';
import type { Options } from './options.ts';
import { type LaneResult, race, ratios, type Slice } from './race.ts';
import { suiteTable } from './report/table.ts';

type Start = typeof tessera;

interface Round {
  readonly title: string;
  readonly load: LoadKind;
  readonly postgres?: true;
}

const ROUNDS: readonly Round[] = [
  { title: 'refresh', load: 'refresh' },
  { title: 'refresh-postgres', load: 'refresh', postgres: true },
  ...LOAD_KINDS.filter((load) => !['refresh', 'refresh-spread'].includes(load)).map((load) => ({ title: load, load })),
];

/** Races them; `--only` takes names of loads. The first lane is an echo, the second the other checkout. */
export async function against(
  other: string,
  options: Options,
  generator: Generator,
  workshop: Workshop,
): Promise<void> {
  const module = pathToFileURL(join(resolve(other), 'lab/bench/contestants/tessera.ts')).href;
  const { tessera: before } = (await import(module)) as { tessera: Start };
  const chosen = ROUNDS.filter(({ title }) => options.only.length === 0 || options.only.includes(title));
  const stores = [chosen.filter(({ postgres }) => !postgres), chosen.filter(({ postgres }) => postgres)];
  for (const rounds of stores.filter(({ length }) => length > 0))
    await raceAll(rounds, before, options, generator, workshop);
}

async function raceAll(
  rounds: readonly Round[],
  before: Start,
  { pace, toRevoke }: Options,
  generator: Generator,
  { folder, tls }: Workshop,
): Promise<void> {
  const postgres = rounds[0]?.postgres ?? false;
  const place = (name: string): TesseraOptions => {
    const own = join(folder, `${name}${postgres ? '-postgres' : ''}`);
    mkdirSync(own, { recursive: true });
    const filling = { known: 4 * pace.connections + toRevoke, others: 1000, deviceCodes: pace.connections };
    return { folder: own, certificates: folder, tls, filling, postgres };
  };
  const lanes: { name: string; running: Running }[] = [];
  try {
    lanes.push({ name: 'fastify echo', running: await echo({ stack: 'fastify', folder, tls }).start() });
    lanes.push({ name: 'before', running: await before(place('before')).start() });
    lanes.push({ name: 'now', running: await tessera(place('now')).start() });
    for (const { title, load } of rounds) report(title, await race(load, lanes, generator, pace));
  } finally {
    for (const { running } of lanes) await running.stop();
  }
}

function report(title: string, [floor, before, now]: readonly LaneResult[]): void {
  if (!floor || !before || !now) throw new Error('a race of three has three results');
  console.log(suiteTable({ title: `${title}: ratio to the echo` }, [floor, before, now]));
  console.log(suiteTable({ title: `${title}: ratio to the other checkout` }, [before, now]));
  console.log(`${title}, now to before: rate ${spread(now, before, rateOf)}, CPU ${spread(now, before, cpuOf)}\n`);
}

const rateOf = ({ perSecond }: Slice) => perSecond;
const cpuOf = ({ cpuPerRequest }: Slice) => cpuPerRequest;

/** The median with its quartiles: without them, nobody knows how much of a difference is noise. */
function spread(now: LaneResult, before: LaneResult, figure: (slice: Slice) => number): string {
  const [low, middle, high] = quartiles(ratios(now, before, figure)).map((value) => value.toFixed(3));
  return `${middle} (half of the passes between ${low} and ${high})`;
}
