// Everything registered as one document: exported, compared, and applied in one commit.
import { accept } from '../../core/outcome.ts';
import { flawOf } from '../../schema.ts';
import { rows } from '../../store/pages.ts';
import { MOST_ROWS } from '../../store/store.ts';
import type { Table } from '../../store/table.ts';
import { grantsOf } from '../../store/tables/grants.ts';
import { REGISTERED } from '../../store/tables/registered.ts';
import { revokeAll } from '../grant/revoke-grant.ts';
import type { ActPorts } from './acts/act.ts';
import { admitOwners } from './acts/integration.ts';
import { type AdminOutcome, type AdminPorts, decline } from './admin.ts';
import { isKept, OBJECT_KINDS, type ObjectKind } from './object-kinds.ts';
import { type ObjectChange, type Objects, SECTIONS, type Section } from './objects.ts';
import { changedBetween, type Planned, performAll } from './perform.ts';

interface PlannedChange extends ObjectChange {
  readonly act: Planned;
}

export interface ApplyDraft {
  readonly objects: unknown;
  /** Remove what the sections of the document do not have. */
  readonly prune: boolean;
}

const TABLES = {
  integrations: REGISTERED.integration,
  resourceServers: REGISTERED['resource-server'],
  issuers: REGISTERED.issuer,
  tokenIssuers: REGISTERED['token-issuer'],
  identities: REGISTERED.identity,
} as const;

type AnyKind = ObjectKind<unknown>;

function kindOf(section: Section): AnyKind {
  return OBJECT_KINDS[section] as unknown as AnyKind;
}

async function present(section: Section, { store }: Pick<AdminPorts, 'store'>): Promise<Map<string, unknown>> {
  const { isThere, keyOf } = kindOf(section);
  const found = await Array.fromAsync(rows(store, TABLES[section] as Table<unknown>));
  // Identities that are named need not have groups yet.
  const counted = section === 'identities' ? found : found.filter(isThere);
  return new Map(counted.map((row) => [keyOf(row), row]));
}

/** Without secrets, and without what is only shown. */
export async function exportObjects(ports: Pick<AdminPorts, 'store'>): Promise<Objects> {
  const exported: Record<string, Record<string, object>> = {};
  for (const section of SECTIONS) {
    const { written, schema, isThere } = kindOf(section);
    const known = [...(await present(section, ports))].filter(([, row]) => isThere(row));
    const entries = known.map(([id, row]) => [id, withoutShown(written(row), schema)] as const);
    if (entries.length > 0) exported[section] = Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
  }
  return exported;
}

function withoutShown(body: object, schema: unknown): object {
  const { properties } = schema as { properties: Record<string, { readOnly?: true }> };
  return Object.fromEntries(
    Object.entries(body).filter(([name, value]) => value !== undefined && !properties[name]?.readOnly),
  );
}

/** What applying the document would do. */
export async function planObjects(draft: ApplyDraft, ports: ActPorts): Promise<AdminOutcome<readonly ObjectChange[]>> {
  const plan = await planOf(draft, ports);
  return plan.ok ? accept(plan.value.map(withoutAct)) : plan;
}

/** All of it, or nothing. */
export async function applyObjects(draft: ApplyDraft, ports: ActPorts): Promise<AdminOutcome<readonly ObjectChange[]>> {
  const plan = await planOf(draft, ports);
  if (!plan.ok) return plan;
  if (plan.value.length > MOST_ROWS) return decline('object-malformed', `there are more than ${MOST_ROWS} changes`);
  if (plan.value.length > 0) {
    const done = await performAll(
      plan.value.map(({ act }) => act),
      ports,
    );
    if (!done.ok) return done;
  }
  const owners = plan.value.flatMap(({ fields }) => (fields['owners']?.after ?? []) as readonly string[]);
  await admitOwners([...new Set(owners)], ports);
  await endGrantsOfRemoved(plan.value, ports);
  return accept(plan.value.map(withoutAct));
}

function withoutAct(planned: PlannedChange): ObjectChange {
  const { act: _, ...change } = planned;
  return change;
}

/** Such grants are refused already; they end so that lists do not show them. */
async function endGrantsOfRemoved(changes: readonly ObjectChange[], ports: ActPorts): Promise<void> {
  const removed = changes.filter(({ section, does }) => section === 'integrations' && does === 'remove');
  if (removed.length === 0) return;
  await ports.everyNodeKnows(); // until then a node may still issue a grant
  for (const { id } of removed) await revokeAll(grantsOf.integration(id), 'by-operator', ports);
}

async function planOf(
  { objects, prune }: ApplyDraft,
  ports: ActPorts,
): Promise<AdminOutcome<readonly PlannedChange[]>> {
  const read = readObjects(objects);
  if (!read.ok) return read;
  const changes: PlannedChange[] = [];
  for (const section of SECTIONS) {
    const wanted = read.value[section];
    if (!wanted) continue;
    const planned = await planSection(section, wanted, prune, ports);
    if (!planned.ok) return planned;
    changes.push(...planned.value);
  }
  return accept(changes);
}

async function planSection(
  section: Section,
  wanted: Readonly<Record<string, object>>,
  prune: boolean,
  ports: ActPorts,
): Promise<AdminOutcome<readonly PlannedChange[]>> {
  const { resolve, complete, written, put, remove, isThere } = kindOf(section);
  const known = await present(section, ports);
  const changes: PlannedChange[] = [];
  for (const [id, given] of Object.entries(wanted)) {
    const resolved = resolve ? await resolve(given as never, ports) : accept(given);
    if (!resolved.ok) return resolved;
    const body = resolved.value;
    const before = known.get(id);
    const then = before === undefined ? {} : complete(id, written(before) as never);
    const { changed: fields } = changedBetween(then, complete(id, body as never));
    if (before !== undefined && Object.keys(fields).length === 0) continue;
    const act = await put(id, body as never, before, ports);
    if (!act.ok) return act;
    changes.push({ section, id, does: before === undefined ? 'create' : 'change', fields, act: act.value });
  }
  if (!prune || !remove) return accept(changes);
  for (const [id, row] of known) {
    if (isThere(row) && !Object.hasOwn(wanted, id) && !isKept(id))
      changes.push({ section, id, does: 'remove', fields: {}, act: remove(row) });
  }
  return accept(changes);
}

/** Each must name something else: the store compares new ones with what it has, not with each other. */
const UNIQUE = { resourceServers: 'audience', tokenIssuers: 'issuer', issuers: 'pem' } as const;

function readObjects(given: unknown): AdminOutcome<Objects> {
  const flaw = flawIn(given);
  if (flaw !== undefined) return decline('object-malformed', flaw);
  const objects = given as Objects;
  for (const [section, field] of Object.entries(UNIQUE)) {
    const bodies = Object.values(objects[section as Section] ?? {}) as Record<string, unknown>[];
    const values = bodies.map((body) => body[field]);
    const twice = values.findIndex((value, at) => values.indexOf(value) < at);
    if (twice >= 0) return decline('object-malformed', `two of ${section} have the same ${field}`);
  }
  return accept(objects);
}

function flawIn(given: unknown): string | undefined {
  if (!isObject(given)) return 'the document is not an object';
  for (const [section, bodies] of Object.entries(given)) {
    if (!isSection(section)) return `${section} is not a known section; there are ${SECTIONS.join(', ')}`;
    if (!isObject(bodies)) return `${section} is not an object`;
    for (const [id, body] of Object.entries(bodies)) {
      const flaw = flawOf(kindOf(section).schema, body, `${section}.${id}`);
      if (flaw !== undefined) return flaw;
    }
  }
  return undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isSection(text: string): text is Section {
  return SECTIONS.some((section) => section === text);
}
