// Moves all rows and events into another store. Each run writes what changed and removes what is gone: the bulk while
// the service runs, the rest after it has stopped. Then both stores are compared.

import type { Event } from '../core/event.ts';
import { OperatorFault } from '../core/faults.ts';
import { after, type EpochSeconds, epochSeconds, seconds } from '../core/time.ts';
import { MOVED, STEP } from './all-tables.ts';
import type { BackEnd } from './back-end.ts';
import { drawRevision, storeOf } from './change.ts';
import { eventPages, rows } from './pages.ts';
import { CommitUnknown, type LoggedEvent, type Store, StoreUnavailable, writeRow } from './store.ts';
import { type AnyTable, encodeRow } from './table.ts';
import { attempts } from './tables/attempts.ts';
import { serviceTimes } from './tables/service-times.ts';

export interface Receiver extends BackEnd {
  /** Stores events under their old numbers, so that the cursors of readers stay valid. */
  receiveEvents(events: readonly LoggedEvent[]): Promise<void>;
  removeRows(table: AnyTable, keys: readonly string[]): Promise<void>;
  removeEventsBefore(sequence: number): Promise<void>;
}

export interface Source {
  readonly backEnd: BackEnd;
  /** No other process has the store open, so it cannot change: this can be the last run. */
  readonly isAlone: boolean;
}

export interface Progress {
  readonly what: string;
  readonly rows: number;
  /** How many of them are new or changed since the last run. */
  readonly written: number;
}

export interface Move {
  readonly moved: readonly Progress[];
  /** Both stores were proved equal, and a service may start on the target. Otherwise another run is needed. */
  readonly isComplete: boolean;
}

export async function moveStore(from: Source, to: Receiver, onProgress: (progress: Progress) => void): Promise<Move> {
  const source = from.backEnd;
  await claim(to);
  // A unique value may have moved to another row, so removed rows are deleted first, and rows that refer to them before them.
  for (const table of MOVED.toReversed()) await removeGone(table, source, to);
  const moved: Progress[] = [];
  for (const table of MOVED) moved.push(await moveTable(table, source, to, onProgress));
  moved.push(await moveEvents(source, to, onProgress));
  if (!from.isAlone) return { moved, isComplete: false };
  await prove(source, to);
  await write(source, AWAY, COMPLETE); // first: an interruption here leaves no store to start on, instead of two
  await write(to, MARK, COMPLETE);
  return { moved, isComplete: true };
}

async function removeGone(table: AnyTable, from: BackEnd, to: Receiver): Promise<void> {
  let keys: string[] = [];
  if ((await to.page(table, { limit: 1 })).length === 0) return;
  for await (const { is, row } of differences(table, from, to)) {
    if (is === 'gone' && !isMark(table, row)) keys.push(table.keyOf(row));
    if (keys.length < STEP) continue;
    await to.removeRows(table, keys);
    keys = [];
  }
  if (keys.length > 0) await to.removeRows(table, keys);
}

async function moveTable(table: AnyTable, from: BackEnd, to: BackEnd, onProgress: (progress: Progress) => void) {
  let [rows, written] = [0, 0];
  let writing: Promise<void>[] = [];
  const progress = () => ({ what: table.name, rows, written });
  const settle = async () => {
    await Promise.all(writing);
    writing = [];
    onProgress(progress());
  };
  for await (const { is, row } of differences(table, from, to)) {
    if (is === 'gone' || isMark(table, row)) continue;
    rows++;
    if (is === 'same') continue;
    written++;
    writing.push(copyRow(table, row, from, to));
    if (writing.length === STEP) await settle();
  }
  await settle();
  return progress();
}

/** While a service runs, a row may refer to an identity that was added after identities were moved: that one is copied first. */
async function copyRow(table: AnyTable, row: unknown, from: BackEnd, to: BackEnd): Promise<void> {
  try {
    await swapRow(table, row, to);
  } catch (error) {
    const passes = error instanceof StoreUnavailable || error instanceof CommitUnknown || error instanceof MoveRefused;
    const companion = passes || !table.companion ? undefined : await companionOf(table, row, from);
    if (!companion || !table.companion) throw error;
    await swapRow(table.companion.table, companion, to);
    await swapRow(table, row, to);
  }
}

async function companionOf(table: AnyTable, row: unknown, from: BackEnd): Promise<unknown> {
  return (await from.load(table, table.keyOf(row))).found?.companion;
}

async function swapRow(table: AnyTable, row: unknown, to: BackEnd): Promise<void> {
  const { found } = await to.load(table, table.keyOf(row));
  const swap = { table, row, expected: found?.revision };
  if (await to.commit({ swaps: [swap], events: [], revision: drawRevision([swap]) })) return;
  throw new MoveRefused(
    `somebody else changed a row of ${table.name} in the store to move to`,
    'Is a second move running, or a service? Stop it and run this again.',
  );
}

async function moveEvents(from: BackEnd, to: Receiver, onProgress: (progress: Progress) => void): Promise<Progress> {
  const [oldest] = await from.events({ after: 0, limit: 1 });
  if (oldest) await to.removeEventsBefore(oldest.sequence);
  let after = (await to.newestEvents({ count: 1 }))[0]?.sequence ?? 0;
  let written = 0;
  for (;;) {
    const events = await from.events({ after, limit: STEP });
    if (events.length > 0) await to.receiveEvents(events);
    written += events.length;
    after = events.at(-1)?.sequence ?? after;
    const progress = { what: 'events', rows: written, written };
    onProgress(progress);
    if (events.length < STEP) return progress;
  }
}

// How two stores differ in one table. Both are read in the order of keys, so that no table is in memory as a whole.

type Readable = Pick<BackEnd, 'page'>;

export interface Difference {
  /** In the target. `gone`: the source has no such row any more. */
  readonly is: 'missing' | 'changed' | 'same' | 'gone';
  readonly row: unknown;
}

/** Every row of both tables, once. */
export async function* differences(table: AnyTable, source: Readable, target: Readable): AsyncGenerator<Difference> {
  const [ours, theirs] = [rows(source, table), rows(target, table)];
  let [left, right] = [await ours.next(), await theirs.next()];
  while (!left.done || !right.done) {
    const order = left.done ? 1 : right.done ? -1 : compareKeys(table, left.value, right.value);
    if (order > 0) yield { is: 'gone', row: right.value };
    else if (order < 0) yield { is: 'missing', row: left.value };
    else yield { is: isSame(table, left.value, right.value) ? 'same' : 'changed', row: left.value };
    if (order <= 0) left = await ours.next();
    if (order >= 0) right = await theirs.next();
  }
}

/** The order of both back ends: numbers by value, everything else by bytes. */
function compareKeys(table: AnyTable, left: unknown, right: unknown): number {
  const [one, other] = [left, right].map((row) => table.encodeKey(table.keyOf(row)));
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  return Buffer.compare(Buffer.from(one as string), Buffer.from(other as string));
}

function isSame(table: AnyTable, left: unknown, right: unknown): boolean {
  return JSON.stringify(encodeRow(table, left)) === JSON.stringify(encodeRow(table, right));
}

/** Throws unless both stores have the same rows and events. */
async function prove(from: BackEnd, to: BackEnd): Promise<void> {
  for (const table of MOVED)
    for await (const { is, row } of differences(table, from, to))
      if (is !== 'same' && !isMark(table, row)) throw unequal(table.name);
  const moved = eventPages(to, STEP);
  for await (const events of eventPages(from, STEP))
    if (JSON.stringify(events) !== JSON.stringify((await moved.next()).value)) throw unequal('events');
  if (!(await moved.next()).done) throw unequal('events');
}

function unequal(what: string): MoveRefused {
  return new MoveRefused(
    `${what} differ after the move`,
    'Nothing may run on the new store yet. Check that nobody else writes to it, then run this again.',
  );
}

// Rows in `attempts` record how far a move has come: it never overwrites a store in use, and no service starts on an
// incomplete store, nor on one that was moved away.

/** An expected reason why a move cannot go on, or why a service cannot start on its target, with what to do next. */
class MoveRefused extends OperatorFault {
  override readonly name = 'MoveRefused';
}

const MARK = 'moving a store here';
const AWAY = 'this store was moved away';
/** Longer than any move takes: the first mark ends when a service opens the store. */
const YEARS = seconds(10 * 365 * 86_400);
/** What `count` of a mark says. */
const [INCOMPLETE, COMPLETE] = [0, 1];

export function isMark(table: AnyTable, row: unknown): boolean {
  return table === attempts && [MARK, AWAY].includes(table.keyOf(row));
}

/** Accepts an empty store, or one that an earlier run has filled and no service has opened since. */
async function claim(to: BackEnd): Promise<void> {
  const { found, now } = await to.load(attempts, MARK);
  if (!found || found.row.endsAt <= now) await refuseRows(to);
  await write(to, MARK, INCOMPLETE);
}

/** Counts of attempts and the times of the service do not count as use: doctor writes some. */
async function refuseRows(to: BackEnd): Promise<void> {
  for (const table of MOVED.filter((each) => each !== attempts && each !== serviceTimes)) {
    if ((await to.page(table, { limit: 1 })).length === 0) continue;
    throw new MoveRefused(
      `the store to move to is in use: it has ${table.name}`,
      'Nothing was changed. Move to an empty database, or empty this one if nobody needs it: DROP DATABASE, CREATE DATABASE.',
    );
  }
}

function write(backEnd: BackEnd, about: string, count: number): Promise<unknown> {
  return writeRow(storeOf(backEnd), attempts, about, (_, now) => ({ about, count, endsAt: after(now, YEARS) }));
}

/** When this store was moved to another one; undefined if it was not, or was taken back since. */
export async function movedAwayAt(store: Store): Promise<EpochSeconds | undefined> {
  const { found, now } = await store.load(attempts, AWAY);
  return found && found.row.endsAt > now ? epochSeconds(found.row.endsAt - YEARS) : undefined;
}

/** The operator gives up the store that this one was moved to. Logs `event` if there was something to take back. */
export function takeBack(store: Store, event: (now: EpochSeconds) => Event): Promise<void> {
  return store.change(attempts, AWAY, (found, now) => {
    if (!found || found.row.endsAt <= now) return { outcome: undefined };
    return { outcome: undefined, next: { ...found.row, endsAt: now }, events: [event(now)] };
  });
}

/** A service takes over the store: from now on no move may write to it. */
export async function takeOver(store: Store): Promise<void> {
  const movedAt = await movedAwayAt(store);
  if (movedAt !== undefined) throw new MoveRefused(movedText(movedAt), USE_THE_OTHER);
  const isOurs = await store.change(attempts, MARK, (found, now) => {
    if (!found || found.row.endsAt <= now) return { outcome: true };
    const outcome = found.row.count === COMPLETE;
    return outcome ? { outcome, next: { ...found.row, endsAt: now } } : { outcome };
  });
  if (isOurs) return;
  throw new MoveRefused(
    'a move into this store is not complete',
    'Stop the service that runs on the old store, then run the same tessera migrate-store once more.',
  );
}

export function movedText(at: EpochSeconds): string {
  return `this store was moved to another one on ${new Date(at * 1000).toISOString()}, and must not change any more`;
}

export const USE_THE_OTHER =
  'Set store: to the address of that one. To give that one up, with every change made there: tessera serve --take-back';
