// How every act on a registered thing is done: load it, decide, and commit the change with its event.
import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Act, Changed, DeedOf, EndingDeedOf, EndingKind, Fact } from '../../core/act.ts';
import { type ActEvent, acted } from '../../core/event.ts';
import { isLocal } from '../../core/identity.ts';
import type { Integration } from '../../core/integration.ts';
import { accept } from '../../core/outcome.ts';
import { endedBy, isRemoved, type RowOf } from '../../core/rules/endings.ts';
import { after, type EpochSeconds, seconds } from '../../core/time.ts';
import { Turns } from '../../directory/turns.ts';
import { REGISTERED } from '../../store/all-tables.ts';
import { byOneNode, type Lease } from '../../store/lease.ts';
import { type Decision, type Insert, type RowReferences, rowOf, type StorePort } from '../../store/store.ts';
import { leases } from '../../store/tables/leases.ts';
import { endAll } from '../grant/end-all.ts';
import { type Acted, type AdminOutcome, type AdminPorts, decline } from './admin.ts';
import { whyNotWithoutOperator } from './last-operator.ts';

/** What was decided: the next row, and what was done for the event. */
export interface Done<K extends EndingKind> {
  readonly next: RowOf[K];
  readonly deed: DeedOf<K>;
  /** What was done before, in the same commit. */
  readonly first?: DeedOf<K>;
}

type Decide<K extends EndingKind> = (row: RowOf[K] | undefined, at: EpochSeconds) => AdminOutcome<Done<K>>;

export function perform<K extends EndingKind>(
  kind: K,
  id: string,
  ports: AdminPorts,
  decide: Decide<K>,
): Acted<RowOf[K]> {
  const { store, by, onlyIf } = ports;
  return store.change(REGISTERED[kind], id, (found, at): Decision<RowOf[K], AdminOutcome<RowOf[K]>> => {
    if (onlyIf !== undefined && found?.revision !== onlyIf) return { outcome: decline('changed-meanwhile', id) };
    const decided = decide(found?.row, at);
    if (!decided.ok) return { outcome: decided };
    const { next, first, deed } = decided.value;
    const deeds = first === undefined ? [deed] : [first, deed];
    return { outcome: accept(next), next, events: eventsOf({ kind, key: id, deeds }, { at, by }) };
  });
}

export type Registered = 'integration' | 'resource-server' | 'issuer' | 'token-issuer' | 'identity';

/** Whether it counts: not removed. */
export const IS_THERE: { readonly [K in Registered]: (row: RowOf[K]) => boolean } = {
  integration: ({ removed }) => !removed,
  'resource-server': ({ removed }) => !removed,
  issuer: ({ enabled }) => enabled,
  'token-issuer': ({ enabled }) => enabled,
  identity: (row) => isLocal(row) && !isRemoved(row),
};

/** A thing that is there. */
export async function findThing<K extends Registered>(kind: K, id: string, { store }: StorePort): Acted<RowOf[K]> {
  const { found } = await store.load(REGISTERED[kind], id);
  return found && IS_THERE[kind](found.row) ? accept(found.row) : decline(`${kind}-unknown`, id);
}

/** Like `perform`, for a thing that is there. */
export function rewrite<K extends Registered>(
  kind: K,
  id: string,
  ports: AdminPorts,
  decide: (row: RowOf[K], at: EpochSeconds) => AdminOutcome<Done<K>>,
): Acted<RowOf[K]> {
  return perform(kind, id, ports, (row, at) =>
    row && IS_THERE[kind](row) ? decide(row, at) : decline(`${kind}-unknown`, id),
  );
}

/** A row of one kind, to be written together with others. */
export interface PlannedOf<K extends Registered> {
  readonly kind: K;
  /** The key of the row. */
  readonly key: string;
  /** The revision that it was planned for; undefined: there was no row. */
  readonly revision: number | undefined;
  readonly next: RowOf[K];
  /** For the events. */
  readonly deeds: readonly DeedOf<K>[];
  readonly inserts?: readonly Insert[];
}

export type PlannedRow = { readonly [K in Registered]: PlannedOf<K> }[Registered];

/** A row of one of the kinds: the compiler does not conclude that. */
export function planned<K extends Registered>(row: PlannedOf<K>): PlannedRow {
  return row as PlannedRow;
}

/** Names are unique across tables. An act that takes a name writes this lease; acts that checked one before check again. */
const NAMES = { name: 'names', lasts: seconds(60) };

/** One plan after another: a long one would be made again for each short one that is committed meanwhile. */
const TURNS = new Turns(1, 1_000);
/** Other nodes have turns of their own. An act that lost to them several times goes first: no node begins a plan meanwhile. */
const FIRST: Lease = { name: 'names-first', lasts: seconds(10), endsWithWork: true };
const LOST = 3;
const PAUSE_MS = 50;

type Plan<P> = () => Acted<readonly P[]>;
type PlanPorts = Pick<AdminPorts, 'store' | 'by'>;

/** Commits all rows of a plan, or none. It is made again if one of them, or the names that are taken, changed meanwhile. */
export function performPlan<P extends PlannedRow>(plan: Plan<P>, ports: PlanPorts): ReturnType<Plan<P>> {
  return TURNS.run(async () => {
    let done: Awaited<ReturnType<Plan<P>>> | undefined;
    for (let lost = 0; !done && lost < LOST; lost++) {
      while (await isAnotherFirst(ports)) await sleep(PAUSE_MS);
      done = await attempt(plan, ports);
    }
    const untilDone = async () => {
      while (!done) done = await attempt(plan, ports);
    };
    while (!done) if (!(await byOneNode(FIRST, untilDone, ports))) await sleep(PAUSE_MS);
    return done;
  });
}

async function isAnotherFirst({ store }: PlanPorts): Promise<boolean> {
  const { found, now } = await store.load(leases, FIRST.name);
  // One that ends later than one taken now comes from a clock that has since been set back.
  return found !== undefined && now < found.row.endsAt && found.row.endsAt <= after(now, FIRST.lasts);
}

/** Undefined: something changed meanwhile. */
async function attempt<P extends PlannedRow>(plan: Plan<P>, ports: PlanPorts) {
  const { found: names, now } = await ports.store.load(leases, NAMES.name);
  const planned = await plan();
  if (!planned.ok || planned.value.length === 0) return planned;
  const people = planned.value.flatMap((each) => (each.kind === 'identity' ? [each.next] : []));
  const objection = await whyNotWithoutOperator(people, ports);
  if (objection) return objection;
  await endFormer(planned.value, now, ports);
  return (await commit(planned.value, names?.revision, ports)) ? planned : undefined;
}

/** What a removal that was interrupted has left of the former integration with this client id: it would work again. */
async function endFormer(planned: readonly PlannedRow[], until: EpochSeconds, ports: PlanPorts): Promise<void> {
  for (const row of planned.filter(isAgain)) await endAll({ clientId: row.key }, 'by-operator', ports, { until });
}

/** An integration whose client id was registered before. */
function isAgain(row: PlannedRow): row is PlannedOf<'integration'> {
  const { kind, revision, deeds } = row;
  return kind === 'integration' && revision !== undefined && deeds.some(({ did }) => did === 'registered');
}

/** A node that has not learned of the removal may still make codes: they are of another registration. */
function numbered(row: PlannedRow, former: Partial<Integration> | undefined): PlannedRow['next'] {
  return isAgain(row) ? { ...row.next, registration: (former?.registration ?? 1) + 1 } : row.next;
}

function referenceTo<K extends Registered>(kind: K, key: string) {
  return rowOf(REGISTERED[kind], key);
}

function commit(planned: readonly PlannedRow[], names: number | undefined, { store, by }: PlanPorts): Promise<boolean> {
  const rows: RowReferences = [...planned.map(({ kind, key }) => referenceTo(kind, key)), rowOf(leases, NAMES.name)];
  return store.changeAll(rows, (found, at): Decision<unknown[], boolean> => {
    const expected = [...planned.map(({ revision }) => revision), names];
    if (expected.some((revision, place) => found[place]?.revision !== revision)) return { outcome: false };
    return {
      outcome: true,
      next: [
        ...planned.map((each, place) => numbered(each, found[place]?.row)),
        { name: NAMES.name, endsAt: after(at, NAMES.lasts) },
      ],
      inserts: planned.flatMap(({ inserts = [] }) => inserts),
      events: planned.flatMap((row) => eventsOf(row, { at, by })),
    };
  });
}

function eventsOf<K extends EndingKind>(
  { kind, key, deeds }: { readonly kind: K; readonly key: string; readonly deeds: readonly DeedOf<K>[] },
  when: Parameters<typeof acted>[1],
): ActEvent[] {
  return deeds.map((deed) => acted({ kind, id: key, ...deed } as Act, when));
}

/** The decision to end a thing, as rules/endings.ts has it. */
export function ending<K extends EndingKind>(kind: K, row: RowOf[K], deed: EndingDeedOf<K>, at: EpochSeconds) {
  return accept<Done<K>>({ next: endedBy(kind, row, deed, at), deed });
}

/** What differs, field by field. Long texts and bytes are given by their SHA-256. */
export function changedBetween(before: object, after: object): Changed {
  const [old, young] = [before, after] as Readonly<Record<string, unknown>>[];
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const facts = (name: string) => ({ ...factOf('before', old?.[name]), ...factOf('after', young?.[name]) });
  const fields = names.map((name) => [name, facts(name)] as const);
  return { changed: Object.fromEntries(fields.filter(([, { before, after }]) => !isDeepStrictEqual(before, after))) };
}

function factOf(moment: 'before' | 'after', value: unknown): { readonly before?: Fact; readonly after?: Fact } {
  return value === undefined ? {} : { [moment]: printable(value) };
}

const LONGEST = 1_000;

function printable(value: unknown): Fact {
  if (value instanceof Uint8Array) return digest(value);
  if (typeof value === 'string') return value.length > LONGEST ? digest(value) : value;
  if (Array.isArray(value)) return value.map(printable);
  if (typeof value !== 'object' || value === null) return value as Fact;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => (member === undefined ? [] : [[name, printable(member)]])),
  );
}

function digest(value: Uint8Array | string): string {
  return `sha256:${hash('sha256', value)}`;
}
