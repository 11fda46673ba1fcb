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
import type { Section, Written } from '../../objects.ts';
import { changedBetween, IS_THERE, type Registered } from '../../perform.ts';
import type { AdminRefusalReason } from '../../refusals.ts';
import type { ActPorts } from '../act.ts';

/** A kind of things that files describe and requests replace. */
export interface ObjectKind<K extends Registered> {
  readonly kind: K;
  readonly section: Section;
  readonly schema: Schema<Written[K]>;
  /** What it is called in files and requests. */
  readonly keyOf: (row: RowOf[K]) => string;
  readonly written: (row: RowOf[K]) => Written[K];
  /** What has no fixed default. */
  readonly complete?: (id: string, body: Partial<Written[K]>) => Partial<Written[K]>;
  /** The row that a body with every field describes. What a body cannot say stays as it was before. */
  readonly drafted: (
    id: string,
    body: Required<Written[K]>,
    before: RowOf[K] | undefined,
    ports: DraftPorts,
  ) => AdminOutcome<RowOf[K]> | Acted<RowOf[K]>;
  /** Why what else is registered does not allow it. */
  readonly objection?: (next: RowOf[K], before: RowOf[K] | undefined, ports: DraftPorts) => Promise<Objection>;
  /** For the event. */
  readonly made: (next: RowOf[K]) => DeedOf<K>;
  readonly changed: (before: RowOf[K], next: RowOf[K]) => readonly DeedOf<K>[];
  /** Undefined: files never remove it. */
  readonly removal: (row: RowOf[K]) => EndingDeedOf<K> | undefined;
  /** Why a request does not remove it without a confirmation. */
  readonly unconfirmed?: AdminRefusalReason;
  /** What changes with others of the kind. */
  readonly companion?: Companion<Written[K]>;
  /** What only one thing of a document may have. Each is compared with what is registered when it is planned. */
  readonly claims?: (row: RowOf[K]) => readonly Claim[];
  /** Whether files have it, if not all are there. */
  readonly isExported?: (row: RowOf[K]) => boolean;
  /** As files have it: identities by their user names. Another installation has other ids. */
  readonly withNames?: (body: Written[K], nameOf: NameOf) => object;
}

export type NameOf = (identity: string) => string;

/** A thing that changes in the same commit as others of its kind. */
interface Companion<Body> {
  readonly id: string;
  /** Its change, if these need one. */
  readonly changedWith: (others: readonly Partial<Body>[]) => ((body: Partial<Body>) => Partial<Body>) | undefined;
}

export interface Claim {
  readonly of: string;
  readonly reason: AdminRefusalReason;
  readonly about: string;
}

export function claim(what: string, value: string, reason: AdminRefusalReason, about = value): Claim {
  return { of: `${what} ${value}`, reason, about };
}

type Objection = Refused<AdminRefusal> | undefined;

/** What drafts are made and checked with. */
export type DraftPorts = Pick<ActPorts, 'store' | 'issuer' | 'readFile' | 'isOwner'> & {
  /** Identities that this plan has found: a document may name one in every integration. */
  readonly found?: KnownIdentities;
};

export function tableOf<K extends Registered>({ kind }: ObjectKind<K>): Table<RowOf[K]> {
  return REGISTERED[kind];
}

/** The row, if it counts. */
export function ifThere<K extends Registered>(
  { kind }: ObjectKind<K>,
  row: RowOf[K] | undefined,
): RowOf[K] | undefined {
  return row !== undefined && IS_THERE[kind](row) ? row : undefined;
}

/** Every field that can be given, for comparisons and drafts. What is disabled stays so, unless the body says that it is enabled. */
export function complete<K extends Registered>(
  { schema, complete: fill, written }: ObjectKind<K>,
  id: string,
  body: Partial<Written[K]>,
  before?: RowOf[K],
): Required<Written[K]> {
  const kept = before && written(before);
  const enabled = kept && 'enabled' in kept ? kept.enabled : true;
  return completed(schema, { enabled, ...body, ...fill?.(id, body) });
}

/** All that counts, by name. */
export async function present<K extends Registered>(
  kind: ObjectKind<K>,
  { store }: StorePort,
): Promise<Map<string, RowOf[K]>> {
  const known = new Map<string, RowOf[K]>();
  for await (const row of rows(store, tableOf(kind))) if (ifThere(kind, row)) known.set(kind.keyOf(row), row);
  return known;
}

/** Every field that a row may have: a draft that forgets one does not compile. */
export type Whole<Row> = { readonly [Field in keyof Required<Row>]: Row[Field] };

/** The row that a draft describes, in its order, without what is undefined. What a later release has added to it stays. */
export function rowOf<Row extends object>(whole: Whole<Row>, before: Row | undefined): Row {
  const fields = Object.entries({ ...whole, ...before, ...whole }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(fields) as Row;
}

/** For the event: all that differs. */
export function allThatDiffers(before: object, next: object) {
  return [{ did: 'changed', ...changedBetween(before, next) }] as const;
}

/** As rows have it: what is empty is absent. */
export function unlessEmpty<T>(value: T): T | undefined {
  return !value || (Array.isArray(value) && value.length === 0) ? undefined : value;
}
