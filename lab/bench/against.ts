// This checkout and another one in turns, under every load: is anything slower than it was?
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { quartiles } from '../quantiles.ts';
import { LOAD_KINDS, type LoadKind } from './contestant.ts';
import { echo } from './contestants/echo.ts';
import { type TesseraOptions, tessera } from './contestants/tessera.ts';
import type { Workshop } from './facts.ts';
import type { Generator } from './generator/generator.ts';
import type { Options } from './options.ts';
import { type Lane, type LaneResult, race, ratios, type Slice } from './race.ts';
import { suiteTable } from './report/table.ts';

type Start = typeof tessera;

interface Round {
  readonly title: string;
  readonly load: LoadKind;
  readonly postgres?: true;
}

/** The name of the load `refresh` on PostgreSQL. */
export const ON_POSTGRES = 'refresh-postgres';

const ROUNDS: readonly Round[] = [
  { title: 'refresh', load: 'refresh' },
  { title: ON_POSTGRES, load: 'refresh', postgres: true },
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
  const unknown = options.only.filter((name) => !ROUNDS.some(({ title }) => title === name));
  if (unknown.length > 0) throw new Error(`no such load: ${unknown}. There are: ${ROUNDS.map(({ title }) => title)}`);
  const chosen = ROUNDS.filter(({ title }) => options.only.length === 0 || options.only.includes(title));
  const stores = [chosen.filter(({ postgres }) => !postgres), chosen.filter(({ postgres }) => postgres)];
  for (const rounds of stores.filter(({ length }) => length > 0))
    await raceAll(rounds, before, options, generator, workshop);
}

/** Every start races all loads; the slices of all starts count together, since two processes of the same code differ by some percent. */
async function raceAll(
  rounds: readonly Round[],
  before: Start,
  options: Options,
  generator: Generator,
  workshop: Workshop,
): Promise<void> {
  const results = rounds.map((): LaneResult[] => LANES.map((name) => ({ name, slices: [] })));
  for (let start = 1; start <= options.restarts; start++) {
    const lanes = await startLanes(start, before, rounds[0]?.postgres ?? false, options, workshop);
    try {
      for (const [at, { load }] of rounds.entries())
        if (lanes.every(({ running }) => running.load(load, 1)))
          results[at] = joined(results[at] ?? [], await race(load, lanes, generator, options.pace));
    } finally {
      for (const { running } of lanes) await running.stop();
    }
  }
  for (const [at, { title }] of rounds.entries())
    if (results[at]?.[0]?.slices.length) report(title, results[at]);
    else console.log(`${title}: the other checkout does not know this load\n`);
}

const LANES = ['fastify echo', 'before', 'now'];

async function startLanes(
  start: number,
  before: Start,
  postgres: boolean,
  { pace, toRevoke }: Options,
  { folder, tls }: Workshop,
): Promise<Lane[]> {
  const place = (name: string): TesseraOptions => {
    const own = join(folder, `${name}-${start}${postgres ? '-postgres' : ''}`);
    mkdirSync(own, { recursive: true });
    const filling = { known: 4 * pace.connections + toRevoke, others: 1000, deviceCodes: pace.connections };
    return { folder: own, certificates: folder, tls, filling, postgres };
  };
  const contestants = [echo({ stack: 'fastify', folder, tls }), before(place('before')), tessera(place('now'))];
  const lanes: Lane[] = [];
  for (const [at, contestant] of contestants.entries())
    lanes.push({ name: `${LANES[at]} ${start}`, running: await contestant.start() });
  return lanes;
}

function joined(all: readonly LaneResult[], more: readonly LaneResult[]): LaneResult[] {
  return all.map(({ name, slices }, at) => ({ name, slices: [...slices, ...(more[at]?.slices ?? [])] }));
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
