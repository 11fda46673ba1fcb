// Why no session could be opened, and what an operator can do about it.
import { StoreUnavailable } from '../store.ts';
import type { Host } from './address.ts';

export interface Attempt {
  readonly host: Host;
  readonly error: unknown;
}

/** No host of the address could be used. `todo`: the next step for the operator. */
export class NoServer extends StoreUnavailable {
  readonly todo: string;

  constructor(attempts: readonly Attempt[]) {
    const each = attempts.map(({ host, error }) => `${host.host}:${host.port}: ${(error as Error).message}`);
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
