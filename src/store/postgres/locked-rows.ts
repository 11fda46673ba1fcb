import type { Swap } from '../back-end.ts';
import { type AnyTable, keyColumn, type Value } from '../table.ts';
import { arrayOf } from './arrays.ts';
import type { Connections } from './connections.ts';
import { freeText } from './statements.ts';

/** How long a row counts as locked after a change of it has last failed. */
const REMEMBERED_MS = 10_000;

export class LockedRows {
  readonly #until = new Map<string, number>();

  add(step: Swap): void {
    const now = performance.now();
    for (const [name, until] of this.#until) if (until <= now) this.#until.delete(name);
    this.#until.set(nameOf(step), now + REMEMBERED_MS);
  }

  delete(step: Swap): void {
    this.#until.delete(nameOf(step));
  }

  has(step: Swap): boolean {
    return this.#until.size > 0 && (this.#until.get(nameOf(step)) ?? 0) > performance.now();
  }
}

/** For each of these steps, all of one kind: whether the row that it needs is unlocked. */
export async function areFree(steps: readonly Swap[], connections: Connections): Promise<boolean[]> {
  const { table, strength } = needed(steps[0] as Swap);
  const values = steps.map((step) => needed(step).key);
  const { rows } = await connections.run(freeText(table, strength), [arrayOf(keyColumn(table).kind, values)]);
  const free = new Set(rows.map(([key]) => key));
  return values.map((key) => free.has(key));
}

interface NeededRow {
  readonly table: AnyTable;
  readonly key: Value;
  readonly strength: 'NO KEY UPDATE' | 'KEY SHARE';
}

/** The row that a step must lock: its own or, for a new row, the one that it refers to. */
function needed({ table, row, expected }: Swap): NeededRow {
  const { companion } = table;
  if (expected !== undefined || !companion)
    return { table, key: table.encodeKey(table.keyOf(row)), strength: 'NO KEY UPDATE' };
  const by = table.columns.find(({ name }) => name === companion.by);
  return { table: companion.table, key: by?.of(row) ?? null, strength: 'KEY SHARE' };
}

function nameOf(step: Swap): string {
  const { table, key } = needed(step);
  return `${table.name} ${String(key)}`;
}
