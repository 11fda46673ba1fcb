// The suites in sequence, and the facts about memory, start and disk.
import { type Circumstances, circumstances, type Row, type Rows, writeFigures } from '../figures/data.ts';
import { median } from '../quantiles.ts';
import { diskFact, type Fact, proofOfLoad, syncsPerRefresh, type Workshop } from './facts.ts';
import type { Generator } from './generator/generator.ts';
import type { Options } from './options.ts';
import { type LaneResult, race, ratio, type Slice } from './race.ts';
import { markdown, suiteTable } from './report/table.ts';
import { Stable } from './stable.ts';
import { startFacts } from './starts.ts';
import { SUITES, type Suite } from './suites.ts';

/** Fewer rounds are not published. */
const LEAST_ROUNDS = 3;

export async function bench(options: Options, generator: Generator, workshop: Workshop): Promise<void> {
  const { only, many, pace, quick, toRevoke } = options;
  const about = circumstances('npm run lab -- bench');
  const isShort = quick || pace.rounds < LEAST_ROUNDS;
  const stable = new Stable({ ...workshop, connections: pace.connections, toRevoke, many });
  const facts: Fact[] = [];
  try {
    if (only.length === 0) facts.push(...(await startFacts(stable, many, workshop.folder, options.starts)));
    for (const suite of SUITES.filter(({ name }) => only.length === 0 || only.includes(name))) {
      const results = await runSuite(suite, stable, generator, options);
      console.log(suiteTable(suite, results));
      publish(suite, results, about, isShort);
      if (suite.name === 'spread') facts.push(memoryFact(results));
    }
    if (only.length > 0) return;
    console.log(await proofOfLoad(stable, generator));
    facts.push(await syncsPerRefresh(generator, workshop), await diskFact(stable));
  } finally {
    await stable.stopAll();
  }
  const rows = facts.map(({ what, measured }) => [what, measured]);
  console.log(markdown(['', 'measured'], rows));
  writeFigures('bench/facts', { ...about, rows: facts } as unknown as Rows, isShort);
}

async function runSuite({ load, lanes }: Suite, stable: Stable, generator: Generator, { pace }: Options) {
  const started = [];
  for (const name of lanes) started.push({ name, running: await stable.get(name) });
  return race(load, started, generator, pace);
}

function publish({ name, title }: Suite, results: readonly LaneResult[], about: Circumstances, isShort: boolean): void {
  writeFigures(`bench/${name}`, { ...about, title, rows: results.map(rowOf) } as Rows, isShort);
}

function rowOf({ name, slices }: LaneResult, _: number, [baseline]: readonly LaneResult[]): Row {
  const of = (figure: (slice: Slice) => number) => Number(median(slices.map(figure)).toPrecision(4));
  const own = { name, slices };
  return {
    lane: name,
    perSecond: of(({ perSecond }) => perSecond),
    ratio: Number(ratio(own, baseline ?? own, ({ perSecond }) => perSecond).toFixed(3)),
    p50: of(({ p50 }) => p50),
    p99: of(({ p99 }) => p99),
    cpu: of(({ cpuPerRequest }) => cpuPerRequest),
    megabytes: of(({ memory }) => memory),
  };
}

function memoryFact(results: readonly LaneResult[]): Fact {
  const most = Math.max(...(results.at(-1)?.slices ?? []).map(({ memory }) => memory));
  return { what: 'memory under load, many grants', measured: `${most.toFixed(0)} MB` };
}
