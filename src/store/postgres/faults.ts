// Turns errors of PostgreSQL and of connections into the store's own.
import pg from 'pg';
import { RowUnavailable, StoreUnavailable } from '../store.ts';

/** The connection broke or went silent after a statement was sent: it is not known whether it was executed. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
}

export class StartedTooLate extends Error {
  override readonly name = 'StartedTooLate';
  override readonly message = 'a statement reached the server too late and did nothing';
}

/** The server is alive and refused a statement for a reason other than its values: nothing happened. */
export class StatementRefused extends StoreUnavailable {
  /** SQLSTATE. */
  readonly code: string;

  constructor(message: string, code: string) {
    super(message);
    this.code = code;
  }
}

/** Somebody else holds a lock that the statement needs. */
export class RowLocked extends RowUnavailable {}

/** For work that can be left for later. */
export function unlessLocked(fault: unknown): undefined {
  if (!(fault instanceof RowLocked)) throw fault;
}

/** The values themselves are refused: a retry would not help. 23514 is no partition for an event. */
const REFUSES_VALUES = /^(?:2[12]|23(?!514))/;
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * After these, the next statement gets a new session, which is checked when it opens:
 * - 42, 3F: a table, schema or privilege is missing
 * - 26, 0A000: prepared statements were dropped, or no longer fit their table
 * - 25006: read-only; another host may be the one that accepts writes by now
 */
const UNFIT_SESSION = /^(?:42|3F|26|0A000|25006)/;

function codeOf(error: unknown): string {
  return (error instanceof pg.DatabaseError && error.code) || '';
}

/** Serialization failure and deadlock: nothing happened, and a retry helps. */
export function isPassingConflict(error: unknown): boolean {
  return ['40001', '40P01'].includes(codeOf(error));
}

/** Cancelled by the statement timeout, or by somebody else: then nothing happened, and a retry helps. */
export function isCancelled(error: unknown): boolean {
  return codeOf(error) === '57014';
}

export function lacksPartition(error: unknown): boolean {
  return codeOf(error) === '23514';
}

export function isSessionUnfit(error: unknown): boolean {
  return UNFIT_SESSION.test(codeOf(error));
}

/** Codes after which the server ends the session, whatever it calls that in its language. */
const ENDS_SESSION = /^(?:08|57P0|25P0[34])/;

/** The server reported that the statement failed, and the session goes on. Everything else means that the connection is gone. */
export function isRefusedStatement(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError) || error.code === undefined) return false;
  // The severity is translated into the server's language, so the code decides.
  return !ENDS_SESSION.test(error.code) && error.severity !== 'FATAL' && error.severity !== 'PANIC';
}

export function storeFault(error: unknown): unknown {
  if (error instanceof StoreUnavailable) return error;
  if (!(error instanceof pg.DatabaseError)) return new StoreUnavailable(`PostgreSQL: ${(error as Error).message}`);
  const code = error.code ?? '';
  if (REFUSES_VALUES.test(code)) return withoutValues(error);
  const message = `PostgreSQL: ${error.message} (${code})`;
  return code === LOCK_NOT_AVAILABLE ? new RowLocked(message) : new StatementRefused(message, code);
}

/** The server's details quote rows; only its message and code may be logged. */
function withoutValues({ message, code, table, constraint }: pg.DatabaseError): Error {
  return new Error(`PostgreSQL: ${message} (${[code, table, constraint].filter(Boolean).join(', ')})`);
}
