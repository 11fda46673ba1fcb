// Turns errors of PostgreSQL and of connections into the store's own.
import pg from 'pg';
import { RowUnavailable, StoreUnavailable } from '../store.ts';
import type { Host } from './address.ts';

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
  readonly todo: string | undefined;

  constructor(message: string, code: string) {
    super(message);
    this.code = code;
    this.todo = code === '42501' ? PRIVILEGES : undefined;
  }
}

const PRIVILEGES = 'See "Roles" in docs/postgresql.md: moves need the role that owns the schema.';

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

// Why no session could be opened, and what an operator can do about it.

export interface Attempt {
  readonly host: Host;
  readonly error: unknown;
}

/** No host of the address could be used. `todo`: the next step for the operator. */
export class NoServer extends StoreUnavailable {
  readonly todo: string;

  constructor(attempts: readonly Attempt[]) {
    const each = attempts.map(({ host, error }) => {
      const [place, { message }] = [`${host.host}:${host.port}`, error as Error];
      return message.includes(place) ? message : `${place}: ${message}`;
    });
    super(`no PostgreSQL that accepts writes (${each.join('; ')})`);
    // Of several hosts, the one with the most exact reason counts: the others are most likely standbys or away.
    const reasons = attempts.map(({ error }) => error as Reason);
    this.todo = REMEDIES.find(([fits]) => reasons.some(fits))?.[1] ?? AWAY;
  }
}

interface Reason {
  /** SQLSTATE, or Node's own code. */
  readonly code?: string;
  readonly message: string;
  /** The path of a file that could not be read. */
  readonly path?: string;
}

const AWAY = 'Check that PostgreSQL runs there and listens: host, port, listen_addresses, firewall.';
const PASSWORD = 'passwordFile=FILE in the address, or PGPASSWORD';
const TLS = 'Check sslmode and sslrootcert in the address, and that the certificate of the server is for this host.';

/** The first entry that matches a reason is used. More exact ones come first. */
const REMEDIES: readonly (readonly [fits: (reason: Reason) => boolean, todo: string])[] = [
  [hasCode('28P01'), `The server refused the password. Check ${PASSWORD}, and the password of the role.`],
  [says(/password must be a/), `The server asks for a password, and none is given: ${PASSWORD}.`],
  [
    ({ path, code }) => path !== undefined || code === 'EISDIR',
    'Check that the file named in the address exists and that this user may read it.',
  ],
  [hasCode('28000'), 'The server does not let this role in: check that it exists and may log in, and pg_hba.conf.'],
  [hasCode('3D000'), 'Create the database, or check its name in the address: docs/postgresql.md, From nothing.'],
  [hasCode('42501'), 'The role may not connect to this database: GRANT CONNECT ON DATABASE … TO ….'],
  [
    hasCode('53300'),
    'The server has no connection left: raise max_connections, or lower `connections` in the address.',
  ],
  [hasCode('57P03'), 'The server is starting or stopping: wait.'],
  [hasCode('ENOTFOUND', 'EAI_AGAIN'), 'The name of the host is not known here: check it, and the DNS.'],
  [says(/SSL|TLS|certificate/i), TLS],
  [
    says(/standby|read-only/),
    'Writes go to the primary: list its host in the address as well, or end its read-only state.',
  ],
  [() => true, AWAY],
];

function hasCode(...codes: readonly string[]): (reason: Reason) => boolean {
  return ({ code = '' }) => codes.includes(code);
}

function says(words: RegExp): (reason: Reason) => boolean {
  return ({ message }) => words.test(message);
}
