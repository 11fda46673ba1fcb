// The contract of a store, in guarantees. Every back end passes the same conformance suite (test/store/conformance.ts).
import type { Event } from '../core/event.ts';
import type { EpochSeconds } from '../core/time.ts';
import type { Table, Value, Where } from './table.ts';

/** A row as it was found, with its companion. */
export interface Found<Row, Companion> {
  readonly row: Row;
  readonly companion: Companion | undefined;
}

/** What a load found, and the store's clock at that moment. */
export interface Loaded<Row, Companion> {
  readonly found: Found<Row, Companion> | undefined;
  readonly now: EpochSeconds;
}

/**
 * What a decision wants committed. All of it happens, or none of it:
 * - `next` replaces the row, or creates it where there was none
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
  /** Only rows that end before this moment. */
  readonly endingBefore?: EpochSeconds;
  /** Continue behind the row with this key. */
  readonly after?: string;
  readonly limit: number;
}

export interface LoggedEvent extends Event {
  /** Grows in the order of commits; a reader that goes on behind the last one it saw misses none. */
  readonly sequence: number;
}

export interface EventQuery {
  readonly after: number;
  readonly limit: number;
  /** Only the events of this identity; refreshes are not among them (the grant's row tells its last). */
  readonly identityId?: string;
}

export interface EventProgress {
  /** Up to this sequence number the log can be read by now. */
  readonly readable: number;
  /** The last number that was given. Beyond `readable`, commits are under way. */
  readonly drawn: number;
}

export interface NewestQuery {
  readonly count: number;
  /** As in EventQuery. */
  readonly identityId?: string;
}

export interface Store {
  /** The row as of the last acknowledged commit of any node: never a replica's, never a cached one. */
  load<Row, Companion>(table: Table<Row, Companion>, key: string): Promise<Loaded<Row, Companion>>;

  /** At most `limit` rows, in no particular order. */
  find<Row, Companion>(table: Table<Row, Companion>, where: Where, limit?: number): Promise<readonly Row[]>;

  /** Rows in the order of their keys. */
  page<Row, Companion>(table: Table<Row, Companion>, query: PageQuery): Promise<readonly Row[]>;

  /**
   * Loads the row, asks `decide`, and commits what it says if the row has not changed meanwhile; otherwise asks again.
   * - `decide` is pure and may be asked several times; its last answer is the one that counts.
   * - The promise resolves once the commit is durable, and the outcome never tells of a commit that did not happen.
   * - Concurrent changes of one row happen one after the other; changes of different rows never wait for each other's
   *   decision, and share one durable commit where they wait at the same moment.
   * - `now` is the store's clock, so that all nodes agree on it.
   */
  change<Row, Companion, T>(
    table: Table<Row, Companion>,
    key: string,
    decide: (found: Found<Row, Companion> | undefined, now: EpochSeconds) => Decision<Row, T>,
  ): Promise<T>;

  /** As `change`, of a row whose key was drawn a moment ago: nothing is loaded before the commit. A key that is taken is a fault. */
  create<Row, Companion, T>(
    table: Table<Row, Companion>,
    key: string,
    decide: (now: EpochSeconds) => Decision<Row, T>,
  ): Promise<T>;

  now(): Promise<EpochSeconds>;

  /**
   * Looks at itself: a real read, and what it knows of its last write, its files or server, its schema. Never rejects.
   * Costs a few statements: whoever asks often shares the answer for a second (src/doors/ops/readiness.ts).
   */
  examine(): Promise<StoreReport>;

  /** Events behind a sequence number, in order. */
  events(query: EventQuery): Promise<readonly LoggedEvent[]>;

  /** The newest of the events that can be read by now, the oldest of them first: a reader may go on behind the last. */
  newestEvents(query: NewestQuery): Promise<readonly LoggedEvent[]>;

  /** How far the event log has come. */
  eventProgress(): Promise<EventProgress>;

  /** Removes rows that ended before `before`, at most `limit` in one short step, and says how many. */
  sweep<Row, Companion>(table: Table<Row, Companion>, before: EpochSeconds, limit: number): Promise<number>;

  /** Removes events older than `before`, likewise. */
  sweepEvents(before: EpochSeconds, limit: number): Promise<number>;

  /** How many rows end in that time, the first moment included and the last not; counts no further than `most`. */
  countEnding<Row, Companion>(
    table: Table<Row, Companion>,
    time: { readonly from: EpochSeconds; readonly before: EpochSeconds },
    most: number,
  ): Promise<number>;

  /** How many rows have each value of a column. Reads the whole table: for operators, not for requests. */
  count<Row, Companion>(table: Table<Row, Companion>, column: string): Promise<ReadonlyMap<Value, number>>;

  /** Changes whenever a row of the table does: tells a holder of copies when to read again. */
  stamp<Row, Companion>(table: Table<Row, Companion>): Promise<string>;

  /** Waits for what was asked before; whoever asks after it is told that the store is unavailable. */
  close(): Promise<void>;
}

/** What a store says of itself. It can serve a refresh if no check has a problem. */
export interface StoreReport {
  /** The store's clock; undefined where it could not be read. */
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
  /** One short sentence for whoever may ask for readiness: no path, no host, no value. */
  readonly reason: string;
  /** For the log. */
  readonly detail?: string;
}

/**
 * The store cannot answer now (away, busy, full); trying again later makes sense. Nothing was changed, unless it is an
 * OutcomeUnknown.
 */
export class StoreUnavailable extends Error {
  override readonly name: string = 'StoreUnavailable';
}

/** The store cannot be used as it is (schema, privileges, address): waiting does not help, an operator has to act. */
export class StoreUnusable extends Error {
  override readonly name = 'StoreUnusable';
  readonly todo: string;

  constructor(what: string, todo: string) {
    super(what);
    this.todo = todo;
  }
}

/** There is no store where the configuration says, or it was emptied. Only `tessera init` makes one. */
export class StoreMissing extends Error {
  override readonly name = 'StoreMissing';
}

/** As StoreUnavailable, but a commit was under way: whether the change was made is not known. */
export class OutcomeUnknown extends StoreUnavailable {
  override readonly name = 'OutcomeUnknown';
}

/**
 * The connection broke while committing, or the disk failed: it may have happened or not. `change` finds out, or throws
 * OutcomeUnknown; callers never see this.
 */
export class CommitUnknown extends Error {
  override readonly name = 'CommitUnknown';
}
