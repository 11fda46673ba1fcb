// What replacing things by their descriptions does, field by field; and doing it in one commit.
import { accept } from '../../../../core/outcome.ts';
import { endedBy, type RowOf } from '../../../../core/rules/endings.ts';
import { flawOf, strictly } from '../../../../schema.ts';
import { MOST_ROWS } from '../../../../store/store.ts';
import { endAll } from '../../../grant/end-all.ts';
import { type Acted, decline } from '../../admin.ts';
import type { ObjectChange, Written } from '../../objects.ts';
import { changedBetween, type PlannedRow, performPlan, planned, type Registered } from '../../perform.ts';
import type { ActPorts } from '../act.ts';
import { type Claim, complete, type DraftPorts, ifThere, type ObjectKind, tableOf } from './kind.ts';

export type PlannedChange = ObjectChange &
  PlannedRow & {
    /** The thing as it is shown afterwards. */
    readonly shown: object;
    readonly claims: readonly Claim[];
  };
/** What a plan does, in one commit. */
export type Plan = Acted<readonly PlannedChange[]>;

export interface PlanDraft<K extends Registered> {
  readonly wanted: Readonly<Record<string, Partial<Written[K]>>>;
  /** What there is, by name. */
  readonly known: ReadonlyMap<string, RowOf[K]>;
  /** Remove what is not wanted. */
  readonly prune?: boolean;
  /** What is left out stays as it is, instead of having its default. */
  readonly isPartial?: boolean;
}

export async function planChanges<K extends Registered>(
  kind: ObjectKind<K>,
  { wanted, known, prune = false, isPartial = false }: PlanDraft<K>,
  given: DraftPorts,
): Plan {
  const ports = { found: new Map(), ...given };
  const { id: companion, changedWith } = kind.companion ?? {};
  const changeCompanion = changedWith?.(Object.values(wanted));
  const bodyOf = (id: string, row: RowOf[K] | undefined): Partial<Written[K]> => {
    const before = row !== undefined && (isPartial || !Object.hasOwn(wanted, id)) ? kind.written(row) : undefined;
    const body: Partial<Written[K]> = Object.assign({}, before, wanted[id]);
    return changeCompanion && id === companion ? changeCompanion(body) : body;
  };
  const ids = new Set(Object.keys(wanted));
  if (changeCompanion && companion !== undefined && known.has(companion) && !given.isOwner) ids.add(companion);
  const changes: PlannedChange[] = [];
  for (const id of ids) {
    const change = await plannedPut(kind, { id, known: known.get(id), bodyOf: (row) => bodyOf(id, row) }, ports);
    if (!change.ok) return change;
    if (change.value) changes.push(change.value);
  }
  const unwanted = prune ? [...known].filter(([id]) => !Object.hasOwn(wanted, id)) : [];
  for (const [id, row] of unwanted) changes.push(...(await plannedRemoval(kind, id, row, ports)));
  return accept(changes);
}

interface Wanted<K extends Registered> {
  readonly id: string;
  /** The row as it was a moment ago. */
  readonly known: RowOf[K] | undefined;
  readonly bodyOf: (row: RowOf[K] | undefined) => Partial<Written[K]>;
}

/** Undefined: it is so already. */
async function plannedPut<K extends Registered>(
  kind: ObjectKind<K>,
  { id, known, bodyOf }: Wanted<K>,
  ports: DraftPorts,
): Acted<PlannedChange | undefined> {
  const early = await described(kind, id, bodyOf(known), known, ports);
  if (!early.ok) return early;
  if (known !== undefined && isEmpty(early.value.fields)) return accept(undefined);
  const { row, ...at } = await newest(kind, id, known, ports);
  const change = await described(kind, id, bodyOf(row), row, ports);
  if (!change.ok) return change;
  const { next, shown, fields } = change.value;
  if (row !== undefined && isEmpty(fields)) return accept(undefined);
  const objection = await kind.objection?.(next, row, ports);
  if (objection) return objection;
  const does = row === undefined ? 'create' : 'change';
  const deeds = row === undefined ? [kind.made(next)] : kind.changed(row, next);
  const claims = kind.claims?.(next) ?? [];
  return accept({ section: kind.section, id, does, fields, shown, claims, ...planned({ ...at, next, deeds }) });
}

function isEmpty(fields: object): boolean {
  return Object.keys(fields).length === 0;
}

/** The row that a body describes, and what differs from the one before. */
async function described<K extends Registered>(
  kind: ObjectKind<K>,
  id: string,
  body: Partial<Written[K]>,
  before: RowOf[K] | undefined,
  ports: DraftPorts,
) {
  const whole = complete(kind, id, body, before);
  const next = await kind.drafted(id, whole, before, ports);
  if (!next.ok) return next;
  // What a draft refuses, it says in better words; what it has let pass is refused as published.
  const flaw = flawOf(strictly(kind.schema), JSON.parse(JSON.stringify(whole)));
  if (flaw !== undefined) return decline('object-malformed', flaw);
  const shown = kind.written(next.value);
  const then = before === undefined ? {} : complete(kind, id, kind.written(before));
  return accept({ next: next.value, shown, fields: changedBetween(then, complete(kind, id, shown)).changed });
}

async function plannedRemoval<K extends Registered>(
  kind: ObjectKind<K>,
  id: string,
  known: RowOf[K],
  ports: DraftPorts,
): Promise<PlannedChange[]> {
  const { row, ...at } = await newest(kind, id, known, ports);
  const deed = row && kind.removal(row);
  if (!row || !deed) return [];
  const next = endedBy(kind.kind, row, deed, await ports.store.now());
  const change = planned<K>({ ...at, next, deeds: [deed] });
  return [{ section: kind.section, id, does: 'remove', fields: {}, shown: {}, claims: [], ...change }];
}

/** The row as it is now, if it counts; its key and its revision in any case. */
async function newest<K extends Registered>(
  kind: ObjectKind<K>,
  id: string,
  known: RowOf[K] | undefined,
  { store }: DraftPorts,
) {
  const table = tableOf(kind);
  const key = known === undefined ? id : table.keyOf(known);
  const { found } = await store.load(table, key);
  return { kind: kind.kind, key, revision: found?.revision, row: ifThere(kind, found?.row) };
}

/** All of it, or nothing. */
export async function applyPlan(plan: () => Plan, ports: ActPorts): Plan {
  const done = await performPlan(async () => {
    const made = await plan();
    const isTooLong = made.ok && made.value.length >= MOST_ROWS;
    return isTooLong ? decline('object-malformed', `there are ${MOST_ROWS} changes, or more`) : made;
  }, ports);
  if (done.ok) await endAllOfRemoved(done.value, ports);
  return done;
}

export function shownChanges(changes: readonly PlannedChange[]): readonly ObjectChange[] {
  return changes.map(({ section, id, does, fields }) => ({ section, id, does, fields }));
}

/** Their client ids may be registered again, and lists must not show such grants. */
async function endAllOfRemoved(changes: readonly ObjectChange[], ports: ActPorts): Promise<void> {
  const removed = changes.filter(({ section, does }) => section === 'integrations' && does === 'remove');
  if (removed.length === 0) return;
  await ports.everyNodeKnows(); // until then a node may still issue a grant
  for (const { id } of removed) await endAll({ clientId: id }, 'by-operator', ports);
}
