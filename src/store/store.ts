// The contract of a store, in guarantees. Every back end passes the same conformance suite (test/store/conformance.ts).
import type { Event } from '../core/event.ts';
import { OperatorFault } from '../core/faults.ts';
import type { EpochSeconds } from '../core/time.ts';
import type { Durations } from './duration-tally.ts';
import type { Table, Value, Where } from './table.ts';

/** A row as it was found, with its companion. Its revision changes with every change of it. */
export interface Found<Row, Companion> {
  readonly row: Row;
  readonly companion: Companion | undefined;
  readonly revision: number;
}

/** What a load found, and the store's clock at that moment. */
export interface Loaded<Row, Companion> {
  readonly found: Found<Row, Companion> | undefined;
  readonly now: EpochSeconds;
}

/** A row by its key, whether it exists or not. */
export interface RowReference<Row, Companion> {
  readonly table: Table<Row, Companion>;
  readonly key: string;
}

export function rowOf<Row, Companion>(table: Table<Row, Companion>, key: string): RowReference<Row, Companion> {
  return { table, key };
}

/** The most rows of one `changeAll`. Other changes wait while they are written: this many take a sixth of a second. */
export const MOST_ROWS = 5000;

// biome-ignore lint/suspicious/noExplicitAny: made by `rowOf`, whose row types FoundAll and NextAll recover
export type RowReferences = readonly RowReference<any, any>[];

/** What was found of each of these rows, in their order. */
export type FoundAll<Rows extends RowReferences> = {
  readonly [Place in keyof Rows]: Rows[Place] extends RowReference<infer Row, infer Companion>
    ? Found<Row, Companion> | undefined
    : never;
};

/** The next row for each of these, in their order; undefined: unchanged. */
export type NextAll<Rows extends RowReferences> = {
  readonly [Place in keyof Rows]: Rows[Place] extends RowReference<infer Row, infer _> ? Row | undefined : never;
};

/**
 * What a decision commits, as a whole or not at all:
 * - `next` replaces the row, or creates it if there was none; of `changeAll`, a list of such rows
 * - `inserts` creates further rows; none of them may exist
 * - `events` are appended to the event log
 */
export interface Decision<Row, T> {
  readonly outcome: T;
  readonly next?: Row;
  readonly inserts?: readonly Insert[];
  readonly events?: readonly Event[];
}

export interface Insert {
  // biome-ignore lint/suspicious/noExplicitAny: made by `insert`, which ties the row to its table
  readonly table: Table<any, any>;
  readonly row: unknown;
}

export function insert<Row, Companion>(table: Table<Row, Companion>, row: Row): Insert {
  return { table, row };
}

export interface PageQuery {
  readonly where?: Where;
  /** Only rows that end before this moment; only those that end at this one or later. */
  readonly endingBefore?: EpochSeconds;
  readonly endingFrom?: EpochSeconds;
  readonly after?: string;
  /** From the largest key down. Of grants, whose keys begin with the time of their creation: newest first. */
  readonly isDescending?: true;
  readonly limit: number;
}

export type LoggedEvent = Event & {
  /** Grows in the order of commits: a reader that continues after the last number it saw misses none. */
  readonly sequence: number;
};

export interface EventQuery {
  readonly after: number;
  readonly limit: number;
  /** Only the events of this identity. Refreshes are not included; the grant's row shows the last one. */
  readonly identityId?: string;
  /** Only events of ACT_TYPES, which have an index of their own. */
  readonly acts?: true;
  /** Also those behind the first number that is still being written. A reader that continues after them could miss that one. */
  readonly isComplete?: false;
}

export interface EventProgress {
  /** The log can be read up to this sequence number. */
  readonly readable: number;
  /** The last number that was assigned. Numbers beyond `readable` belong to commits in progress. */
  readonly drawn: number;
}

export interface NewestQuery extends Pick<EventQuery, 'identityId' | 'acts'> {
  readonly count: number;
  /** Only events with lower numbers. */
  readonly before?: number;
}

export interface EndingCount {
  readonly read: number;
  /** Of these, those that have not ended early. */
  readonly living: number;
}

export interface Store {
  /** The row as of the last acknowledged commit of any node: never a replica's, never a cached one. */
  load<Row, Companion>(table: Table<Row, Companion>, key: string): Promise<Loaded<Row, Companion>>;

  /** At most `limit` rows, in no particular order. */
  find<Row, Companion>(table: Table<Row, Companion>, where: Where, limit?: number): Promise<readonly Row[]>;

  /** Rows in the order of their keys. */
  page<Row, Companion>(table: Table<Row, Companion>, query: PageQuery): Promise<readonly Row[]>;

  /**
   * Loads the row, calls `decide`, and commits its decision if the row has not changed meanwhile; otherwise tries again.
   * - `decide` is pure and may be called several times; its last result counts.
   * - The promise resolves once the commit is durable, and its outcome never describes a commit that did not happen.
   * - Concurrent changes of one row happen one after the other. Changes of different rows never wait for each other's
   *   decision; those that wait at the same moment share one durable commit.
   * - `now` is the store's clock, so that all nodes agree on it.
   */
  change<Row, Companion, T>(
    table: Table<Row, Companion>,
    key: string,
    decide: (found: Found<Row, Companion> | undefined, now: EpochSeconds) => Decision<Row, T>,
  ): Promise<T>;

  /**
   * Like `change`, for several rows of any tables, each named once, at most MOST_ROWS: all of the decision is committed or
   * none of it, and only if none of the rows that were found has changed meanwhile, whether or not the decision changes it.
   * - `found` and `next` have the order of `rows`.
   * - A row that was not there and is written must still not be there. One that is not written is not checked again.
   * - The rows are loaded together, but not at one moment: only a commit proves that they belong together.
   */
  changeAll<const Rows extends RowReferences, T>(
    rows: Rows,
    decide: (found: FoundAll<Rows>, now: EpochSeconds) => Decision<NextAll<Rows>, T>,
  ): Promise<T>;

  /** Like `change`, for a row with a newly drawn key: nothing is loaded before the commit. A key that exists is a fault. */
  create<Row, Companion, T>(
    table: Table<Row, Companion>,
    key: string,
    decide: (now: EpochSeconds) => Decision<Row, T>,
  ): Promise<T>;

  now(): Promise<EpochSeconds>;

  /** Checks itself with a few statements: a real read, the last write, files or server, schema. Never rejects. */
  examine(): Promise<StoreReport>;

  /** Events after a sequence number, in order. */
  events(query: EventQuery): Promise<readonly LoggedEvent[]>;

  /** The newest readable events, oldest first: a reader may continue after the last. */
  newestEvents(query: NewestQuery): Promise<readonly LoggedEvent[]>;

  eventProgress(): Promise<EventProgress>;

  /** Removes rows that ended before `before`, at most `limit` in one short step. Returns how many. */
  sweep<Row, Companion>(table: Table<Row, Companion>, before: EpochSeconds, limit: number): Promise<number>;

  /** Removes events older than `before`, likewise. */
  sweepEvents(before: EpochSeconds, limit: number): Promise<number>;

  /** How many rows end in that time, including `from` and excluding `before`. Reads at most `most` rows. */
  countEnding<Row, Companion>(
    table: Table<Row, Companion>,
    time: { readonly from: EpochSeconds; readonly before: EpochSeconds },
    most: number,
  ): Promise<EndingCount>;

  /** How many rows have each value of a column. Reads the whole table: for operators, not for requests. */
  count<Row, Companion>(table: Table<Row, Companion>, column: string): Promise<ReadonlyMap<Value, number>>;

  /** Changes whenever a row of the table or the store's history does, so that holders of copies know when to read again. */
  stamp<Row, Companion>(table: Table<Row, Companion>): Promise<string>;

  /** Names the server and its timeline, as of the newest session. Another server may lack commits. Undefined if it cannot be said. */
  origin?(): string | undefined;

  /** For metrics: cheap, and never waits. */
  figures(): StoreFigures;

  /** Finishes earlier calls; later ones fail with StoreUnavailable. */
  close(): Promise<void>;
}

export interface StorePort {
  readonly store: Store;
}

/** Changes one row to what `next` returns; undefined: it stays as it is. Returns whether it changed. */
export function writeRow<Row, Companion>(
  store: Store,
  table: Table<Row, Companion>,
  key: string,
  next: (row: Row | undefined, now: EpochSeconds) => Row | undefined,
): Promise<boolean> {
  return store.change(table, key, (found, now): Decision<Row, boolean> => {
    const row = next(found?.row, now);
    return row === undefined ? { outcome: false } : { outcome: true, next: row };
  });
}

/** What a store has done and has in use, in this process. */
export interface StoreFigures {
  /** Transactions until they were durable. */
  readonly commits: Durations;
  /** Of PostgreSQL: reads, with the wait for a session. */
  readonly reads?: Durations;
  /** Changes that wait for the transaction before them. */
  readonly waiting: number;
  readonly walBytes?: number;
  /** Of PostgreSQL: its sessions, and how many statements wait for one. */
  readonly sessions?: {
    readonly open: number;
    readonly idle: number;
    readonly limit: number;
    readonly waiting: number;
  };
}

/** A store's report on itself. It can serve a refresh if no check has a problem. */
export interface StoreReport {
  /** The store's clock; undefined if it could not be read. */
  readonly now: EpochSeconds | undefined;
  readonly checks: readonly StoreCheck[];
}

export interface StoreCheck {
  readonly name: StoreCheckName;
  readonly problem?: Problem;
}

/**
 * - `store`: a read works, on a server that accepts writes
 * - `writes`: the last write became durable
 * - `files`: the files are those that were opened, and have not been cut
 * - `space`: there is room to write
 * - `schema`: the schema is one that this release can use
 * - `privileges`: this role may do what a request needs
 */
export type StoreCheckName = 'store' | 'writes' | 'files' | 'space' | 'schema' | 'privileges';

export interface Problem {
  /** One short sentence for /readyz: no path, no host, no value. */
  readonly reason: string;
  /** For the log. */
  readonly detail?: string;
}

/** The store cannot answer now; retry later. Nothing was changed, unless it is an OutcomeUnknown. */
export class StoreUnavailable extends Error {
  override readonly name: string = 'StoreUnavailable';
}

/** The store answers, but its clock cannot be right: nothing is decided by it. */
export class ClockImplausible extends StoreUnavailable {}

/** The store answers, but this row cannot be changed now: somebody else holds it. */
export class RowUnavailable extends StoreUnavailable {}

/** The store cannot be used as it is (schema, privileges, address): retrying does not help, an operator has to act. */
export class StoreUnusable extends OperatorFault {
  override readonly name = 'StoreUnusable';
}

/** There is no store at the configured place, or it was emptied. Only `tessera init` creates one, and it overwrites no file. */
export class StoreMissing extends OperatorFault {
  override readonly name = 'StoreMissing';
}

/** For a file without a store in it. */
export const UNFINISHED_STORE =
  'Restore it from its backup: tessera restore FILE. If it never held a store, move it away, then: tessera init';

/** Like StoreUnavailable, but a commit was in progress: it is not known whether the change was made. */
export class OutcomeUnknown extends StoreUnavailable {
  override readonly name = 'OutcomeUnknown';
}

/** A commit may or may not have happened. `change` finds out or throws OutcomeUnknown; callers never see this. */
export class CommitUnknown extends Error {
  override readonly name = 'CommitUnknown';
}
