// The proof of a move: both stores hold the same, by counts and checksums.
import { hash } from 'node:crypto';
import { MOVED, STEP } from './all-tables.ts';
import type { BackEnd } from './back-end.ts';
import { textOf } from './differences.ts';
import { isMark, MoveRefused } from './move-mark.ts';
import { eventPages, rows } from './pages.ts';
import { type AnyTable, encodeRow } from './table.ts';

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
