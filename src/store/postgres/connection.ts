import { readFileSync } from 'node:fs';
import pg from 'pg';
import { StoreUnavailable } from '../store.ts';
import type { Value } from '../table.ts';
import type { Address, Host } from './address.ts';
import { ConnectionLost, isReadOnly, isRefusedStatement } from './faults.ts';
import { type Attempt, NoServer } from './remedies.ts';

/** The server ends a statement that takes too long; one that has fallen silent is given up from here, after twice the time. */
const SILENCE = 2;

export interface Statement {
  /** Prepared once per connection under this name. */
  readonly name: string;
  readonly text: string;
}

export type Parameter = Value | Buffer;

export interface Answer {
  readonly rows: readonly (readonly Value[])[];
  readonly count: number;
}

/** One session at a server that accepts writes. */
export class Connection {
  readonly #client: pg.Client;
  #lost = false;

  constructor(client: pg.Client) {
    this.#client = client;
    client.on('error', () => this.#end());
    client.on('end', () => this.#end());
  }

  /** The process of the server, as whoever took the connection announced it: a pooler announces another than there is. */
  get announcedBackend(): number | undefined {
    return (this.#client as unknown as { processID?: number }).processID;
  }

  get isLost(): boolean {
    return this.#lost;
  }

  /** Throws the server's own error where it refused, ConnectionLost where nobody knows. */
  async run({ name, text }: Statement, values: readonly Parameter[] = []): Promise<Answer> {
    try {
      const query = { name, text, values: [...values], rowMode: 'array' as const, types: VALUE_TYPES };
      const { rows, rowCount } = await this.#client.query<Value[]>(query);
      return { rows, count: rowCount ?? 0 };
    } catch (error) {
      throw this.#told(error);
    }
  }

  /** Statements without parameters and without an answer. */
  async execute(text: string): Promise<void> {
    try {
      await this.#client.query(text);
    } catch (error) {
      throw this.#told(error);
    }
  }

  close(): void {
    this.#end();
  }

  #told(error: unknown): unknown {
    if (isReadOnly(error)) this.#end(); // another host may be the one that accepts writes by now
    if (isRefusedStatement(error)) return error;
    this.#end();
    return new ConnectionLost((error as Error).message);
  }

  #end(): void {
    if (this.#lost) return;
    this.#lost = true;
    this.#client.end().catch(() => undefined);
  }
}

/** Tries the hosts in their order, and takes the first that accepts writes. */
export async function connect(address: Address): Promise<Connection> {
  const attempts: Attempt[] = [];
  for (const host of address.hosts) {
    try {
      return await connectTo(host, address);
    } catch (error) {
      attempts.push({ host, error });
    }
  }
  throw new NoServer(attempts);
}

async function connectTo(host: Host, address: Address): Promise<Connection> {
  const client = new pg.Client({
    ...host,
    database: address.database,
    user: address.user,
    password: address.password(),
    ssl: tlsOptions(host, address),
    application_name: address.applicationName,
    connectionTimeoutMillis: address.connectTimeoutMs,
    query_timeout: address.statementTimeoutMs * SILENCE,
    keepAlive: true,
  });
  const connection = new Connection(client);
  try {
    await client.connect();
    await prepareSession(client, address);
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

/**
 * - A commit is acknowledged when it is safe: synchronous_commit `off` and `local` would say so before.
 * - Rows are found by an index: a plan made while a table was small must not go on reading all of it when it has grown.
 * - No statement is compiled: that takes a quarter of a second each time, and one of ours takes a millisecond.
 */
const SESSION = {
  name: 'tessera_session',
  text: `SELECT pg_is_in_recovery(), current_setting('transaction_read_only'), set_config('statement_timeout', $1, false),
    set_config('idle_in_transaction_session_timeout', $1, false),
    set_config('enable_seqscan', 'off', false), set_config('jit', 'off', false),
    set_config('default_transaction_isolation', 'read committed', false),
    set_config('synchronous_commit', CASE WHEN current_setting('synchronous_commit') IN ('off', 'local') THEN 'on'
      ELSE current_setting('synchronous_commit') END, false)`,
};

async function prepareSession(client: pg.Client, { statementTimeoutMs }: Address): Promise<void> {
  const { rows } = await client.query({ ...SESSION, values: [String(statementTimeoutMs)], rowMode: 'array' });
  const [isStandby, isReadOnly] = rows[0] as [boolean, string];
  if (isStandby) throw new StoreUnavailable('is a standby');
  if (isReadOnly === 'on') throw new StoreUnavailable('is read-only');
}

/** Without a word about it, TLS is verified wherever the connection leaves the machine. */
function tlsOptions({ host }: Host, { sslMode, sslRootCertificate }: Address): pg.ClientConfig['ssl'] {
  const mode = sslMode ?? (staysHere(host) ? 'disable' : 'verify-full');
  if (mode === 'disable') return false;
  const ca = sslRootCertificate === undefined ? {} : { ca: readFileSync(sslRootCertificate, 'utf8') };
  if (mode === 'require') return { ...ca, rejectUnauthorized: false };
  return { ...ca, rejectUnauthorized: true, ...(mode === 'verify-ca' && { checkServerIdentity: () => undefined }) };
}

function staysHere(host: string): boolean {
  return host.startsWith('/') || ['localhost', '127.0.0.1', '::1'].includes(host);
}

const OID = { boolean: 16, bytea: 17, int8: 20, int2: 21, int4: 23 } as const;
const PARSERS = new Map<number, (text: string) => unknown>([
  [OID.boolean, (text) => text === 't'],
  [OID.bytea, (text) => text.slice(2)], // \x and hex digits
  [OID.int8, Number],
  [OID.int2, Number],
  [OID.int4, Number],
]);
const asText = (text: string) => text;

const VALUE_TYPES = { getTypeParser: (oid: number) => PARSERS.get(oid) ?? asText } as pg.CustomTypesConfig;
