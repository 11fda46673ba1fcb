// Honest crowds meet a service with default limits, bare and behind proxies: all are served, at their first try.
import { loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import type { Seeded } from '../../../test/seeded.ts';
import { type Front, isInstalled, startFront, stockOf, throughOf } from './fronts.ts';
import { Generator, type Tally } from './generator.ts';
import { CLOSED, NOT_CONNECTED } from './line.ts';
import { limitCpu } from './quota.ts';
import { GRANTS, ROWS, type Row } from './rows.ts';
import { CANCELLED } from './stream-line.ts';

const LONGEST_MS = 10_000;
const LEAST_GOODPUT = 0.8;
const MOST_MEMORY = 1.3;
/** Of a gateway's requests: the others found no free connection. */
const LEAST_SENT = 0.9;
const BETWEEN_MS = 1000;

const HEAD = ['crowd', 'front', 'sent', '2xx', '429', '503', 'closed', 'p50', 'p99', 'slowest', 'MiB'];
const WIDTHS = [43, 15, 6, 6, 6, 6, 7, 6, 6, 8, 5];

export interface CrowdOptions {
  readonly through?: string | undefined;
  /** Only rows whose name contains it. */
  readonly only?: string | undefined;
}

/** Returns how many rows broke a promise. */
export async function faceCrowds(_cycles: number, _chance: Seeded, options: CrowdOptions): Promise<number> {
  const { through, only = '' } = options;
  const chosen = throughOf(through);
  const stock = await stockOf(GRANTS);
  const generator = new Generator();
  console.log(`load of the machine: ${loadavg()[0]?.toFixed(1)}; default limits; times in ms`);
  printLine(HEAD, WIDTHS);
  let broken = 0;
  for (const name of chosen.filter(isInstalled)) {
    const front = await startFront(stock, name);
    for (const row of ROWS.filter((row) => row.name.includes(only))) broken += await face(row, front, generator);
    await front.stop();
  }
  generator.close();
  const skipped = chosen.filter((name) => !isInstalled(name));
  console.log(
    `${broken} rows broken; ${skipped.length} proxies skipped, not installed: ${skipped.join(', ') || 'none'}`,
  );
  return broken;
}

async function face(row: Row, front: Front, generator: Generator): Promise<number> {
  if (row.isBareOnly && front.through !== 'bare') return 0;
  if (row.needsHttp2 && !front.speaksHttp2) {
    printLine([row.name, front.through, 'skipped: this front does not speak HTTP/2'], WIDTHS);
    return 0;
  }
  const removeQuota = row.cores ? limitCpu(front.pid, row.cores) : undefined;
  if (removeQuota) front.child.once('exit', removeQuota);
  const tallies = await generator.run(front, row.order(front));
  await pause(BETWEEN_MS);
  const [peak = tallies[0] as Tally] = tallies;
  const broken = tallies.filter((tally, at) => {
    const wrong = row.overload ? shortfalls(tally, peak) : complaints(tally, row.limited?.(front).most);
    const verdict = wrong.length > 0 ? `BROKEN: ${wrong.join(', ')}` : 'ok';
    const notes = [verdict, ...notesOn(tally, peak, row, front)].join('; ');
    printLine([row.overload?.[at] ?? row.name, front.through, ...figuresOf(tally), notes], WIDTHS);
    return wrong.length > 0;
  });
  return broken.length;
}

/** What an honest crowd must not meet. */
function complaints(tally: Tally, mostLimited = 0): string[] {
  const { limited, refused } = countsOf(tally);
  return [
    ...(tally.sent < LEAST_SENT * tally.wanted ? [`only ${tally.sent} of ${tally.wanted} could be sent`] : []),
    ...(limited > mostLimited ? [`${limited} × 429, documented ${mostLimited}`] : []),
    ...(refused > 0 ? [`${refused} × 503`] : []),
    ...faultsOf(tally),
  ];
}

/** What nobody must meet under overload. */
function shortfalls(tally: Tally, peak: Tally): string[] {
  const [goodput, memory] = [tally.perSecond / peak.perSecond, tally.memoryMiB / peak.memoryMiB];
  return [
    ...(goodput < LEAST_GOODPUT ? [`goodput ${goodput.toFixed(2)}`] : []),
    ...(memory > MOST_MEMORY ? [`memory × ${memory.toFixed(2)}`] : []),
    ...faultsOf(tally),
  ];
}

function faultsOf(tally: Tally): string[] {
  const { closed, other } = countsOf(tally);
  const { unanswered, withoutRetryAfter, slowest, answers } = tally;
  return [
    ...(closed > 0 ? [`${closed} closed`] : []),
    ...(other > 0 ? [`other answers: ${JSON.stringify(answers)}`] : []),
    ...(withoutRetryAfter > 0 ? [`${withoutRetryAfter} without Retry-After`] : []),
    ...(unanswered > 0 ? [`${unanswered} unanswered`] : []),
    ...(slowest > LONGEST_MS ? ['slower than 10 s'] : []),
  ];
}

function notesOn(tally: Tally, peak: Tally, { overload, limited, cores }: Row, front: Front): string[] {
  const { cancelled, limited: count } = countsOf(tally);
  const ofPeak = (figure: number) => `${figure.toFixed(0)} (× ${(figure / peak.perSecond).toFixed(1)})`;
  const served = `${ofPeak(tally.perSecond)} served and ${ofPeak(tally.sentPerSecond)} sent a second`;
  return [
    ...(overload ? [served, ...(cores ? [`${cores} cores`] : [])] : []),
    ...(limited && count > 0 ? [`429 by ${limited(front).by}`] : []),
    ...(cancelled > 0 ? [`${cancelled} cancelled`] : []),
  ];
}

function countsOf({ answers }: Tally) {
  const { 200: served = 0, 429: limited = 0, 503: refused = 0, [CANCELLED]: cancelled = 0, ...rest } = answers;
  const closed = (rest[CLOSED] ?? 0) + (rest[NOT_CONNECTED] ?? 0);
  const other = Object.values(rest).reduce((sum, count) => sum + count, 0) - closed;
  return { served, limited, refused, closed, cancelled, other };
}

function figuresOf(tally: Tally): string[] {
  const { served, limited, refused, closed } = countsOf(tally);
  const { sent, p50, p99, slowest, memoryMiB } = tally;
  return [sent, served, limited, refused, closed, p50, p99, slowest, memoryMiB].map((figure) => figure.toFixed(0));
}

/** Two columns of text, then figures, then text. */
export function printLine(cells: readonly string[], widths: readonly number[]): void {
  const padded = cells.map((cell, at) => (at < 2 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)));
  console.log(padded.join(' '));
}
