// How acts of the table are run: beside the store, by a command or by the admin door.
import { accept } from '../../../core/outcome.ts';
import type { Store } from '../../../store/store.ts';
import type { Table } from '../../../store/table.ts';
import type { Random } from '../../ports.ts';
import type { ActName, Answered, Given, Gives, Listed } from '../act-table.ts';
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

const RUNS = {
  integration: async () => (await import('./integration.ts')).RUNS,
  'resource-server': async () => (await import('./resource-server.ts')).RUNS,
  issuer: async () => (await import('./issuer.ts')).RUNS,
  'token-issuer': async () => (await import('./token-issuer.ts')).RUNS,
  identity: async () => (await import('./identity.ts')).RUNS,
  grant: async () => (await import('./grant.ts')).RUNS,
  event: async () => (await import('./event.ts')).RUNS,
  node: async () => (await import('./event.ts')).NODE_RUNS,
};
type AllRuns = { [A in ActName]: Run<A> };

/** Loads the acts of a kind when one of them is done. */
export async function runAct<A extends ActName>(
  name: A,
  given: Given,
  ports: ActPorts,
): Promise<AdminOutcome<Answered<Gives[A]>>> {
  const kind = /^(?:resource-server|token-issuer|[a-z]+)/.exec(name)?.[0] as keyof typeof RUNS;
  const runs: Partial<AllRuns> = await RUNS[kind]();
  const run = runs[name];
  if (!run) throw new Error(`there is no act ${name}`);
  const onlyIf = typeof given.onlyIf === 'number' ? given.onlyIf : undefined;
  return run(given, { ...ports, onlyIf });
}

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
