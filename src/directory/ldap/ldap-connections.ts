// Connections to the servers of an LDAP directory. The only file that uses `ldapts`, which has one maintainer.
import { readFileSync } from 'node:fs';
import { connect as connectPlainly, isIP, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectSecurely } from 'node:tls';
import { AndFilter, Client, EqualityFilter, type Filter, FilterParser, OrFilter, ResultCodeError } from 'ldapts';
import { DirectoryAway, EntryUnreadable } from '../../core/faults.ts';
import { Secret } from '../../tokens/secret.ts';
import { Turns } from '../turns.ts';

export interface LdapServers {
  /** `ldaps://…`, or `ldap://…` with StartTLS; tried in turn. */
  readonly servers: readonly string[];
  /** PEM file; if absent, the public authorities. */
  readonly authorities?: string | undefined;
  readonly bindDn: string;
  readonly passwordFile: string;
  /** For each connection and each query. */
  readonly timeoutMs: number;
}

export interface LdapQuery {
  readonly base: string;
  readonly scope: 'base' | 'sub';
  /** One of these must be equal. Values are sent as octets, not as the text of a filter: there is nothing to escape. */
  readonly anyOf?: readonly (readonly [attribute: string, value: string | Buffer])[];
  /** RFC 4515, from the configuration. It must hold too. */
  readonly filter?: string | undefined;
  readonly attributes: readonly string[];
  /** Stops after this many. If absent, all entries are wanted. */
  readonly most?: number;
}

export interface LdapEntry {
  readonly dn: string;
  readonly texts: (attribute: string) => readonly string[];
  readonly bytes: (attribute: string) => readonly Buffer[];
}

const BINARY = ['objectGUID', 'objectSid', 'tokenGroups'];
const MOST_CONNECTIONS = 4;
const MOST_WAITING = 200;
/** Servers and firewalls close connections that are idle for minutes. */
const IDLE_MS = 30_000;
/** After all servers failed, nobody waits for them again for this long. */
const AWAY_MS = 3_000;
/** An answer with more is not used: servers stop at a number of their own, and what is missing would look as if it did not exist. */
const MOST_ENTRIES = 499;
/** RFC 4511 4.1.9: answers that mean that this password does not open this entry. */
const NO_ENTRY = [19, 32, 34, 48, 49, 50, 53];

interface Connection {
  readonly client: Client;
  readonly isLost: () => boolean;
  idleSince: number;
}

export class LdapConnections {
  readonly #servers: LdapServers;
  readonly #turns = new Turns(MOST_CONNECTIONS, MOST_WAITING);
  #idle: Connection[] = [];
  /** The server that answered last. */
  #first = 0;
  #away: { readonly until: number; readonly why: string } | undefined;
  /** Whether somebody is trying the servers again. The others do not wait for that. */
  #isTrying = false;

  constructor(servers: LdapServers) {
    this.#servers = servers;
  }

  async search(query: LdapQuery): Promise<readonly LdapEntry[]> {
    const { base, scope, attributes, most = MOST_ENTRIES + 1 } = query;
    const filter = filterOf(query);
    const options = {
      ...{ scope, ...(filter && { filter }), attributes: [...attributes] },
      ...{ explicitBufferAttributes: BINARY, sizeLimit: most },
    };
    const { searchEntries } = await this.#turns.run(() =>
      this.#withConnection((client) => client.search(base, options)),
    );
    if (searchEntries.length > MOST_ENTRIES)
      throw new EntryUnreadable(`more than ${MOST_ENTRIES} entries below ${base} match`);
    // Referrals are not followed: they would send the service account to servers that nobody configured.
    return searchEntries.map(entryOf);
  }

  /** Whether this password opens this entry, tried on a connection of its own. */
  async canBind(dn: string, password: Secret): Promise<boolean> {
    // RFC 4513 5.1.2: an empty password is a bind as nobody, which succeeds.
    if (dn === '' || password.reveal() === '') return false;
    const { client } = await this.#connectToAny();
    try {
      await client.bind(dn, password.reveal());
      return true;
    } catch (fault) {
      if (fault instanceof ResultCodeError && NO_ENTRY.includes(fault.code)) return false;
      throw away(fault);
    } finally {
      close(client);
    }
  }

  async problemOf(url: string): Promise<string | undefined> {
    return this.#connect(url, true).then(
      ({ client }) => close(client),
      (fault: unknown) => wordsOf(fault),
    );
  }

  async #withConnection<T>(work: (client: Client) => Promise<T>): Promise<T> {
    try {
      const idle = this.#takeIdle();
      if (idle) {
        const answer = await this.#use(idle, work).catch((fault: unknown) => fault as Error);
        if (!(answer instanceof Error)) return answer;
        // A connection that was closed meanwhile says nothing about the servers.
        if (answer instanceof ResultCodeError) throw answer;
      }
      return await this.#use(await this.#connectToAny(true), work);
    } catch (fault) {
      throw away(fault);
    }
  }

  #takeIdle(): Connection | undefined {
    const oldest = performance.now() - IDLE_MS;
    const usable = this.#idle.filter(({ isLost, idleSince }) => !isLost() && idleSince > oldest);
    for (const connection of this.#idle) if (!usable.includes(connection)) close(connection.client);
    const taken = usable.pop();
    this.#idle = usable;
    return taken;
  }

  async #use<T>(connection: Connection, work: (client: Client) => Promise<T>): Promise<T> {
    try {
      const answer = await work(connection.client);
      connection.idleSince = performance.now();
      this.#idle.push(connection);
      return answer;
    } catch (fault) {
      close(connection.client);
      throw fault;
    }
  }

  async #connectToAny(asService = false): Promise<Connection> {
    const { until, why } = this.#away ?? {};
    if (until !== undefined && (this.#isTrying || performance.now() < until)) throw new DirectoryAway(why);
    this.#isTrying = true;
    return this.#tryEach(asService).finally(() => {
      this.#isTrying = false;
    });
  }

  async #tryEach(asService: boolean): Promise<Connection> {
    const { servers } = this.#servers;
    const problems: string[] = [];
    for (let tried = 0; tried < servers.length; tried++) {
      const place = (this.#first + tried) % servers.length;
      const url = servers[place] ?? '';
      try {
        const connection = await this.#connect(url, asService);
        this.#first = place;
        this.#away = undefined;
        return connection;
      } catch (fault) {
        problems.push(`${url}: ${wordsOf(fault)}`);
      }
    }
    this.#away = { until: performance.now() + AWAY_MS, why: problems.join('; ') };
    throw new DirectoryAway(this.#away.why);
  }

  async #connect(url: string, asService: boolean): Promise<Connection> {
    const { bindDn, passwordFile, authorities, timeoutMs } = this.#servers;
    const { protocol, hostname } = new URL(url);
    const host = hostname.replace(/^\[|\]$/g, '');
    const security: ConnectionOptions = {
      host,
      ...(isIP(host) === 0 && { servername: host }),
      ...(authorities !== undefined && { ca: readAuthorities(authorities) }),
      minVersion: 'TLSv1.2',
    };
    let socket: Socket | undefined;
    const isSecure = protocol === 'ldaps:';
    const connect = ((port: number) => {
      socket = isSecure ? connectSecurely({ ...security, port }) : connectPlainly(port, host);
      return socket;
    }) as never;
    const client = new Client({
      url,
      timeout: timeoutMs,
      connectTimeout: timeoutMs,
      ...(isSecure ? { createSecureConnection: connect } : { createConnection: connect }),
    });
    const deadline = setTimeout(() => socket?.destroy(new Error('the server took too long')), 2 * timeoutMs);
    try {
      if (!isSecure) await client.startTLS(security);
      if (asService) await client.bind(bindDn, readPassword(passwordFile).reveal());
      // An idle connection must not keep a command from ending; a query has a timer that does.
      socket?.unref();
      return { client, isLost: () => socket?.destroyed ?? false, idleSince: performance.now() };
    } catch (fault) {
      close(client);
      throw fault;
    } finally {
      clearTimeout(deadline);
    }
  }
}

/** Read for every connection, so that a new password applies without a restart. */
function readPassword(file: string): Secret {
  const password = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  if (password === '') throw new Error(`${file} is empty`);
  return new Secret(password);
}

/** Node ignores a file without certificates, and then trusts nobody. */
function readAuthorities(file: string): string {
  const pem = readFileSync(file, 'utf8');
  if (!pem.includes('-----BEGIN CERTIFICATE-----')) throw new Error(`${file} has no certificate in PEM`);
  return pem;
}

function close(client: Client): undefined {
  void client.unbind().catch(() => undefined);
  return undefined;
}

function filterOf({ anyOf = [], filter }: LdapQuery): Filter | undefined {
  const equal = anyOf.map(([attribute, value]) => new EqualityFilter({ attribute, value }));
  const parts = [
    ...(filter === undefined ? [] : [FilterParser.parseString(filter)]),
    ...(equal.length > 0 ? [new OrFilter({ filters: equal })] : []),
  ];
  return parts.length > 1 ? new AndFilter({ filters: parts }) : parts[0];
}

export function filterFlaw(text: string): string | undefined {
  try {
    FilterParser.parseString(text);
    return undefined;
  } catch (fault) {
    return wordsOf(fault);
  }
}

/** Servers choose how they spell the names of attributes. */
function entryOf({ dn, ...attributes }: { readonly dn: string; readonly [name: string]: unknown }): LdapEntry {
  const values = new Map(Object.entries(attributes).map(([name, value]) => [name.toLowerCase(), [value].flat()]));
  const valuesOf = (name: string): readonly unknown[] => values.get(name.toLowerCase()) ?? [];
  return {
    dn,
    texts: (name) => valuesOf(name).filter((value): value is string => typeof value === 'string'),
    bytes: (name) => valuesOf(name).filter((value): value is Buffer => Buffer.isBuffer(value)),
  };
}

function away(fault: unknown): unknown {
  return fault instanceof DirectoryAway ? fault : new DirectoryAway(wordsOf(fault));
}

function wordsOf(fault: unknown): string {
  const { message, code } = fault as Error & { code?: unknown };
  const words = message || (typeof code === 'string' ? code : String(fault));
  // Such as `invalid credentials: …`: servers send a number, and often nothing else.
  const kind =
    fault instanceof ResultCodeError ? `${fault.name.replace(/Error$/, '').replace(/\B[A-Z]/g, ' $&')}: ` : '';
  return (kind.toLowerCase() + words).replace(/\s+/g, ' ').trim();
}
