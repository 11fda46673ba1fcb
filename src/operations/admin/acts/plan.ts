// What replacing things by their descriptions does, field by field; and doing it in one commit.
import { COMMAND_LINE, type Integration } from '../../../core/integration.ts';
import { accept } from '../../../core/outcome.ts';
import { MOST_ROWS } from '../../../store/store.ts';
import { grantsOf } from '../../../store/tables/grants.ts';
import { revokeAll } from '../../grant/revoke-grant.ts';
import { type AdminOutcome, decline } from '../admin.ts';
import { admitting } from '../change-integration.ts';
import type { ObjectChange, WrittenIntegration } from '../objects.ts';
import { changedBetween, type Planned, performAll, planned } from '../perform.ts';
import { type ActPorts, type AnyKind, complete, tableOf } from './act.ts';

export interface PlannedChange extends ObjectChange {
  /** With the revision of the row that it was planned for. */
  readonly act: Planned;
  /** That row; undefined for what is new. */
  readonly row?: unknown;
}

export interface PlanDraft {
  readonly wanted: Readonly<Record<string, object>>;
  /** What there is, by name. */
  readonly known: ReadonlyMap<string, unknown>;
  /** Remove what is not wanted. */
  readonly prune?: boolean;
}

export async function planChanges(
  kind: AnyKind,
  { wanted, known, prune = false }: PlanDraft,
  ports: ActPorts,
): Promise<AdminOutcome<readonly PlannedChange[]>> {
  const { section } = kind;
  const changes: PlannedChange[] = [];
  const owners = section === 'integrations' ? ownersIn(wanted) : [];
  for (const [id, given] of Object.entries(wanted)) {
    const resolved = await (kind.resolve?.(given, ports) ?? accept(given));
    if (!resolved.ok) return resolved;
    const body = id === COMMAND_LINE ? withGroups(resolved.value as WrittenIntegration, owners) : resolved.value;
    if (known.has(id) && Object.keys(fieldsOf(kind, id, body, known.get(id))).length === 0) continue;
    const { row, revision } = await newest(kind, known.get(id), ports);
    const act = await kind.put(id, complete(kind, id, body, row), row, ports);
    if (!act.ok) return act;
    const fields = fieldsOf(kind, id, body, row);
    const does = row === undefined ? 'create' : 'change';
    changes.push({ section, id, does, fields, row, act: { ...act.value, onlyIf: revision } });
  }
  if (!Object.hasOwn(wanted, COMMAND_LINE)) changes.push(...admissionOf(owners, known.get(COMMAND_LINE)));
  const unwanted = prune ? [...known].filter(([id]) => !Object.hasOwn(wanted, id)) : [];
  for (const [id, before] of unwanted) {
    const { row, revision } = await newest(kind, before, ports);
    const act = row === undefined ? undefined : kind.remove?.(row);
    if (act) changes.push({ section, id, does: 'remove', fields: {}, row, act: { ...act, onlyIf: revision } });
  }
  return accept(changes);
}

function fieldsOf(kind: AnyKind, id: string, body: object, row: unknown): ObjectChange['fields'] {
  const then = row === undefined ? {} : complete(kind, id, kind.written(row));
  return changedBetween(then, complete(kind, id, body, row)).changed;
}

/** The row as it is now, with its revision, if there is one. */
async function newest(kind: AnyKind, known: unknown, { store }: ActPorts) {
  const table = tableOf(kind);
  const { found } = known === undefined ? {} : await store.load(table, table.keyOf(known));
  return found && kind.isThere(found.row) ? found : { row: undefined, revision: undefined };
}

function ownersIn(wanted: PlanDraft['wanted']): readonly string[] {
  return [...new Set(Object.values(wanted).flatMap(({ owners = [] }: { owners?: readonly string[] }) => owners))];
}

function withGroups(body: WrittenIntegration, more: readonly string[]): WrittenIntegration {
  if (body.access?.to !== 'named') return body;
  return { ...body, access: { ...body.access, groups: [...new Set([...body.access.groups, ...more])] } };
}

/** Owners log in with the integration of the command line, so it admits them in the same commit. */
function admissionOf(owners: readonly string[], door: unknown): readonly PlannedChange[] {
  const access = (door as Integration | undefined)?.access;
  if (access?.to !== 'named' || owners.every((group) => access.groups.includes(group))) return [];
  const groups = [...new Set([...access.groups, ...owners])];
  const fields = changedBetween({ access }, { access: { ...access, groups } }).changed;
  const act = planned('integration', COMMAND_LINE, admitting(owners));
  return [{ section: 'integrations', id: COMMAND_LINE, does: 'change', fields, row: door, act }];
}

/** All of it, or nothing. */
export async function applyChanges(
  changes: readonly PlannedChange[],
  ports: ActPorts,
): Promise<AdminOutcome<readonly ObjectChange[]>> {
  if (changes.length > MOST_ROWS) return decline('object-malformed', `there are more than ${MOST_ROWS} changes`);
  const acts = changes.map(({ act }) => act);
  const done = acts.length > 0 ? await performAll(acts, ports) : accept([]);
  if (!done.ok) return done;
  await endGrantsOfRemoved(changes, ports);
  return accept(shownChanges(changes));
}

export function shownChanges(changes: readonly PlannedChange[]): readonly ObjectChange[] {
  return changes.map(({ section, id, does, fields }) => ({ section, id, does, fields }));
}

/** Such grants are refused already; they end so that lists do not show them. */
async function endGrantsOfRemoved(changes: readonly ObjectChange[], ports: ActPorts): Promise<void> {
  const removed = changes.filter(({ section, does }) => section === 'integrations' && does === 'remove');
  if (removed.length === 0) return;
  await ports.everyNodeKnows(); // until then a node may still issue a grant
  for (const { id } of removed) await revokeAll(grantsOf.integration(id), 'by-operator', ports);
}
