// How two stores differ in one table. Both are read in the order of their keys, side by side, so that a large table never
// sits in memory.
import type { BackEnd } from './back-end.ts';
import { rows } from './pages.ts';
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
export function textOf(values: readonly Value[]): string {
  return JSON.stringify(values);
}
