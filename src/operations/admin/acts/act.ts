// What the acts of the table have in common.
import { accept } from '../../../core/outcome.ts';
import type { Store } from '../../../store/store.ts';
import type { Table } from '../../../store/table.ts';
import type { Random } from '../../ports.ts';
import type { ActName, Answered, Given, Gives, Listed } from '../act-types.ts';
import type { AdminOutcome, AdminPorts } from '../admin.ts';

export interface ActPorts extends AdminPorts {
  readonly random: Random;
  /** The public address of the service. */
  readonly issuer: string;
  /** Waits until every node has learned of a change. */
  readonly everyNodeKnows: () => Promise<unknown>;
  /** The contents of a file that a command names. Absent where a request names it: it must not choose files to read. */
  readonly readFile?: (path: string) => Uint8Array;
}

export type Run<A extends ActName> = (given: Given, ports: ActPorts) => Promise<AdminOutcome<Answered<Gives[A]>>>;

/** The acts of one kind, such as `integration`. */
export type RunsOf<Kind extends string> = { readonly [A in Extract<ActName, `${Kind}-${string}`>]: Run<A> };

export function answer<T>(value: T): { readonly ok: true; readonly value: Answered<T> } {
  return accept({ value });
}

/** Maps the value of an outcome. */
export function answering<T, U>(outcome: AdminOutcome<T>, write: (value: T) => U): AdminOutcome<Answered<U>> {
  return outcome.ok ? answer(write(outcome.value)) : outcome;
}

/** The row with its revision; `find` decides whether it counts. */
export async function answerRow<Row, U>(
  store: Store,
  table: Table<Row>,
  key: string,
  find: (row: Row | undefined) => AdminOutcome<U>,
): Promise<AdminOutcome<Answered<U>>> {
  const { found } = await store.load(table, key);
  const outcome = find(found?.row);
  return outcome.ok ? accept({ value: outcome.value, ...(found && { revision: found.revision }) }) : outcome;
}

/** After a change: what it resulted in. */
export async function afterwards<T>(
  done: AdminOutcome<unknown>,
  show: () => Promise<AdminOutcome<Answered<T>>>,
): Promise<AdminOutcome<Answered<T>>> {
  return done.ok ? show() : done;
}

interface PageQuery {
  readonly limit?: number;
  /** A key. */
  readonly cursor?: string;
}

const USUAL = 100;

/** One page of a table, in the order of its keys. Rows that `write` leaves out still count, so a page may be short. */
export async function listRows<Row, Companion, T>(
  store: Store,
  table: Table<Row, Companion>,
  query: object | undefined,
  write: (row: Row) => T | undefined,
): Promise<{ readonly ok: true; readonly value: Answered<Listed<T>> }> {
  const { limit = USUAL, cursor }: PageQuery = query ?? {};
  const rows = await store.page(table, { limit, ...(cursor !== undefined && { after: cursor }) });
  const last = rows.length === limit ? rows.at(-1) : undefined;
  const items = rows.map(write).filter((item) => item !== undefined);
  return answer({ items, ...(last !== undefined && { next: table.keyOf(last) }) });
}
