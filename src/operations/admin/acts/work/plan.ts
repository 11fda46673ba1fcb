// What replacing things by their descriptions does, field by field; and doing it in one commit.
import { COMMAND_LINE } from '../../../../core/integration.ts';
import { accept } from '../../../../core/outcome.ts';
import { endedBy } from '../../../../core/rules/endings.ts';
import { MOST_ROWS } from '../../../../store/store.ts';
import { endAll } from '../../../grant/end-all.ts';
import { type Acted, decline } from '../../admin.ts';
import type { ObjectChange, WrittenIntegration } from '../../objects.ts';
import { changedBetween, type PlannedRow, performPlan } from '../../perform.ts';
import type { ActPorts } from '../act.ts';
import { type AnyKind, complete, type DraftPorts, isThere, tableOf } from './kind.ts';

export type PlannedChange = ObjectChange & PlannedRow;
/** What a plan does, in one commit. */
export type Plan = Acted<readonly PlannedChange[]>;

export interface PlanDraft {
  readonly wanted: Readonly<Record<string, object>>;
  /** What there is, by name. */
  readonly known: ReadonlyMap<string, unknown>;
  /** Remove what is not wanted. */
  readonly prune?: boolean;
  /** What is left out stays as it is, instead of having its default. */
  readonly isPartial?: boolean;
}

export async function planChanges(
  kind: AnyKind,
  { wanted, known, prune = false, isPartial = false }: PlanDraft,
  given: DraftPorts,
): Plan {
  const ports = { found: new Map(), ...given };
  const ownersOf = ({ owners = [] }: { owners?: readonly string[] }) => owners;
  const owners = kind.kind === 'integration' ? Object.values(wanted).flatMap(ownersOf) : [];
  const bodyOf = (id: string, row: unknown): object => {
    const before = row !== undefined && (isPartial || !Object.hasOwn(wanted, id)) ? kind.written(row) : {};
    const body = { ...before, ...wanted[id] };
    return id === COMMAND_LINE ? withGroups(body as WrittenIntegration, owners) : body;
  };
  // Owners log in with the integration of the command line, so it admits them in the same commit. They do not admit themselves.
  const admitting = owners.length > 0 && known.has(COMMAND_LINE) && !given.isOwner ? [COMMAND_LINE] : [];
  const changes: PlannedChange[] = [];
  for (const id of new Set([...Object.keys(wanted), ...admitting])) {
    const change = await planned(kind, { id, known: known.get(id), bodyOf: (row) => bodyOf(id, row) }, ports);
    if (!change.ok) return change;
    if (change.value) changes.push(change.value);
  }
  const unwanted = prune ? [...known].filter(([id]) => !Object.hasOwn(wanted, id)) : [];
  for (const [id, row] of unwanted) changes.push(...(await removed(kind, id, row, ports)));
  return accept(changes);
}

function withGroups(body: WrittenIntegration, more: readonly string[]): WrittenIntegration {
  if (body.access?.to !== 'named') return body;
  return { ...body, access: { ...body.access, groups: [...new Set([...body.access.groups, ...more])] } };
}

interface Wanted {
  readonly id: string;
  /** The row as it was a moment ago. */
  readonly known: unknown;
  readonly bodyOf: (row: unknown) => object;
}

/** Undefined: it is so already. */
async function planned(kind: AnyKind, wanted: Wanted, ports: DraftPorts): Acted<PlannedChange | undefined> {
  const { id, known, bodyOf } = wanted;
  const early = await described(kind, id, bodyOf(known), known, ports);
  if (!early.ok) return early;
  if (known !== undefined && isEmpty(early.value.fields)) return accept(undefined);
  const { row, ...at } = await newest(kind, id, known, ports);
  const change = await described(kind, id, bodyOf(row), row, ports);
  if (!change.ok) return change;
  const { next, fields } = change.value;
  if (row !== undefined && isEmpty(fields)) return accept(undefined);
  const objection = await kind.objection?.(next, row, ports);
  if (objection) return objection;
  const does = row === undefined ? 'create' : 'change';
  const changed = () => kind.changed?.(row, next) ?? [{ did: 'changed', ...changedBetween(row ?? {}, next) }];
  const deeds = row === undefined ? [kind.made(next)] : changed();
  return accept({ section: kind.section, id, does, fields, kind: kind.kind, ...at, next, deeds });
}

function isEmpty(fields: object): boolean {
  return Object.keys(fields).length === 0;
}

/** The row that a body describes, and what differs from the one before. */
async function described(kind: AnyKind, id: string, body: object, before: unknown, ports: DraftPorts) {
  const next = await kind.drafted(id, complete(kind, id, body, before) as never, before, ports);
  if (!next.ok) return next;
  const then = before === undefined ? {} : complete(kind, id, kind.written(before));
  const { changed: fields } = changedBetween(then, complete(kind, id, kind.written(next.value)));
  return accept({ next: next.value, fields });
}

async function removed(kind: AnyKind, id: string, known: unknown, ports: DraftPorts): Promise<PlannedChange[]> {
  const { row, ...at } = await newest(kind, id, known, ports);
  const deed = row === undefined ? undefined : kind.removal?.(row);
  if (!deed) return [];
  const next = endedBy(kind.kind, row as never, deed as never, await ports.store.now());
  return [{ section: kind.section, id, does: 'remove', fields: {}, kind: kind.kind, ...at, next, deeds: [deed] }];
}

/** The row as it is now, if it counts; its key and its revision in any case. */
async function newest(kind: AnyKind, id: string, known: unknown, { store }: DraftPorts) {
  const table = tableOf(kind);
  const key = known === undefined ? id : table.keyOf(known);
  const { found } = await store.load(table, key);
  return { key, revision: found?.revision, row: isThere(kind, found?.row) ? (found?.row as object) : undefined };
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
