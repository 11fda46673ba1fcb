// postgres://user:password@host:port,host:port/database?sslmode=verify-full&…
import { readFileSync } from 'node:fs';

/** May hold a password: its text is revealed only on request. */
export interface HiddenUrl {
  reveal(): string;
}

export class StoreAddressFault extends Error {
  override readonly name = 'StoreAddressFault';
  readonly todo = 'See "The address" in docs/postgresql.md.';
}

export interface Host {
  /** A name, an address, or the folder of a Unix socket. */
  readonly host: string;
  readonly port: number;
}

export type SslMode = (typeof SSL_MODES)[number];

export interface Address {
  /** Tried in this order; the first that accepts writes is used. */
  readonly hosts: readonly Host[];
  readonly database: string;
  /** The schema of the tables. Sessions use no other, whatever search_path the role has. */
  readonly schema: string;
  readonly user: string;
  /** Read at every connection, so that a password may change while the service runs. */
  readonly password: () => string | undefined;
  readonly sslMode: SslMode | undefined;
  readonly sslRootCertificate: string | undefined;
  readonly connectTimeoutMs: number;
  readonly statementTimeoutMs: number;
  readonly connections: number;
  readonly applicationName: string;
}

const SSL_MODES = ['disable', 'require', 'verify-ca', 'verify-full'] as const;
const PARAMETERS = [
  'host',
  'sslmode',
  'sslrootcert',
  'passwordFile',
  'connect_timeout',
  'statement_timeout',
  'connections',
  'schema',
  'application_name',
  'target_session_attrs',
];
const DEFAULT_PORT = 5432;
const SHAPE = /^postgres(?:ql)?:\/\/(?:([^:@/]*)(?::([^@/]*))?@)?([^/?]*)\/([^?/]+)(?:\?(.*))?$/;

/** Error messages do not repeat the URL: it may hold a password. */
export function parseAddress(url: HiddenUrl, environment: NodeJS.ProcessEnv): Address {
  const [, user, password, hosts, database, query] =
    SHAPE.exec(url.reveal()) ?? fail('is not postgres://HOST/DATABASE');
  const given = new URLSearchParams(query ?? '');
  for (const name of given.keys()) if (!PARAMETERS.includes(name)) fail(`has an unknown parameter: ${name}`);
  if ((given.get('target_session_attrs') ?? 'read-write') !== 'read-write') {
    fail('says target_session_attrs: only read-write makes sense, and is always so');
  }
  return {
    hosts: parseHosts(given.get('host') ?? decodeURIComponent(hosts ?? '')),
    database: decodeURIComponent(database ?? ''),
    schema: given.get('schema') || 'public',
    user: decodeURIComponent(user ?? '') || environment['PGUSER'] || fail('names no user'),
    password: passwordSource(password, given.get('passwordFile'), environment),
    sslMode: parseSslMode(given.get('sslmode')),
    sslRootCertificate: given.get('sslrootcert') ?? undefined,
    connectTimeoutMs: wholeNumber(given, 'connect_timeout', 3) * 1000,
    statementTimeoutMs: wholeNumber(given, 'statement_timeout', 5000),
    connections: wholeNumber(given, 'connections', 8),
    applicationName: given.get('application_name') ?? 'tessera',
  };
}

function parseHosts(text: string): Host[] {
  if (text.includes('@')) fail('has an @ in its host: write one that belongs to the user or the password as %40');
  return text.split(',').map((each) => {
    const [, bracketed, plain, port] =
      /^(?:\[([^\]]+)\]|([^:]*))(?::(\d+))?$/.exec(each) ?? fail('has a malformed host');
    return { host: bracketed ?? (plain || 'localhost'), port: Number(port ?? DEFAULT_PORT) };
  });
}

function passwordSource(inUrl: string | undefined, file: string | null, environment: NodeJS.ProcessEnv) {
  if (inUrl !== undefined && file !== null) fail('has a password and a passwordFile: one of them is enough');
  if (inUrl !== undefined) return () => decodeURIComponent(inUrl);
  if (file !== null) return () => readFileSync(file, 'utf8').trimEnd();
  return () => environment['PGPASSWORD'];
}

function parseSslMode(text: string | null): SslMode | undefined {
  if (text === null) return undefined;
  return SSL_MODES.find((mode) => mode === text) ?? fail(`has an sslmode that is none of ${SSL_MODES.join(', ')}`);
}

function wholeNumber(given: URLSearchParams, name: string, otherwise: number): number {
  const value = Number(given.get(name) ?? otherwise);
  return Number.isInteger(value) && value > 0 ? value : fail(`needs a whole number above 0 as ${name}`);
}

function fail(what: string): never {
  throw new StoreAddressFault(`the store's address ${what}`);
}
