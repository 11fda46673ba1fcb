// A kind of registered things, as the acts on all of them see it.
import type { DeedOf, EndingDeedOf } from '../../../../core/act.ts';
import type { Refused } from '../../../../core/outcome.ts';
import type { RowOf } from '../../../../core/rules/endings.ts';
import { completed, type Schema } from '../../../../schema.ts';
import { REGISTERED } from '../../../../store/all-tables.ts';
import { rows } from '../../../../store/pages.ts';
import type { StorePort } from '../../../../store/store.ts';
import type { Table } from '../../../../store/table.ts';
import type { Acted, AdminOutcome, AdminRefusal } from '../../admin.ts';
import type { KnownIdentities } from '../../find-identity.ts';
import type { Section } from '../../objects.ts';
import { IS_THERE, type Registered } from '../../perform.ts';
import type { AdminRefusalReason } from '../../refusals.ts';
import type { ActPorts } from '../act.ts';

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

/** Every field that a row may have: a draft that forgets one does not compile. */
export type Whole<Row> = { readonly [Field in keyof Required<Row>]: Row[Field] };

/** The row that a draft describes, in its order, without what is undefined. What a later release has added to it stays. */
export function rowOf<Row extends object>(whole: Whole<Row>, before: Row | undefined): Row {
  const fields = Object.entries({ ...whole, ...before, ...whole }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(fields) as Row;
}

/** As rows have it: what is empty is absent. */
export function unlessEmpty<T>(value: T): T | undefined {
  return !value || (Array.isArray(value) && value.length === 0) ? undefined : value;
}
