// Contestants measured in turns (ABC CBA, BCA ACB, …), so that noise of the machine and pauses between slices affect all alike.
import { median } from '../quantiles.ts';
import type { LoadKind, Running } from './contestant.ts';
import type { Generator, Load } from './generator/generator.ts';
import type { SliceReport } from './generator/slice.ts';
import { cpuSecondsOf, memoryOf, treeOf } from './probe/processes.ts';

export interface Lane {
  readonly name: string;
  readonly running: Running;
  /** If it needs another one than the race, before its first slice. */
  readonly coldSeconds?: number;
}

export interface Pace {
  readonly rounds: number;
  readonly seconds: number;
  readonly warmUpSeconds: number;
  /** Before the first slice of a lane. */
  readonly coldSeconds: number;
  /** Then on, until so many were sent: of products of this speed. */
  readonly coldRequests?: number;
  readonly connections: number;
}

export interface Slice extends SliceReport {
  readonly perSecond: number;
  /** CPU microseconds of the server per request. */
  readonly cpuPerRequest: number;
  /** Megabytes, at the end of the slice. */
  readonly memory: number;
}

export interface LaneResult {
  readonly name: string;
  /** In the order of the passes: slices of different lanes with the same index ran next to each other. */
  readonly slices: readonly Slice[];
}

/** Chains continue from suite to suite, so a load is identified by its contestant and its kind. */
export function loadName(lane: string, kind: LoadKind): string {
  return `${lane}: ${kind}`;
}

async function prepare(name: string, load: Load | undefined, generator: Generator): Promise<void> {
  if (!load) throw new Error(`there is no such load as ${name}`);
  await generator.prepare(name, load);
}

export async function race(
  kind: LoadKind,
  lanes: readonly Lane[],
  generator: Generator,
  pace: Pace,
): Promise<LaneResult[]> {
  const results = new Map<string, Slice[]>();
  const nameOf = ({ name }: Lane) => loadName(name, kind);
  for (const lane of lanes) {
    await prepare(nameOf(lane), lane.running.load(kind, pace.connections), generator);
    results.set(lane.name, []);
  }
  for (const lane of lanes) {
    const seconds = lane.coldSeconds ?? pace.coldSeconds;
    await alone(lane, lanes, () => warmUp(nameOf(lane), generator, seconds, pace.coldRequests));
  }
  for (let round = 0; round < pace.rounds; round++) {
    const first = round % lanes.length;
    const order = [...lanes.slice(first), ...lanes.slice(0, first)];
    for (const lane of [...order, ...order.toReversed()]) {
      const measure = () => slice(nameOf(lane), lane.running, generator, pace);
      results.get(lane.name)?.push(await alone(lane, lanes, measure));
    }
  }
  return [...results].map(([name, slices]) => ({ name, slices }));
}

/** Contestants that are not being measured are stopped: some work in the background. */
async function alone<T>({ running }: Lane, lanes: readonly Lane[], measure: () => Promise<T>): Promise<T> {
  const others = lanes.flatMap((lane) => (lane.running === running ? [] : lane.running.pids.flatMap(treeOf)));
  for (const pid of others) signal(pid, 'SIGSTOP');
  try {
    return await measure();
  } finally {
    for (const pid of others) signal(pid, 'SIGCONT');
  }
}

/** A process of PostgreSQL may have ended meanwhile. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** By requests: V8 compiles for the first 100,000, which on a busy machine are not sent in the same seconds. */
async function warmUp(name: string, generator: Generator, seconds: number, least = 0): Promise<void> {
  const end = performance.now() + MOST_COLD_MS;
  let { requests } = await generator.run(name, seconds, 0);
  while (requests < least && performance.now() < end) requests += (await generator.run(name, 1, 0)).requests;
}

const MOST_COLD_MS = 30_000;

async function slice(name: string, { pids }: Running, generator: Generator, pace: Pace): Promise<Slice> {
  const before = cpuSecondsOf(pids);
  const report = await generator.run(name, pace.seconds, pace.warmUpSeconds);
  const cpuSeconds = cpuSecondsOf(pids) - before;
  const perSecond = report.requests / report.seconds;
  // Processor time is counted over warm-up and slice together; the rate is nearly the same in both.
  const cpuPerRequest = (cpuSeconds / (report.seconds + pace.warmUpSeconds) / perSecond) * 1e6;
  return { ...report, perSecond, cpuPerRequest, memory: memoryOf(pids) };
}

/** The median of the ratios of two lanes. */
export function ratio(a: LaneResult, b: LaneResult, figure: (slice: Slice) => number): number {
  return median(ratios(a, b, figure));
}

/** The ratio of two lanes in each pass. */
export function ratios(a: LaneResult, b: LaneResult, figure: (slice: Slice) => number): number[] {
  return a.slices.map((slice, pass) => figure(slice) / figure(b.slices[pass] as Slice));
}
