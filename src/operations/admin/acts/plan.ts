// What replacing things by their descriptions does, field by field; and doing it in one commit.
import { COMMAND_LINE, type Integration } from '../../../core/integration.ts';
import { accept } from '../../../core/outcome.ts';
import { MOST_ROWS } from '../../../store/store.ts';
import { grantsOf } from '../../../store/tables/grants.ts';
import { revokeAll } from '../../grant/revoke-grant.ts';
import { type AdminOutcome, decline } from '../admin.ts';
import type { ObjectChange, WrittenIntegration } from '../objects.ts';
import { changedBetween, type Planned, performAll } from '../perform.ts';
import { type ActPorts, type AnyKind, complete } from './act.ts';

export interface PlannedChange extends ObjectChange {
  readonly act: Planned;
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
  const all = section === 'integrations' ? withOwners(kind, wanted, known) : wanted;
  for (const [id, given] of Object.entries(all)) {
    const resolved = await (kind.resolve?.(given, ports) ?? accept(given));
    if (!resolved.ok) return resolved;
    const before = known.get(id);
    const then = before === undefined ? {} : complete(kind, id, kind.written(before));
    const draft = complete(kind, id, resolved.value);
    const { changed: fields } = changedBetween(then, draft);
    if (before !== undefined && Object.keys(fields).length === 0) continue;
    const act = await kind.put(id, draft, before, ports);
    if (!act.ok) return act;
    changes.push({ section, id, does: before === undefined ? 'create' : 'change', fields, act: act.value });
  }
  const unwanted = prune ? [...known].filter(([id]) => !Object.hasOwn(wanted, id)) : [];
  for (const [id, row] of unwanted) {
    const act = kind.remove?.(row);
    if (act) changes.push({ section, id, does: 'remove', fields: {}, act });
  }
  return accept(changes);
}

/** Owners log in with the integration of the command line, so it admits them in the same commit. */
function withOwners(kind: AnyKind, wanted: PlanDraft['wanted'], known: PlanDraft['known']): PlanDraft['wanted'] {
  const bodies = Object.values(wanted) as WrittenIntegration[];
  const owners = [...new Set(bodies.flatMap(({ owners = [] }) => owners))];
  const row = known.get(COMMAND_LINE) as Integration | undefined;
  const door = (wanted[COMMAND_LINE] ?? (row && kind.written(row))) as WrittenIntegration | undefined;
  if (owners.length === 0 || door?.access?.to !== 'named') return wanted;
  const groups = [...new Set([...door.access.groups, ...owners])];
  return { ...wanted, [COMMAND_LINE]: { ...door, access: { ...door.access, groups } } };
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
