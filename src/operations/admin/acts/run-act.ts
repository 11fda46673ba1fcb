// Runs acts of the table beside the store, for commands and for the admin door.

import { COMMAND_LINE } from '../../../core/integration.ts';
import { accept } from '../../../core/outcome.ts';
import type { StorePort } from '../../../store/store.ts';
import type { ActName, Gives } from '../act-formats.ts';
import type { Answered, Given } from '../act-table.ts';
import { type Acted, type AdminPorts, decline } from '../admin.ts';
import type { Section } from '../objects.ts';
import { ending, performPlan, type Registered, rewrite } from '../perform.ts';
import {
  type ActPorts,
  AFTERWARDS,
  type AnyKind,
  answering,
  type DraftPorts,
  isThere,
  listRows,
  type Run,
  tableOf,
} from './act.ts';
import { type Plan, planChanges } from './plan.ts';

type Runs = { readonly [A in ActName]?: Run<A> };
type Loaded = { readonly RUNS?: Runs; readonly KIND?: AnyKind };

/** Loaded when one of their acts is done. */
const MODULES: Readonly<Record<string, () => Promise<Loaded>>> = {
  integration: () => import('./integration.ts'),
  'resource-server': () => import('./resource-server.ts'),
  issuer: () => import('./issuer.ts'),
  'token-issuer': () => import('./token-issuer.ts'),
  identity: () => import('./identity.ts'),
  grant: () => import('./grant.ts'),
  event: () => import('./event.ts'),
  node: () => import('./event.ts'),
  refusal: () => import('./event.ts'),
  explain: () => import('./explain.ts'),
};

const KIND_OF: Readonly<Record<Section, string>> = {
  integrations: 'integration',
  resourceServers: 'resource-server',
  issuers: 'issuer',
  tokenIssuers: 'token-issuer',
  identities: 'identity',
};

export async function runAct<A extends ActName>(name: A, given: Given, ports: ActPorts): Acted<Answered<Gives[A]>> {
  const [, kindName = '', verb = ''] = /^(resource-server|token-issuer|[a-z]+)-(.+)$/.exec(name) ?? [];
  const onlyIf = typeof given.onlyIf === 'number' ? given.onlyIf : undefined;
  if (kindName === 'object') {
    const { runObjects } = await import('./object.ts');
    return runObjects(verb, given, await allKinds(), ports) as never;
  }
  const { RUNS = {}, KIND } = (await MODULES[kindName]?.()) ?? {};
  const own = RUNS[name];
  if (own) {
    const checked = { ...given, id: given.id ?? '', query: given.query ?? {} };
    const done = await own(checked as never, { ...ports, onlyIf });
    const isAfterwards = done.ok && done.value.value === AFTERWARDS;
    return isAfterwards ? (runAct(`${kindName}-show` as A, { id: given.id }, ports) as never) : done;
  }
  const run = GENERIC[verb];
  if (!run || !KIND) throw new Error(`there is no act ${name}`);
  return run(KIND, given, { ...ports, onlyIf }) as never;
}

export async function kindOf(section: Section): Promise<AnyKind> {
  const { KIND } = (await MODULES[KIND_OF[section]]?.()) ?? {};
  if (!KIND) throw new Error(`there is no section ${section}`);
  return KIND;
}

async function allKinds(): Promise<readonly AnyKind[]> {
  const loaded = await Promise.all(Object.values(KIND_OF).map(async (kind) => MODULES[kind]?.()));
  return loaded.flatMap((each) => each?.KIND ?? []);
}

type Generic = (kind: AnyKind, given: Given, ports: ActPorts) => Acted<Answered<unknown>>;

const GENERIC: Readonly<Record<string, Generic>> = { list, show, put, remove };

async function list(kind: AnyKind, { query = {} }: Given, { store }: ActPorts) {
  const { all } = query as { all?: boolean };
  return listRows(store, tableOf(kind), query, (row) => (all || isThere(kind, row) ? kind.written(row) : undefined));
}

async function show(kind: AnyKind, { id = '' }: Given, { store }: StorePort) {
  const { found } = await store.load(tableOf(kind), id);
  // Issuers that were removed are shown: identities have their labels.
  const isShown = found && (isThere(kind, found.row) || kind.kind.endsWith('issuer'));
  if (!isShown) return unknown(kind, id);
  return accept({ value: kind.written(found.row), revision: found.revision });
}

async function put(kind: AnyKind, given: Given, ports: ActPorts) {
  const done = await performPlan(() => planPut(kind, given, ports), ports);
  if (!done.ok) return done;
  const isNew = done.value.some(({ id, does }) => id === given.id && does === 'create');
  const shown = await show(kind, given, ports);
  return shown.ok ? accept({ ...shown.value, isNew }) : shown;
}

async function remove(kind: AnyKind, { id = '', query = {} }: Given, ports: ActPorts) {
  const { confirmed } = query as { confirmed?: boolean };
  const removed = await rewrite(kind.kind as Registered, id, ports, (row, at) =>
    confirmed || !kind.unconfirmed
      ? ending(kind.kind, row, kind.removal?.(row) as never, at)
      : decline(kind.unconfirmed, id),
  );
  return answering(removed, () => ({ id }));
}

/** Makes a thing; refused if it exists. */
export async function make(section: Section, id: string, body: object, ports: DraftPorts & AdminPorts): Acted<unknown> {
  const kind = await kindOf(section);
  return performPlan(() => planPut(kind, { id, body, onlyIf: 'absent' }, ports), ports);
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
