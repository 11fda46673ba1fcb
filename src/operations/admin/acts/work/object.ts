// Everything registered as one document: exported, compared, and applied.
import { hash } from 'node:crypto';
import { type Identity, isLocal } from '../../../../core/identity.ts';
import { accept } from '../../../../core/outcome.ts';
import { flawOf, type Schema } from '../../../../schema.ts';
import { rows } from '../../../../store/pages.ts';
import { identities } from '../../../../store/tables/identities.ts';
import { type AdminOutcome, decline } from '../../admin.ts';
import { OBJECTS_SCHEMA, type Objects } from '../../objects.ts';
import { type ActPorts, answering } from '../act.ts';
import type { Claim, DraftPorts } from './kind.ts';
import { allKinds } from './kinds.ts';
import { applyPlan, type Plan, type PlannedChange, shownChanges } from './plan.ts';

export async function planObjects(draft: ApplyDraft, ports: ActPorts) {
  return answering(await planOf(draft, ports), shown);
}

export async function applyObjects({ digest: seen, ...draft }: ApplyDraft, ports: ActPorts) {
  const planAsSeen = async () => {
    const made = await planOf(draft, ports);
    const isOther = made.ok && seen !== undefined && seen !== digestOf(made.value);
    return isOther ? decline('changed-meanwhile', 'what the plan was made for') : made;
  };
  return answering(await applyPlan(planAsSeen, ports), shown);
}

function shown(changes: readonly PlannedChange[]) {
  return { items: [...shownChanges(changes)], digest: digestOf(changes) };
}

/** Another one if the changes are others, or begin from other rows. */
function digestOf(changes: readonly PlannedChange[]): string {
  return hash('sha256', JSON.stringify([shownChanges(changes), changes.map(({ revision }) => revision ?? 0)]));
}

/** Without secrets, and without what is only shown. */
export async function exportObjects(ports: ActPorts): Promise<Objects> {
  const objects: Record<string, Record<string, object>> = {};
  const names = await namesOf(ports);
  const nameOf = (id: string) => names.get(id) ?? id;
  for (const { section, exportAll } of await allKinds()) {
    const entries = await exportAll(nameOf, ports);
    if (entries.length > 0) objects[section] = Object.fromEntries(entries);
  }
  return objects;
}

/** The user names of local identities, by id. Another installation has other ids. */
async function namesOf({ store }: ActPorts): Promise<ReadonlyMap<string, string>> {
  const local = (await Array.fromAsync(rows(store, identities))).filter(isLocal);
  const byName = Map.groupBy(local, ({ userName }) => userName);
  const isMeant = ({ userName }: Identity) => byName.get(userName)?.length === 1;
  return new Map(local.filter(isMeant).flatMap(({ id, userName }) => (userName === undefined ? [] : [[id, userName]])));
}

interface ApplyDraft {
  readonly objects: unknown;
  /** Of the plan that somebody has seen. */
  readonly digest?: string;
  readonly prune?: boolean;
}

async function planOf({ objects, prune = false }: ApplyDraft, ports: ActPorts): Plan {
  const flaw = flawOf(OBJECTS_SCHEMA as Schema, objects);
  if (flaw !== undefined) return decline('object-malformed', flaw);
  const changes: PlannedChange[] = [];
  const found: DraftPorts['found'] = new Map();
  for (const kind of await allKinds()) {
    const wanted = (objects as Objects)[kind.section];
    if (!wanted) continue;
    const planned = await kind.planAll(wanted, prune, { ...ports, found });
    if (!planned.ok) return planned;
    changes.push(...planned.value);
  }
  return whyNotTogether(changes) ?? accept(changes);
}

/** What the things of one document must not have in common. Each is compared with what is registered when it is planned; here, with the others. */
function whyNotTogether(changes: readonly PlannedChange[]): AdminOutcome<never> | undefined {
  const taken = new Map<string, Claim>();
  for (const each of changes.flatMap(({ claims }) => claims)) {
    const other = taken.get(each.of);
    if (other) return decline(each.reason, other.about);
    taken.set(each.of, each);
  }
  return undefined;
}
