// What is done to things of all kinds.
import { accept } from '../../../../core/outcome.ts';
import type { RowOf } from '../../../../core/rules/endings.ts';
import { changeable } from '../../../../schema.ts';
import type { Store, StorePort } from '../../../../store/store.ts';
import type { Table } from '../../../../store/table.ts';
import { type Acted, decline } from '../../admin.ts';
import type { Section, Written } from '../../objects.ts';
import { ending, performPlan, type Registered, rewrite } from '../../perform.ts';
import { type Answered, answer, answering, type Given, type Listed } from '../act.ts';
import type { ThingWork } from '../things.ts';
import { type DraftPorts, ifThere, type NameOf, type ObjectKind, present, tableOf } from './kind.ts';
import { type Plan, planChanges } from './plan.ts';

/** A kind whose rows only its own functions read. Bodies were checked against its schema. */
export interface AnyKind {
  readonly section: Section;
  /** What making or replacing one thing does. */
  readonly planPut: (given: Given & { readonly id: string; readonly body: object }, ports: DraftPorts) => Plan;
  /** What making or replacing these does, by name. `prune`: and removing all others. */
  readonly planAll: (wanted: Bodies, prune: boolean, ports: DraftPorts) => Plan;
  /** What a file says of all that counts, in the order of their names. */
  readonly exportAll: (nameOf: NameOf, ports: StorePort) => Promise<(readonly [name: string, body: object])[]>;
}

type Bodies = Readonly<Record<string, object>>;

/** The work of the acts that all kinds have. */
export function thingWork<K extends Registered>(kind: ObjectKind<K>): ThingWork<Written[K]> & AnyKind {
  return {
    section: kind.section,
    list: (query, { store }) => {
      const { all }: { readonly all?: boolean } = query;
      return listRows(store, tableOf(kind), query, (row) =>
        all || ifThere(kind, row) ? kind.written(row) : undefined,
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
      const removed = await rewrite(kind.kind, id, ports, (row, at) => {
        const deed = kind.removal(row);
        if (!deed) return unknown(kind, id);
        return confirmed || !kind.unconfirmed ? ending(kind.kind, row, deed, at) : decline(kind.unconfirmed, id);
      });
      return answering(removed, () => ({ id }));
    },
    planPut: (given, ports) => planPut(kind, { ...given, body: given.body as Written[K] }, ports),
    planAll: async (bodies, prune, ports) => {
      const wanted = bodies as Readonly<Record<string, Written[K]>>;
      return planChanges(kind, { wanted, known: await present(kind, ports), prune }, ports);
    },
    exportAll: async (nameOf, ports) => {
      const all = [...(await present(kind, ports))].filter(([, row]) => kind.isExported?.(row) ?? true);
      const entries = all.map(([id, row]) => [id, exported(kind, row, nameOf)] as const);
      return entries.sort(([a], [b]) => (a < b ? -1 : 1));
    },
  };
}

/** Without what is only shown. */
function exported<K extends Registered>(kind: ObjectKind<K>, row: RowOf[K], nameOf: NameOf): object {
  const body = kind.written(row);
  return changeable(kind.schema, kind.withNames?.(body, nameOf) ?? body);
}

/** The thing as it is now. */
async function show<K extends Registered>(kind: ObjectKind<K>, id: string, { store }: StorePort) {
  const { found } = await store.load(tableOf(kind), id);
  // Issuers that were removed are shown: identities have their labels.
  const isShown = found && (ifThere(kind, found.row) || kind.kind.endsWith('issuer'));
  if (!isShown) return unknown(kind, id);
  return accept({ value: kind.written(found.row), revision: found.revision });
}

async function planPut<K extends Registered>(
  kind: ObjectKind<K>,
  { id, body, onlyIf }: Given & { readonly id: string; readonly body: Written[K] },
  ports: DraftPorts,
): Plan {
  const { found } = await ports.store.load(tableOf(kind), id);
  const before = ifThere(kind, found?.row);
  const isOther = typeof onlyIf === 'number' && found?.revision !== onlyIf;
  if (isOther || (onlyIf === 'present' && !before)) return decline('changed-meanwhile', id);
  if (typeof onlyIf === 'number' && !before) return unknown(kind, id);
  if (onlyIf === 'absent' && before) return exists(kind, id);
  const known = new Map<string, RowOf[K]>(before ? [[id, before]] : []);
  if (kind.companion) {
    const row = ifThere(kind, (await ports.store.load(tableOf(kind), kind.companion.id)).found?.row);
    if (row) known.set(kind.companion.id, row);
  }
  const plan = await planChanges(kind, { wanted: { [id]: body }, known }, ports);
  const change = plan.ok ? plan.value.find((each) => each.id === id) : undefined;
  // Somebody may have changed it since it was loaded above.
  if (change && typeof onlyIf === 'number' && change.revision !== onlyIf) return decline('changed-meanwhile', id);
  return change?.does === 'change' && onlyIf === 'absent' ? exists(kind, id) : plan;
}

function unknown({ kind }: { readonly kind: Registered }, id: string) {
  return decline(`${kind}-unknown`, id);
}

function exists({ kind }: { readonly kind: Registered }, id: string) {
  return decline(kind === 'identity' ? 'user-name-taken' : `${kind}-exists`, id);
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
