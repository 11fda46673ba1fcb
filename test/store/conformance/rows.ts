// The rows that the claims about every back end are made with, and how to put and read them.
import assert from 'node:assert/strict';
import type { Event } from '../../../src/core/event.ts';
import { type EpochSeconds, epochSeconds } from '../../../src/core/time.ts';
import type { BackEnd, Commit } from '../../../src/store/back-end.ts';
import { drawRevision } from '../../../src/store/change.ts';
import type { Decision, Store } from '../../../src/store/store.ts';
import type { AnyTable, Table } from '../../../src/store/table.ts';
import { type Attempts, attempts } from '../../../src/store/tables/attempts.ts';
import { NOW } from '../../samples.ts';

type Reads = Pick<BackEnd, 'load'>;

/** The simplest row: a text key and a number. */
export function counter(about: string, count = 0, endsAt: EpochSeconds = NOW): Attempts {
  return { about, count, endsAt };
}

export function put<Row, Companion>(store: Store, table: Table<Row, Companion>, row: Row): Promise<void> {
  return store.change(table, table.keyOf(row), () => ({ outcome: undefined, next: row }));
}

export function increment(store: Store, about: string): Promise<number> {
  return store.change(attempts, about, (found) => {
    const count = (found?.row.count ?? 0) + 1;
    return { outcome: count, next: counter(about, count) };
  });
}

/** Returns the key of the created row. */
export function create(store: Store, about: string): Promise<string> {
  return store.create(attempts, about, () => ({ outcome: about, next: counter(about) }));
}

export async function countOf(backEnd: Reads, about: string): Promise<number | undefined> {
  return (await backEnd.load(attempts, about)).found?.row.count;
}

export async function revisionOf(backEnd: Reads, table: AnyTable, key: string): Promise<number | undefined> {
  return (await backEnd.load(table, key)).found?.revision;
}

export function told(subject: number): Event {
  return { type: 'spent', at: NOW, subjectId: subject.toString(16).padStart(32, '0') };
}

export async function eventSubjects(backEnd: Pick<BackEnd, 'events'>): Promise<number[]> {
  const events = await backEnd.events({ after: 0, limit: 10_000 });
  return events.map(({ subjectId }) => Number.parseInt(subjectId ?? '', 16));
}

export function commitOf({
  swaps = [],
  inserts = [],
  events = [],
}: Partial<Commit> & Pick<Decision<never, never>, 'inserts'>): Commit {
  const inserted = inserts.map(({ table, row }) => ({ table, row, expected: undefined }));
  return { swaps: [...swaps, ...inserted], events, revision: drawRevision(swaps) };
}

export const later = (moment: number, by: number): EpochSeconds => epochSeconds(moment + by);

/** Bytes may come back as a Buffer or not, and a Scope holds maps: rows are compared by value. */
export function assertSameRow(actual: unknown, expected: unknown, message?: string): void {
  assert.deepEqual(plain(actual), plain(expected), message);
}

function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return `bytes ${Buffer.from(value).toString('hex')}`;
  if (value instanceof Map) return [...value].map(plain);
  if (value instanceof Set) return [...value].map(plain);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]));
}
