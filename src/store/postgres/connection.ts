import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Socket } from 'node:net';
import pg from 'pg';
import { StoreUnusable } from '../store.ts';
import type { Value } from '../table.ts';
import type { Address, Host } from './address.ts';
import {
  type Attempt,
  ConnectionLost,
  isRefusedStatement,
  isSessionUnfit,
  NoServer,
  StartedTooLate,
} from './faults.ts';
import { originOf, prepareSession } from './session.ts';
import { readerOf } from './values.ts';

export type Parameter = Value | Buffer;

export interface Answer {
  readonly rows: readonly (readonly Value[])[];
  /** Rows that were returned or changed. */
  readonly count: number;
}

/**
 * A changing statement must start within this share of the statement timeout, and the server ends it after one whole
 * statement timeout. So a statement without an answer after both times together has not happened and will not happen.
 */
const START = 0.4;
const SILENCE = 1 + START;

/** How long a reading of the server's clock is used. */
const CLOCK_MS = 10_000;
const CLOCK = 'SELECT extract(epoch FROM clock_timestamp())::float8';

/** The only unit in the answer of a changing statement that started too late; real units count from 1. */
const TOO_LATE = 0;

const NAMES = new Map<string, string>();

/** Prepared once per session under this name. By its text, not its turn: a pooler that swaps sessions must never make us execute another statement. */
function nameOf(text: string): string {
  const known = NAMES.get(text);
  if (known !== undefined) return known;
  const name = `tessera_${hash('sha1', text)}`;
  NAMES.set(text, name);
  return name;
}

export class Connection {
  readonly #client: pg.Client;
  readonly #statementTimeoutMs: number;
  /** The server's clock in seconds, and our own clock when we had read it. */
  #clock: { readonly seconds: number; readonly readAt: number } | undefined;
  #lost = false;
  #warning: string | undefined;
  /** The server that the session is at, and its timeline, if they are known. */
  origin: string | undefined;

  constructor(client: pg.Client, { statementTimeoutMs }: Pick<Address, 'statementTimeoutMs'>) {
    this.#client = client;
    this.#statementTimeoutMs = statementTimeoutMs;
    client.on('error', () => this.#end());
    client.on('end', () => this.#end());
    client.on('notice', ({ message }) => {
      this.#warning = message;
    });
  }

  get isLost(): boolean {
    return this.#lost;
  }

  /** Throws the server's own error if it refused the statement, ConnectionLost if the result is unknown. */
  async run(text: string, values: readonly Parameter[] = [], name = nameOf(text)): Promise<Answer> {
    try {
      const asking = { name, text, values: [...values], rowMode: 'array' as const, types: { getTypeParser: readerOf } };
      const { rows, rowCount } = await this.#client.query<Value[]>(asking);
      return { rows, count: rowCount ?? 0 };
    } catch (error) {
      throw this.#faultOf(error);
    }
  }

  runUnprepared(text: string): Promise<Answer> {
    return this.run(text, [], '');
  }

  /** Runs a text of `changingText`: a server that hung must not later execute what we have reported as failed. */
  async change(text: string, values: readonly Parameter[]): Promise<Answer> {
    const latest = await this.#latestStart();
    const answer = await this.#unwarned(() => this.run(text, [...values, latest]));
    if (answer.rows[0]?.[0] !== TOO_LATE) return answer;
    this.#clock = undefined; // or the server's clock was set since
    throw new StartedTooLate();
  }

  /** Never later than by our own clock, however long reading the server's clock took. */
  async #latestStart(): Promise<number> {
    const latest = performance.now() + START * this.#statementTimeoutMs;
    if (!this.#clock || performance.now() - this.#clock.readAt > CLOCK_MS) {
      const { rows } = await this.run(CLOCK);
      this.#clock = { seconds: Number(rows[0]?.[0]), readAt: performance.now() };
    }
    return this.#clock.seconds + (latest - this.#clock.readAt) / 1000;
  }

  commit(): Promise<void> {
    return this.#unwarned(() => this.execute('COMMIT'));
  }

  /** A server that stopped waiting for its standby only warns: the commit may be lost with it, so the result is unknown. */
  async #unwarned<T>(work: () => Promise<T>): Promise<T> {
    this.#warning = undefined;
    const result = await work();
    if (this.#warning !== undefined) throw this.#faultOf(new Error(`the server warned: ${this.#warning}`));
    return result;
  }

  async execute(text: string): Promise<void> {
    try {
      await this.#client.query(text);
    } catch (error) {
      throw this.#faultOf(error);
    }
  }

  /** After a fault, which a fault of the rollback must not hide. */
  async rollBack(): Promise<void> {
    if (!this.#lost) await this.execute('ROLLBACK').catch(() => this.#end());
  }

  close(): void {
    this.#end();
  }

  #faultOf(error: unknown): unknown {
    if (isSessionUnfit(error)) this.#end();
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

/** Called with a session before it is prepared. A StoreUnusable that it throws ends the search for a host. */
export type Inspect = (connection: Connection, openAnother: () => Promise<Connection>) => Promise<void>;

/** Tries the hosts in order and uses the first that accepts writes. */
export async function connect(address: Address, inspect?: Inspect): Promise<Connection> {
  const attempts: Attempt[] = [];
  for (const host of address.hosts) {
    try {
      const { connection, client } = await openTo(host, address);
      const openAnother = async () => (await openTo(host, address)).connection;
      return await endUnless(connection, async () => {
        await inspect?.(connection, openAnother);
        await prepareSession(client, address);
        connection.origin = await originOf(client);
      });
    } catch (error) {
      if (error instanceof StoreUnusable) throw error;
      attempts.push({ host, error });
    }
  }
  throw new NoServer(attempts);
}

async function openTo(host: Host, address: Address) {
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
    stream: () => new SafeSocket(),
  });
  const connection = new Connection(client, address);
  await endUnless(connection, () => client.connect());
  return { connection, client };
}

async function endUnless(connection: Connection, work: () => Promise<unknown>): Promise<Connection> {
  try {
    await work();
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** `pg` throws in its listener if it cannot read what the server says, such as a request for GSSAPI. With TLS, its listener is elsewhere: docs/postgresql.md. */
class SafeSocket extends Socket {
  override emit(event: string | symbol, ...values: unknown[]): boolean {
    try {
      return super.emit(event, ...values);
    } catch (error) {
      this.destroy(error as Error);
      return true;
    }
  }
}

/** By default, TLS is verified for every connection that leaves the machine. */
function tlsOptions({ host }: Host, { sslMode, sslRootCertificate }: Address): pg.ClientConfig['ssl'] {
  const staysHere = host.startsWith('/') || ['localhost', '127.0.0.1', '::1'].includes(host);
  const mode = sslMode ?? (staysHere ? 'disable' : 'verify-full');
  if (mode === 'disable') return false;
  const ca = sslRootCertificate === undefined ? {} : { ca: readFileSync(sslRootCertificate, 'utf8') };
  if (mode === 'require') return { ...ca, rejectUnauthorized: false };
  return { ...ca, rejectUnauthorized: true, ...(mode === 'verify-ca' && { checkServerIdentity: () => undefined }) };
}
