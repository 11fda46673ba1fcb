// How two stores differ in one table. Both are read in the order of keys, so that no table is in memory as a whole.
import { MOVED, STEP } from './all-tables.ts';
import type { BackEnd } from './back-end.ts';
import { isMark, MoveRefused } from './move-mark.ts';
import { eventPages, rows } from './pages.ts';
import { type AnyTable, encodeRow } from './table.ts';

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
export async function prove(from: BackEnd, to: BackEnd): Promise<void> {
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
