// The whole benchmark: the suites in sequence, the facts about the run, and the reports.
import { writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { join } from 'node:path';
import { type Circumstances, circumstances, type Row, type Rows, writeFigures } from '../figures/data.ts';
import { median } from '../quantiles.ts';
import {
  atMost,
  diskFact,
  type Fact,
  generatorFact,
  proofFacts,
  syncFact,
  syncsPerRefresh,
  type Workshop,
} from './facts.ts';
import type { Generator } from './generator/generator.ts';
import type { Options } from './options.ts';
import { watchSize } from './probe/disk.ts';
import { type LaneResult, loadName, race, ratio, type Slice } from './race.ts';
import { factTable } from './report/facts.ts';
import { type BarGroup, plot } from './report/plot.ts';
import { suiteTable } from './report/table.ts';
import { Stable } from './stable.ts';
import { startFacts } from './starts.ts';
import { SUITES, type Suite } from './suites.ts';
import { doorFacts, targetFacts } from './targets.ts';

export async function bench(options: Options, generator: Generator, workshop: Workshop): Promise<void> {
  const { only, many, pace } = options;
  const about = circumstances('npm run bench');
  const stable = new Stable({ ...workshop, connections: pace.connections, toRevoke: options.toRevoke, many });
  const isWhole = only.length === 0;
  const suites = SUITES.filter(({ name }) => isWhole || only.includes(name));
  const results = new Map<string, LaneResult[]>();
  const facts: Fact[] = [syncFact(workshop.folder, 'before')];
  try {
    if (isWhole || only.includes('starts'))
      facts.push(...(await startFacts(stable, many, workshop.folder, options.starts)));
    const largestWal = isWhole ? await watchWal(stable) : undefined;
    for (const suite of suites) {
      results.set(suite.name, await runSuite(suite, stable, generator, options));
      console.log(suiteTable(suite, results.get(suite.name) ?? []));
    }
    if (largestWal) facts.push(atMost('largest WAL', largestWal() / 1e6, 64, 'MB'));
    facts.push(...doorFacts(results));
    if (isWhole) facts.push(...(await closingFacts(stable, generator, workshop)));
    facts.push(syncFact(workshop.folder, 'after'));
  } finally {
    await stable.stopAll();
  }
  report(suites, results, facts, options, about);
}

async function runSuite(suite: Suite, stable: Stable, generator: Generator, { pace }: Options): Promise<LaneResult[]> {
  const lanes = [];
  for (const lane of suite.lanes)
    lanes.push(
      typeof lane === 'string'
        ? { name: lane, running: await stable.get(lane) }
        : { name: loadName(lane.of, lane.load), running: await stable.get(lane.of), load: lane.load },
    );
  return race(suite.load, lanes, generator, pace);
}

async function watchWal(stable: Stable): Promise<() => number> {
  const { store } = (await stable.tessera()).config;
  return watchSize(store.kind === 'sqlite' ? `${store.path}-wal` : '');
}

async function closingFacts(stable: Stable, generator: Generator, workshop: Workshop): Promise<Fact[]> {
  const facts = await proofFacts(stable, generator);
  facts.push(await generatorFact(stable, generator, workshop.pace));
  facts.push(await syncsPerRefresh(generator, workshop));
  const { store } = (await stable.manyGrants()).config;
  await stable.stop('Tessera, SQLite, many grants');
  if (store.kind === 'sqlite') facts.push(diskFact(store.path, 'all indexes, without the event log'));
  return facts;
}

function report(
  suites: readonly Suite[],
  results: ReadonlyMap<string, readonly LaneResult[]>,
  facts: readonly Fact[],
  { out, pace, many, quick }: Options,
  about: Circumstances,
): void {
  const machine = `${availableParallelism()} cores, ${cpus()[0]?.model.trim()}, Node ${process.version}`;
  const date = new Date().toISOString().slice(0, 10);
  const targets = targetFacts(results);
  const pages = [
    `Measured on ${date}: ${machine}; ${pace.rounds * 2} slices of ${pace.seconds} s each, medians; ${many.toLocaleString('en')} grants where many are meant.\n`,
    factTable('Targets', targets),
    factTable('Facts', facts),
    ...suites.map((suite) => suiteTable(suite, results.get(suite.name) ?? [])),
  ];
  console.log(`${pages[1]}\n${pages[2]}`);
  writeFileSync(join(out, 'bench.md'), pages.join('\n'));
  writeFileSync(
    join(out, 'bench.svg'),
    plot(
      'Requests per second by suite',
      suites.map((suite) => barsOf(suite, results.get(suite.name) ?? [])),
    ),
  );
  const isShort = quick || pace.rounds < LEAST_ROUNDS;
  for (const { name, title } of suites)
    writeFigures(`bench/${name}`, { ...about, title, rows: (results.get(name) ?? []).map(rowOf) } as Rows, isShort);
  const measured = [...targets, ...facts].map(({ what, measured: value }) => ({ what, measured: value }));
  if (suites.length === SUITES.length) writeFigures('bench/facts', { ...about, rows: measured } as Rows, isShort);
  const raw = { date, machine, pace, targets, facts, suites: Object.fromEntries(results) };
  writeFileSync(join(out, 'bench.json'), `${JSON.stringify(raw, undefined, 1)}\n`);
}

/** Fewer rounds are not published. */
const LEAST_ROUNDS = 3;

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

function barsOf({ title }: Suite, results: readonly LaneResult[]): BarGroup {
  const bars = results.map(({ name, slices }) => {
    const value = median(slices.map(({ perSecond }) => perSecond));
    return { name, value, words: `${Math.round(value)}/s`, ours: name.startsWith('Tessera') };
  });
  return { title, bars };
}
