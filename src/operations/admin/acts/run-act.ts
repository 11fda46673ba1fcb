// Runs acts of the table beside the store, for commands and for the admin door.
import { COMMAND_LINE } from '../../../core/integration.ts';
import { accept } from '../../../core/outcome.ts';
import type { ActName, Gives } from '../act-formats.ts';
import type { Answered, Given } from '../act-table.ts';
import { type AdminOutcome, decline } from '../admin.ts';
import type { Section } from '../objects.ts';
import { type ActPorts, AFTERWARDS, type AnyKind, listRows, type Run, tableOf } from './act.ts';
import { applyChanges, planChanges } from './plan.ts';

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

export async function runAct<A extends ActName>(
  name: A,
  given: Given,
  ports: ActPorts,
): Promise<AdminOutcome<Answered<Gives[A]>>> {
  const [, kindName = '', verb = ''] = /^(resource-server|token-issuer|[a-z]+)-(.+)$/.exec(name) ?? [];
  const onlyIf = typeof given.onlyIf === 'number' ? given.onlyIf : undefined;
  if (kindName === 'object') {
    const { runObjects } = await import('./object.ts');
    return runObjects(verb, given, await allKinds(), ports) as never;
  }
  const { RUNS = {}, KIND } = (await MODULES[kindName]?.()) ?? {};
  const own = RUNS[name];
  if (own) {
    const done = await own(given, { ...ports, onlyIf });
    const isAfterwards = done.ok && done.value.value === AFTERWARDS;
    return isAfterwards ? (runAct(`${kindName}-show` as A, { id: given.id }, ports) as never) : done;
  }
  const run = GENERIC[verb];
  if (!run || !KIND) throw new Error(`there is no act ${name}`);
  return run(KIND, given, ports) as never;
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

type Generic = (kind: AnyKind, given: Given, ports: ActPorts) => Promise<AdminOutcome<Answered<unknown>>>;

const GENERIC: Readonly<Record<string, Generic>> = { list, show, put };

async function list(kind: AnyKind, { query = {} }: Given, { store }: ActPorts) {
  const { all } = query as { all?: boolean };
  return listRows(store, tableOf(kind), query, (row) => (all || kind.isThere(row) ? kind.written(row) : undefined));
}

async function show(kind: AnyKind, { id = '' }: Given, { store }: Pick<ActPorts, 'store'>) {
  const { found } = await store.load(tableOf(kind), id);
  // Issuers that were removed are shown: identities have their labels.
  const isShown = found && (kind.isThere(found.row) || kind.kind.endsWith('issuer'));
  return isShown ? accept({ value: kind.written(found.row), revision: found.revision }) : decline(kind.unknown, id);
}

/** What a plan for one thing compares with. */
export async function knownTo(
  kind: AnyKind,
  id: string,
  row: unknown,
  { store }: Pick<ActPorts, 'store'>,
): Promise<Map<string, unknown>> {
  const known = new Map<string, unknown>();
  if (row !== undefined && kind.isThere(row)) known.set(id, row);
  if (kind.kind !== 'integration' || id === COMMAND_LINE) return known;
  const { found } = await store.load(tableOf(kind), COMMAND_LINE);
  if (found && kind.isThere(found.row)) known.set(COMMAND_LINE, found.row);
  return known;
}

async function put(kind: AnyKind, given: Given, ports: ActPorts) {
  const { id = '', onlyIf } = given;
  const body = (given.body ?? {}) as object;
  const { found } = await ports.store.load(tableOf(kind), id);
  const isThere = found !== undefined && kind.isThere(found.row);
  const isOther = typeof onlyIf === 'number' && found?.revision !== onlyIf;
  if (isOther || (onlyIf === 'present' && !isThere)) return decline('changed-meanwhile', id);
  const known = await knownTo(kind, id, onlyIf === 'absent' ? undefined : found?.row, ports);
  const plan = await planChanges(kind, { wanted: { [id]: body }, known }, ports);
  if (!plan.ok) return plan;
  // The row must still be what the plan compared with.
  const revision = known.has(id) ? found?.revision : undefined;
  const done = await applyChanges(
    plan.value.map((change) => (change.id === id ? { ...change, act: { ...change.act, onlyIf: revision } } : change)),
    ports,
  );
  const isRace = !done.ok && done.refusal.reason === 'changed-meanwhile' && onlyIf === undefined;
  if (isRace) return put(kind, given, ports);
  return done.ok ? show(kind, given, ports) : done;
}
