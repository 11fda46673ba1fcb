// Honest crowds meet a service with default limits, bare and behind proxies: all are served, at their first try.
import { loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { NOT_CONNECTED } from '../overload/line.ts';
import { limitCpu } from '../overload/quota.ts';
import { CANCELLED } from '../overload/stream-line.ts';
import { type Front, frontsOf, isInstalled, stocksOf, THROUGH, type Through } from './fronts.ts';
import { Generator, type Tally } from './generator.ts';
import { CROWDS, GRANTS, OVERLOADS, type Row } from './rows.ts';

const LONGEST_MS = 10_000;
const LEAST_GOODPUT = 0.8;
const MOST_MEMORY = 1.3;
/** Of a gateway's requests: the others found no free connection. */
const LEAST_SENT = 0.9;
const BETWEEN_MS = 1000;
/** For loads beyond its peak: one generator could not send 50 times what a whole core serves. */
const QUOTA = 0.35;

export interface CrowdOptions {
  readonly against?: string | undefined;
  readonly through?: string | undefined;
}

/** Returns how many rows broke a promise; those of another checkout do not count. */
export async function faceCrowds({ against, through }: CrowdOptions): Promise<number> {
  const chosen = through ? [through as Through] : THROUGH;
  const skipped = chosen.filter((name) => !isInstalled(name));
  const stocks = await stocksOf(against, GRANTS);
  const generator = new Generator();
  console.log(`load of the machine: ${loadavg()[0]?.toFixed(1)}; default limits; times in ms`);
  console.log(line(HEAD));
  let broken = 0;
  for (const name of chosen.filter(isInstalled)) {
    const fronts = await frontsOf(stocks, name);
    for (const [what, row] of Object.entries(CROWDS))
      for (const front of fronts) broken += await face(what, row, front, generator);
    for (const front of fronts) broken += await overload(front, generator);
    for (const front of fronts) await front.stop();
  }
  generator.close();
  for (const name of skipped) console.log(`skipped: ${name} is not installed`);
  console.log(`${broken} rows broken, ${skipped.length} fronts skipped`);
  return broken;
}

async function face(what: string, row: Row, front: Front, generator: Generator): Promise<number> {
  if (row.needs && !front.speaksHttp2) return print(what, front, undefined, [], 'skipped: no HTTP/2');
  const [tally] = await generator.run(front, row.order(front));
  await pause(BETWEEN_MS);
  const limited = row.limited?.(front);
  const note = limited && (tally?.answers[429] ?? 0) > 0 ? `429 by ${limited.by}` : '';
  return print(what, front, tally, tally ? complaints(tally, { limited: limited?.most ?? 0, refused: 0 }) : [], note);
}

const ANY = { limited: Number.POSITIVE_INFINITY, refused: Number.POSITIVE_INFINITY };

async function overload(front: Front, generator: Generator): Promise<number> {
  let broken = 0;
  for (const [what, row] of Object.entries(OVERLOADS)) {
    const isMore = row.loads.length > 1;
    if (isMore && front.through !== 'bare') continue;
    const removeQuota = isMore ? limitCpu(front.pid, QUOTA) : undefined;
    const tallies = await generator.run(front, row.order(front));
    const [peak] = tallies;
    for (const [at, tally] of tallies.entries()) {
      const goodput = tally.perSecond / (peak?.perSecond ?? 1);
      const memory = tally.memoryMiB / (peak?.memoryMiB ?? 1);
      const found = [
        ...complaints(tally, ANY),
        ...(goodput < LEAST_GOODPUT ? [`goodput ${goodput.toFixed(2)}`] : []),
        ...(memory > MOST_MEMORY ? [`memory × ${memory.toFixed(2)}`] : []),
      ];
      const quota = removeQuota ? `, ${QUOTA} cores` : '';
      const note = `${tally.perSecond.toFixed(0)} served a second, goodput ${goodput.toFixed(2)}${isMore ? quota : ''}`;
      broken += print(row.loads[at] ?? what, front, tally, found, note);
    }
    if (removeQuota) front.child.once('exit', () => setTimeout(removeQuota, BETWEEN_MS));
    await pause(BETWEEN_MS);
  }
  return broken;
}

/** What an honest crowd must not meet. */
function complaints(tally: Tally, allowed: { readonly limited: number; readonly refused: number }): string[] {
  const { wanted, sent, unanswered, withoutRetryAfter, slowest } = tally;
  const { served, limited, refused, closed, other } = countsOf(tally);
  const wrong: readonly (readonly [boolean, string])[] = [
    [served === 0, 'nobody served'],
    [sent < LEAST_SENT * wanted && allowed !== ANY, `only ${sent} of ${wanted} could be sent`],
    [closed > 0, `${closed} closed`],
    [limited > allowed.limited, `${limited} × 429, documented ${allowed.limited}`],
    [refused > allowed.refused, `${refused} × 503`],
    [other > 0, `other answers: ${JSON.stringify(tally.answers)}`],
    [withoutRetryAfter > 0, `${withoutRetryAfter} without Retry-After`],
    [unanswered > 0, `${unanswered} unanswered`],
    [slowest > LONGEST_MS, 'slower than 10 s'],
  ];
  return wrong.filter(([isWrong]) => isWrong).map(([, what]) => what);
}

function countsOf({ answers }: Tally) {
  const count = (...statuses: number[]) => statuses.reduce((sum, status) => sum + (answers[status] ?? 0), 0);
  const all = Object.values(answers).reduce((sum, each) => sum + each, 0);
  const known = { served: count(200), limited: count(429), refused: count(503), closed: count(0, NOT_CONNECTED) };
  const cancelled = count(CANCELLED);
  return { ...known, cancelled, other: all - cancelled - Object.values(known).reduce((sum, each) => sum + each, 0) };
}

const HEAD = ['crowd', 'front', 'sent', '2xx', '429', '503', 'closed', 'p50', 'p99', 'slowest', 'MiB', ''];
const WIDTHS = [43, 16, 6, 6, 6, 6, 7, 6, 6, 8, 5, 0];

function line(cells: readonly string[]): string {
  return cells
    .map((cell, at) => (at < 2 || at > 10 ? cell.padEnd(WIDTHS[at] ?? 0) : cell.padStart(WIDTHS[at] ?? 0)))
    .join(' ');
}

/** Returns 1 if a row of this checkout is broken. */
function print(
  what: string,
  { name }: Front,
  tally: Tally | undefined,
  wrong: readonly string[],
  note: string,
): number {
  const isBroken = wrong.length > 0;
  const verdict = [isBroken ? `BROKEN ${wrong.join(', ')}` : '', note].filter(Boolean).join('; ');
  const { served, limited, refused, closed, cancelled } = tally
    ? countsOf(tally)
    : ({} as Partial<ReturnType<typeof countsOf>>);
  const { sent, p50, p99, slowest, memoryMiB } = tally ?? ({} as Partial<Tally>);
  const figures = [sent, served, limited, refused, closed, p50, p99, slowest, memoryMiB];
  const more = cancelled ? `${cancelled} cancelled; ` : '';
  console.log(line([what, name, ...figures.map((figure) => figure?.toFixed(0) ?? '-'), `${more}${verdict || 'ok'}`]));
  return isBroken && name.startsWith('now') ? 1 : 0;
}
