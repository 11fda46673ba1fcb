// What the acts of the table have in common.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Author, DeedOf, EndingDeedOf } from '../../../core/act.ts';
import { accept, type Refused } from '../../../core/outcome.ts';
import type { Presenter } from '../../../core/presenter.ts';
import type { RowOf } from '../../../core/rules/endings.ts';
import { completed, type Schema } from '../../../schema.ts';
import { REGISTERED } from '../../../store/all-tables.ts';
import { rows } from '../../../store/pages.ts';
import type { Store, StorePort } from '../../../store/store.ts';
import type { Table } from '../../../store/table.ts';
import { portsOfRequest, type Random, type TokenPorts } from '../../ports.ts';
import type { ActName, Gives, Listed, Takes } from '../act-formats.ts';
import type { Answered, Given } from '../act-table.ts';
import type { Acted, AdminOutcome, AdminPorts, AdminRefusal } from '../admin.ts';
import type { KnownIdentities } from '../find-identity.ts';
import type { Section } from '../objects.ts';
import { IS_THERE, type Registered } from '../perform.ts';
import type { AdminRefusalReason } from '../refusals.ts';

export interface ActPorts extends AdminPorts, Pick<TokenPorts, 'unwrittenRefusals'> {
  readonly random: Random;
  /** The public address of the service. */
  readonly issuer: string;
  /** Waits until every node has learned of a change. */
  readonly everyNodeKnows: () => Promise<unknown>;
  /** What requests of callers are judged with, for dry runs. */
  readonly callerPorts: () => Promise<TokenPorts>;
  /** The contents of a file that a command names. Absent where a request names it: it must not choose files to read. */
  readonly readFile?: (path: string) => Uint8Array;
}

/** Nodes read what is registered again every 0.4 seconds. */
const EVERYWHERE_MS = 1_000;

/** For acts by one request: their events say who did it, from where, and by which request. */
export function actPortsOf(
  request: { readonly id: string; readonly presenter: Presenter; readonly by: Author },
  callerPorts: TokenPorts,
  issuer: string,
): ActPorts {
  const { random, unwrittenRefusals } = callerPorts;
  return {
    store: portsOfRequest(callerPorts, request.id, request.presenter).store,
    by: request.by,
    random,
    unwrittenRefusals,
    issuer,
    everyNodeKnows: () => sleep(EVERYWHERE_MS),
    callerPorts: async () => callerPorts,
  };
}

/** Query and body are as their schemas say. An act of no thing in particular has the empty id. */
type Checked<A extends ActName> = Takes<A> & Pick<Given, 'onlyIf'> & { readonly id: string };

export type Run<A extends ActName> = (given: Checked<A>, ports: ActPorts) => Acted<Answered<Gives[A]>>;

/** The acts of one kind, such as `integration`. */
export type RunsOf<Kind extends string> = { readonly [A in Extract<ActName, `${Kind}-${string}`>]?: Run<A> };

/** A kind of things that files describe and requests replace. `Body`: as requests, answers and files have them. */
export interface ObjectKind<K extends Registered, Body extends object> {
  readonly kind: K;
  readonly section: Section;
  readonly schema: Schema<Body>;
  /** What it is called in files and requests. */
  readonly keyOf: (row: RowOf[K]) => string;
  readonly written: (row: RowOf[K]) => Body;
  /** What has no fixed default. */
  readonly complete?: (id: string, body: Body) => object;
  /** The row that a body with every field describes. What a body cannot say stays as it was before. */
  readonly drafted: (
    id: string,
    body: Required<Body>,
    before: RowOf[K] | undefined,
    ports: DraftPorts,
  ) => AdminOutcome<RowOf[K]> | Acted<RowOf[K]>;
  /** Why what else is registered does not allow it. */
  readonly objection?: (next: RowOf[K], before: RowOf[K] | undefined, ports: DraftPorts) => Promise<Objection>;
  /** For the event. */
  readonly made: (next: RowOf[K]) => DeedOf<K>;
  /** The same, if not just all that differs. */
  readonly changed?: (before: RowOf[K], next: RowOf[K]) => readonly DeedOf<K>[];
  /** The same; undefined: files never remove it. */
  readonly removal?: (row: RowOf[K]) => EndingDeedOf<K> | undefined;
  /** Why a request does not remove it without a confirmation. */
  readonly unconfirmed?: AdminRefusalReason;
}

type Objection = Refused<AdminRefusal> | undefined;

/** What drafts are made and checked with. */
export type DraftPorts = Pick<ActPorts, 'store' | 'issuer' | 'readFile' | 'isOwner'> & {
  /** Identities that this plan has found: a document may name one in every integration. */
  readonly found?: KnownIdentities;
};

// biome-ignore lint/suspicious/noExplicitAny: each kind has its own row, which only its own functions read
export type AnyKind = ObjectKind<any, any>;

export function tableOf({ kind }: AnyKind): Table<unknown> {
  return REGISTERED[kind as keyof RowOf] as Table<unknown>;
}

export function isThere({ kind }: AnyKind, row: unknown): boolean {
  return row !== undefined && IS_THERE[kind as Registered](row as never);
}

/** Every field that can be given, for comparisons and drafts. What is disabled stays so, unless the body says that it is enabled. */
export function complete({ schema, complete: fill, written }: AnyKind, id: string, body: object, before?: unknown) {
  const { enabled = true } = before === undefined ? {} : written(before);
  return completed(schema, { enabled, ...body, ...fill?.(id, body) });
}

/** All that counts, by name. */
export async function present(kind: AnyKind, { store }: StorePort): Promise<Map<string, unknown>> {
  const found = await Array.fromAsync(rows(store, tableOf(kind)));
  return new Map(found.filter((row) => isThere(kind, row)).map((row) => [kind.keyOf(row), row]));
}

export function answer<T>(value: T): { readonly ok: true; readonly value: Answered<T> } {
  return accept({ value });
}

/** Maps the value of an outcome. */
export function answering<T, U>(outcome: AdminOutcome<T>, write: (value: T) => U): AdminOutcome<Answered<U>> {
  return outcome.ok ? answer(write(outcome.value)) : outcome;
}

export const AFTERWARDS = Symbol('the thing as it is now');

/** After a change of one thing, the answer is the thing. */
export function afterwards(done: AdminOutcome<unknown>): AdminOutcome<Answered<never>> {
  return answering(done, () => AFTERWARDS as never);
}

const USUAL = 100;

/** One page of a table, in the order of its keys. Rows that are left out still count, so a page may be short. */
export async function listRows<Row, Companion, T>(
  store: Store,
  table: Table<Row, Companion>,
  query: object | undefined,
  write: (row: Row) => T | undefined,
): Acted<Answered<Listed<T>>> {
  const { limit = USUAL, cursor }: { readonly limit?: number; readonly cursor?: string } = query ?? {};
  const rows = await store.page(table, { limit, ...(cursor !== undefined && { after: cursor }) });
  const last = rows.length === limit ? rows.at(-1) : undefined;
  const items = rows.map(write).filter((item) => item !== undefined);
  return answer({ items, ...(last !== undefined && { next: table.keyOf(last) }) });
}
