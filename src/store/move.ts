// Moves everything from one store into another: all rows and events, proved by counts and checksums. It can be interrupted
// and run again: what is there already is compared and left. So the bulk can be moved while the service runs, and the
// rest, in a short second run, once it has stopped.
import { hash } from 'node:crypto';
import { after, type EpochSeconds, epochSeconds, seconds } from '../core/time.ts';
import type { BackEnd } from './back-end.ts';
import { drawRevision } from './change.ts';
import { eventPages, pages } from './pages.ts';
import type { LoggedEvent } from './store.ts';
import { type AnyTable, encodeRow, type Value } from './table.ts';
import { devices } from './tables/devices.ts';
import { grants } from './tables/grants.ts';
import { identities } from './tables/identities.ts';
import { integrations, issuers, keyMarks } from './tables/registry.ts';
import { attempts, passwords, sessions } from './tables/sign-in.ts';

/**
 * In an order in which what is referred to comes first. Revocation lists are not among them: they can be fetched again, and
 * change under a service that runs.
 */
const MOVED: readonly AnyTable[] = [
  identities,
  passwords,
  integrations,
  issuers,
  keyMarks,
  grants,
  devices,
  sessions,
  attempts,
];
const STEP = 500;
const GRACE = 3600;

/** A store that takes events under the numbers they had, so that cursors of readers stay good. */
export interface Receiver extends BackEnd {
  receiveEvents(events: readonly LoggedEvent[]): Promise<void>;
}

export interface Progress {
  readonly what: string;
  readonly rows: number;
  /** Of these: new or changed since the last run. */
  readonly written: number;
}

export async function moveStore(from: BackEnd, to: Receiver, tell: (progress: Progress) => void): Promise<Progress[]> {
  await markMoving(to);
  await sweepBoth(from, to);
  const moved: Progress[] = [];
  for (const table of MOVED) moved.push(await moveTable(table, from, to, tell));
  moved.push(await moveEvents(from, to, tell));
  await prove(from, to);
  await unmarkMoving(to);
  return moved;
}

async function moveTable(table: AnyTable, from: BackEnd, to: BackEnd, tell: (progress: Progress) => void) {
  let progress: Progress = { what: table.name, rows: 0, written: 0 };
  for await (const rows of pagesOf(table, from)) {
    const written = await Promise.all(rows.map((row) => moveRow(table, row, to)));
    const { length } = written.filter(Boolean);
    progress = { what: table.name, rows: progress.rows + rows.length, written: progress.written + length };
    tell(progress);
  }
  return progress;
}

/** True where it had to be written. */
async function moveRow(table: AnyTable, row: unknown, to: BackEnd): Promise<boolean> {
  const { found } = await to.loadVersioned(table, table.keyOf(row));
  if (found && markOf(encodeRow(table, found.row)) === markOf(encodeRow(table, row))) return false;
  const revision = drawRevision(found?.revision);
  const commit = { swap: { table, row, expected: found?.revision }, inserts: [], events: [], revision };
  if (!(await to.commit(commit)))
    throw new Error(`a row of ${table.name} changed under the move: is the service running?`);
  return true;
}

async function moveEvents(from: BackEnd, to: Receiver, tell: (progress: Progress) => void): Promise<Progress> {
  let progress: Progress = { what: 'events', rows: 0, written: 0 };
  for await (const events of eventPages(from, STEP)) {
    await to.receiveEvents(events);
    const rows = progress.rows + events.length;
    progress = { what: 'events', rows, written: rows };
    tell(progress);
  }
  return progress;
}

async function prove(from: BackEnd, to: BackEnd): Promise<void> {
  for (const table of MOVED) compare(table.name, await sumOfTable(table, from), await sumOfTable(table, to));
  compare('events', await sumOfEvents(from), await sumOfEvents(to));
}

interface Sum {
  count: number;
  checksum: bigint;
}

function compare(what: string, source: Sum, target: Sum): void {
  if (source.count === target.count && source.checksum === target.checksum) return;
  throw new Error(
    `${what} differ after the move: ${source.count} rows there, ${target.count} here. Stop the service and run it again.`,
  );
}

/** Of what the rows say, in any order. */
async function sumOfTable(table: AnyTable, backEnd: BackEnd): Promise<Sum> {
  const sum: Sum = { count: 0, checksum: 0n };
  for await (const rows of pagesOf(table, backEnd)) for (const row of rows) add(sum, markOf(encodeRow(table, row)));
  return sum;
}

async function sumOfEvents(backEnd: BackEnd): Promise<Sum> {
  const sum: Sum = { count: 0, checksum: 0n };
  for await (const events of eventPages(backEnd, STEP))
    for (const event of events) add(sum, hash('sha256', JSON.stringify(event)));
  return sum;
}

function add(sum: Sum, mark: string): void {
  sum.count += 1;
  sum.checksum = (sum.checksum + BigInt(`0x${mark}`)) & ((1n << 256n) - 1n);
}

function markOf(values: readonly Value[]): string {
  return hash('sha256', JSON.stringify(values));
}

/** All rows but the mark of the move itself. */
async function* pagesOf(table: AnyTable, backEnd: BackEnd): AsyncGenerator<readonly unknown[]> {
  for await (const page of pages(backEnd, table, { limit: STEP })) {
    const kept = table === attempts ? page.filter((row) => table.keyOf(row) !== MARK) : page;
    if (kept.length > 0) yield kept;
  }
}

/** What ended long ago is not worth moving, and what was swept here between two runs must go there as well. */
async function sweepBoth(from: BackEnd, to: BackEnd): Promise<void> {
  const before = epochSeconds((await from.now()) - GRACE);
  for (const backEnd of [from, to])
    for (const table of MOVED) if (table.endsAt) while ((await backEnd.sweep(table, before, STEP)) === STEP);
}

const MARK = 'moving a store here';
const A_WHILE = seconds(30 * 86_400);

/** A store in use is never written over: only an empty one is taken, or one that a move has begun to fill. */
async function markMoving(to: BackEnd): Promise<void> {
  const { found, now } = await to.loadVersioned(attempts, MARK);
  if (found && found.row.endsAt > now) return;
  for (const table of MOVED) {
    const [row] = await to.page(table, { limit: 1 });
    if (row !== undefined) throw new Error(`the store to move to is in use: it has ${table.name}`);
  }
  await writeMark(to, found?.revision, after(now, A_WHILE));
}

async function unmarkMoving(to: BackEnd): Promise<void> {
  const { found, now } = await to.loadVersioned(attempts, MARK);
  await writeMark(to, found?.revision, now);
}

async function writeMark(to: BackEnd, expected: number | undefined, endsAt: EpochSeconds): Promise<void> {
  const row = { about: MARK, count: 0, endsAt };
  await to.commit({
    swap: { table: attempts, row, expected },
    inserts: [],
    events: [],
    revision: drawRevision(expected),
  });
}
