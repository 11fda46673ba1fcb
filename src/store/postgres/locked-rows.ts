import type { Swap } from '../back-end.ts';

/** How long a row counts as locked after a change of it has last failed. */
const REMEMBERED_MS = 10_000;

/** Rows that somebody else holds a lock on, as far as this node has noticed. */
export class LockedRows {
  readonly #until = new Map<string, number>();

  add(step: Swap): void {
    const now = performance.now();
    for (const [name, until] of this.#until) if (until <= now) this.#until.delete(name);
    for (const name of namesOf(step)) this.#until.set(name, now + REMEMBERED_MS);
  }

  delete(step: Swap): void {
    for (const name of namesOf(step)) this.#until.delete(name);
  }

  has(step: Swap): boolean {
    if (this.#until.size === 0) return false;
    const now = performance.now();
    return namesOf(step).some((name) => (this.#until.get(name) ?? 0) > now);
  }
}

/** A new row also needs the row that it refers to: its companion. */
function namesOf({ table, row, expected }: Swap): string[] {
  const own = `${table.name} ${table.keyOf(row)}`;
  const { companion } = table;
  if (expected !== undefined || !companion) return [own];
  const by = table.columns.find(({ name }) => name === companion.by);
  return [own, `${companion.table.name} ${String(by?.of(row))}`];
}
