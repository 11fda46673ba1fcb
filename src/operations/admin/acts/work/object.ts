// Everything registered as one document: exported, compared, and applied.
import { hash } from 'node:crypto';
import { type Identity, isLocal } from '../../../../core/identity.ts';
import type { Integration } from '../../../../core/integration.ts';
import type { ApprovedIssuer } from '../../../../core/issuer.ts';
import { accept } from '../../../../core/outcome.ts';
import type { Audience, ResourceServer } from '../../../../core/resource-server.ts';
import { comparableAudience } from '../../../../core/rules/audience.ts';
import type { TokenIssuer } from '../../../../core/token-issuer.ts';
import { flawOf, type Schema } from '../../../../schema.ts';
import { rows } from '../../../../store/pages.ts';
import { identities } from '../../../../store/tables/identities.ts';
import { type AdminOutcome, decline } from '../../admin.ts';
import { OBJECTS_SCHEMA, type Objects, type WrittenIntegration, type WrittenResourceServer } from '../../objects.ts';
import type { AdminRefusalReason } from '../../refusals.ts';
import { type ActPorts, answering } from '../act.ts';
import { keyOf } from './issuer.ts';
import { type AnyKind, type DraftPorts, present } from './kind.ts';
import { allKinds } from './kinds.ts';
import { applyPlan, type Plan, type PlannedChange, planChanges, shownChanges } from './plan.ts';

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
  for (const kind of await allKinds()) {
    const known = [...(await present(kind, ports))].map(([id, row]) => [id, withoutShown(kind, row)] as const);
    // Identities without groups are not written down.
    const entries = known.filter(([, { groups }]) => groups?.length !== 0).sort(([a], [b]) => (a < b ? -1 : 1));
    const named = entries.map(([id, body]) => [id, withNames(body, names)] as const);
    if (entries.length > 0) objects[kind.section] = Object.fromEntries(named);
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

type Written = Partial<WrittenIntegration & WrittenResourceServer> & { readonly groups?: readonly string[] };

function withNames(body: Written, names: ReadonlyMap<string, string>) {
  const { access, identity } = body;
  const nameOf = (id: string) => names.get(id) ?? id;
  return {
    ...body,
    ...(access?.to === 'named' && { access: { ...access, identities: access.identities.map(nameOf) } }),
    ...(identity && { identity: nameOf(identity) }),
  };
}

function withoutShown({ written, schema }: AnyKind, row: unknown): Written {
  const { properties } = schema as { properties: Record<string, { readOnly?: true }> };
  const isWritten = (name: string) => properties[name] !== undefined && !properties[name].readOnly;
  const fields = Object.entries(written(row)).filter(([name, value]) => value !== undefined && isWritten(name));
  return Object.fromEntries(fields);
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
    const planned = await planChanges(kind, { wanted, known: await present(kind, ports), prune }, { ...ports, found });
    if (!planned.ok) return planned;
    changes.push(...planned.value);
  }
  return whyNotTogether(changes) ?? accept(changes);
}

/** Only one of a document may have it. */
interface Claim {
  readonly of: string;
  readonly reason: AdminRefusalReason;
  readonly about: string;
}

const CLAIMS: Readonly<Record<string, (row: never) => readonly Claim[]>> = {
  integration: ({ clientId, removed }: Integration) => (removed ? [] : [idOfCaller(clientId), issOfCaller(clientId)]),
  'resource-server': ({ id, audience, removed }: ResourceServer) =>
    removed ? [] : [idOfCaller(id), ofApi(id, audience)],
  issuer: ({ label, certificate, enabled }: ApprovedIssuer) =>
    enabled ? [ofLabel(label), claim('key', keyOf(certificate), 'issuer-key-approved', label)] : [],
  'token-issuer': ({ label, issuer, enabled }: TokenIssuer) =>
    enabled ? [ofLabel(label), claim('iss', issuer, 'token-issuer-registered', label), issOfCaller(issuer)] : [],
};

function claim(what: string, value: string, reason: AdminRefusalReason, about: string): Claim {
  return { of: `${what} ${value}`, reason, about };
}

const ofApi = (id: string, audience: Audience) =>
  claim('audience', comparableAudience(audience), 'audience-taken', `the resource server ${id}`);
const ofLabel = (label: string) => claim('label', label, 'label-taken', label);
const idOfCaller = (id: string) => claim('id', id, 'client-id-of-resource-server', id);
const issOfCaller = (id: string) => claim('caller', id, 'client-id-of-token-issuer', id);

/** What the things of one document must not have in common. Each is compared with what is registered when it is planned; here, with the others. */
function whyNotTogether(changes: readonly PlannedChange[]): AdminOutcome<never> | undefined {
  const taken = new Map<string, Claim>();
  for (const { kind, next } of changes) {
    for (const each of CLAIMS[kind]?.(next as never) ?? []) {
      const other = taken.get(each.of);
      if (other) return decline(each.reason, other.about);
      taken.set(each.of, each);
    }
  }
  return undefined;
}
