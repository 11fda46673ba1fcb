// What is done to things of all kinds.
import { COMMAND_LINE } from '../../../../core/integration.ts';
import { accept } from '../../../../core/outcome.ts';
import type { Store, StorePort } from '../../../../store/store.ts';
import type { Table } from '../../../../store/table.ts';
import { type Acted, decline } from '../../admin.ts';
import { ending, performPlan, type Registered, rewrite } from '../../perform.ts';
import { type Answered, answer, answering, type Given, type Listed } from '../act.ts';
import type { ThingWork } from '../things.ts';
import { type AnyKind, type DraftPorts, isThere, tableOf } from './kind.ts';
import { type Plan, planChanges } from './plan.ts';

/** The work of the acts that all kinds have. */
export function thingWork<T>(kind: AnyKind): ThingWork<T> {
  return {
    list: (query, { store }) => {
      const { all }: { readonly all?: boolean } = query;
      return listRows(store, tableOf(kind), query, (row) =>
        all || isThere(kind, row) ? kind.written(row) : undefined,
      );
    },
    show: (id, ports) => show(kind, id, ports),
    put: async (given, ports) => {
      const done = await performPlan(() => planPut(kind, given, ports), ports);
      if (!done.ok) return done;
      const isNew = done.value.some(({ id, does }) => id === given.id && does === 'create');
      const shown = await show(kind, given.id, ports);
      return shown.ok ? accept({ ...shown.value, isNew }) : shown;
    },
    remove: async (id, confirmed, ports) => {
      const removed = await rewrite(kind.kind as Registered, id, ports, (row, at) =>
        confirmed || !kind.unconfirmed
          ? ending(kind.kind, row, kind.removal?.(row) as never, at)
          : decline(kind.unconfirmed, id),
      );
      return answering(removed, () => ({ id }));
    },
  };
}

/** The thing as it is now. */
async function show(kind: AnyKind, id: string, { store }: StorePort) {
  const { found } = await store.load(tableOf(kind), id);
  // Issuers that were removed are shown: identities have their labels.
  const isShown = found && (isThere(kind, found.row) || kind.kind.endsWith('issuer'));
  if (!isShown) return unknown(kind, id);
  return accept({ value: kind.written(found.row), revision: found.revision });
}

/** What making or replacing one thing does. */
export async function planPut(kind: AnyKind, { id = '', body = {}, onlyIf }: Given, ports: DraftPorts): Plan {
  const { found } = await ports.store.load(tableOf(kind), id);
  const isKnown = isThere(kind, found?.row);
  const isOther = typeof onlyIf === 'number' && found?.revision !== onlyIf;
  if (isOther || (onlyIf === 'present' && !isKnown)) return decline('changed-meanwhile', id);
  if (typeof onlyIf === 'number' && !isKnown) return unknown(kind, id);
  if (onlyIf === 'absent' && isKnown) return exists(kind, id);
  const known = new Map<string, unknown>(isKnown ? [[id, found?.row]] : []);
  if (kind.kind === 'integration' && id !== COMMAND_LINE) {
    const door = (await ports.store.load(tableOf(kind), COMMAND_LINE)).found?.row;
    if (isThere(kind, door)) known.set(COMMAND_LINE, door);
  }
  const plan = await planChanges(kind, { wanted: { [id]: body as object }, known }, ports);
  const change = plan.ok ? plan.value.find((each) => each.id === id) : undefined;
  // Somebody may have changed it since it was loaded above.
  if (change && typeof onlyIf === 'number' && change.revision !== onlyIf) return decline('changed-meanwhile', id);
  return change?.does === 'change' && onlyIf === 'absent' ? exists(kind, id) : plan;
}

function unknown({ kind }: AnyKind, id: string) {
  return decline(`${kind as Registered}-unknown`, id);
}

function exists({ kind }: AnyKind, id: string) {
  return kind === 'identity'
    ? decline('user-name-taken', id)
    : decline(`${kind as Exclude<Registered, 'identity'>}-exists`, id);
}

const USUAL = 100;

/** One page of a table, in the order of its keys. Rows that are left out still count, so a page may be short. */
export async function listRows<Row, Companion, T>(
  store: Store,
  table: Table<Row, Companion>,
  query: object | undefined,
  write: (row: Row) => T | undefined,
): Acted<Answered<Listed<T>>> {
  const { limit = USUAL, cursor }: { readonly limit?: number; readonly cursor?: string } = query ?? {};
  const rows = await store.page(table, { limit, ...(cursor !== undefined && { after: cursor }) });
  const last = rows.length === limit ? rows.at(-1) : undefined;
  const items = rows.map(write).filter((item) => item !== undefined);
  return answer({ items, ...(last !== undefined && { next: table.keyOf(last) }) });
}
