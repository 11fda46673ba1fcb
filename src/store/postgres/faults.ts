// What went wrong, in the words that callers of a store know.
import pg from 'pg';
import { StoreUnavailable } from '../store.ts';

/** The connection broke, or fell silent, after a statement was sent: nobody knows whether it took place. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
}

/** Serialization failure and deadlock: nothing happened, and doing it again is the cure. */
const PASSING_CONFLICTS = new Set(['40001', '40P01']);

/**
 * States that pass, by SQLSTATE or its class: connection, resources (disk full, too many connections), operator's
 * intervention and time-outs, I/O; and singly: read-only, lock not available, authentication.
 */
const PASSING = new Set(['08', '53', '57', '58', '25006', '55P03', '28000', '28P01', '3D000']);

export function isPassingConflict(error: unknown): boolean {
  return error instanceof pg.DatabaseError && PASSING_CONFLICTS.has(error.code ?? '');
}

export function isReadOnly(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '25006';
}

/** Codes after which the server ends the session, whatever it calls that in its language. */
const ENDS_SESSION = /^(?:08|57P0|25P0[34])/;

/** The server said that the statement failed, and lives on. Everything else means that the connection is gone. */
export function isRefusedStatement(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError) || error.code === undefined) return false;
  // The severity is translated where the server speaks another language, so the code decides.
  return !ENDS_SESSION.test(error.code) && error.severity !== 'FATAL' && error.severity !== 'PANIC';
}

/** Words an error after which nothing happened. */
export function storeFault(error: unknown): unknown {
  if (error instanceof StoreUnavailable) return error;
  if (!(error instanceof pg.DatabaseError)) return new StoreUnavailable(`PostgreSQL: ${(error as Error).message}`);
  const code = error.code ?? '';
  const passes = PASSING.has(code) || PASSING.has(code.slice(0, 2)) || PASSING_CONFLICTS.has(code);
  return passes ? new StoreUnavailable(`PostgreSQL: ${error.message} (${code})`) : withoutValues(error);
}

/** The server's details quote rows; a message and a code are all that a log may see. */
function withoutValues({ message, code, table, constraint }: pg.DatabaseError): Error {
  return new Error(`PostgreSQL: ${message} (${[code, table, constraint].filter(Boolean).join(', ')})`);
}
