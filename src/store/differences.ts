// How two stores differ in one table. Both are read in the order of their keys, side by side, so that a large table never
// sits in memory. After a move, counts and checksums prove that there is none.
import { hash } from 'node:crypto';
import { MOVED, STEP } from './all-tables.ts';
import type { BackEnd } from './back-end.ts';
import { isMark, MoveRefused } from './move-mark.ts';
import { eventPages, rows } from './pages.ts';
import { type AnyTable, encodeRow, type Value } from './table.ts';

type Readable = Pick<BackEnd, 'page'>;

export type Difference =
  /** The target has no such row, or another version of it. */
  | { readonly is: 'missing' | 'changed' | 'same'; readonly row: unknown }
  /** The source has no such row any more. */
  | { readonly is: 'gone'; readonly row: unknown };

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
  return textOf(encodeRow(table, left)) === textOf(encodeRow(table, right));
}

/** The values of a row as one text. */
function textOf(values: readonly Value[]): string {
  return JSON.stringify(values);
}

interface Sum {
  count: number;
  checksum: bigint;
}

export async function prove(from: BackEnd, to: BackEnd): Promise<void> {
  for (const table of MOVED) compare(table.name, await sumOfTable(table, from), await sumOfTable(table, to));
  compare('events', await sumOfEvents(from), await sumOfEvents(to));
}

function compare(what: string, source: Sum, target: Sum): void {
  if (source.count === target.count && source.checksum === target.checksum) return;
  throw new MoveRefused(
    `${what} differ after the move: ${source.count} in the old store, ${target.count} in the new one`,
    'Nothing may run on the new store yet. Check that nobody else writes to it, then run this again.',
  );
}

/** A checksum of the rows that does not depend on their order. */
async function sumOfTable(table: AnyTable, backEnd: BackEnd): Promise<Sum> {
  const sum: Sum = { count: 0, checksum: 0n };
  for await (const row of rows(backEnd, table)) if (!isMark(table, row)) add(sum, textOf(encodeRow(table, row)));
  return sum;
}

async function sumOfEvents(backEnd: BackEnd): Promise<Sum> {
  const sum: Sum = { count: 0, checksum: 0n };
  for await (const events of eventPages(backEnd, STEP)) for (const event of events) add(sum, JSON.stringify(event));
  return sum;
}

function add(sum: Sum, text: string): void {
  sum.count += 1;
  sum.checksum = (sum.checksum + BigInt(`0x${hash('sha256', text)}`)) & ((1n << 256n) - 1n);
}
