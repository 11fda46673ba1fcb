// The caller's address and agent, read from the connection or, behind a listed proxy, from its headers.
import type { IncomingHttpHeaders } from 'node:http';
import { isIP, SocketAddress } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { FastifyRequest } from 'fastify';
import { networkOf, type Presenter, presenter } from '../../core/presenter.ts';
import { parseTraceParent, type TraceParent } from '../../core/trace-parent.ts';
import { rangeMatcher } from '../../outbound/address-filter.ts';

export interface Connection {
  /** Whether the peer is a listed proxy: then its headers name the caller, and its own certificate is ignored. */
  readonly isProxied: boolean;
  readonly presenter: Presenter;
  /** The key for limits per address. */
  readonly network: string;
  /** The caller's span, if the request names one. It proves nothing. */
  readonly trace?: TraceParent;
}

export type ReadConnection = (request: FastifyRequest) => Connection;

// Read once, when the request arrives: after the reply, an HTTP/2 stream has no socket any more.
const CONNECTION = Symbol('connection of the request');
type ReadRequest = FastifyRequest & { [CONNECTION]?: Connection };

// Cached per socket: the address of a connection never changes, and its agent rarely does.
const SHOWN = Symbol('cached connection');
interface Shown {
  readonly agent: string;
  readonly connection: Connection;
}
type KeptSocket = FastifyRequest['raw']['socket'] & { [SHOWN]?: Shown };

/** `proxies`: addresses and CIDR ranges whose headers are trusted. */
export function connectionReader(proxies: readonly string[]): ReadConnection {
  const isProxy = rangeMatcher(proxies);
  return (request: ReadRequest) => {
    request[CONNECTION] ??= withTrace(readConnection(request), request.headers['traceparent']);
    return request[CONNECTION];
  };

  function readConnection({ raw, headers }: FastifyRequest): Connection {
    const socket: KeptSocket = raw.socket;
    const agent = headers['user-agent'] ?? '';
    const shown = raw.httpVersionMajor === 1 ? socket[SHOWN] : undefined;
    if (shown?.agent === agent) return shown.connection;
    const peer = plainAddress(socket.remoteAddress ?? '');
    if (isProxy(peer)) {
      const address = forwardedAddress(headers['x-forwarded-for'], peer, isProxy);
      return connectionOf(address, agent, { isProxied: true });
    }
    const connection = connectionOf(peer, agent, { isProxied: false });
    if (raw.httpVersionMajor === 1) socket[SHOWN] = { agent, connection };
    return connection;
  }
}

function withTrace(connection: Connection, header: string | string[] | undefined): Connection {
  const trace = header === undefined ? undefined : parseTraceParent(header);
  if (!trace) return connection;
  return { ...connection, presenter: { ...connection.presenter, traceId: trace.traceId }, trace };
}

function connectionOf(address: string, agent: string, { isProxied }: Pick<Connection, 'isProxied'>): Connection {
  const shown = presenter(address, agent);
  return { isProxied, presenter: shown, network: networkOf(shown.address) };
}

/** Reads addresses for limits that apply before there is a request. */
export interface Peers {
  readonly plain: (address: string) => string;
  readonly isProxy: (address: string) => boolean;
  /** The address of the caller that a proxy forwards for. */
  readonly callerOf: (proxy: string, headers: IncomingHttpHeaders) => string;
}

export function networkMatcher(networks: readonly string[]): (address: string) => boolean {
  const isListed = rangeMatcher(networks);
  return (address) => isListed(plainAddress(address));
}

export function peersOf(proxies: readonly string[]): Peers {
  const isProxy = networkMatcher(proxies);
  return {
    plain: plainAddress,
    isProxy,
    callerOf: (proxy, headers) => forwardedAddress(headers['x-forwarded-for'], proxy, isProxy),
  };
}

/** Listed proxies that a request can come through. */
const MOST_HOPS = 20;

/** The rightmost address that is not a listed proxy. Callers can forge everything to the left of it. Read from the right: 16,000 commas
 *  took 0.4 ms to split. */
function forwardedAddress(header: string | string[] | undefined, peer: string, isProxy: Peers['isProxy']): string {
  const text = [header ?? []].flat().join(',');
  let end = text.length;
  for (let hops = 0; hops < MOST_HOPS && end > 0; hops += 1) {
    const begin = text.lastIndexOf(',', end - 1) + 1;
    const hop = hopAddress(text.slice(begin, end).trim());
    end = begin - 1;
    if (hop === '') continue;
    if (!isIP(hop)) return peer;
    if (!isProxy(hop)) return hop;
  }
  return peer;
}

const MAPPED = '::ffff:';

/** Turns an IPv4-mapped IPv6 address, however it is written, into IPv4. */
function plainAddress(address: string): string {
  if (!address.includes(':')) return address;
  const plain = unmapped(address);
  if (plain !== undefined || !/ffff:/i.test(address) || isIP(address) !== 6) return plain ?? address;
  return unmapped(new SocketAddress({ address, family: 'ipv6' }).address) ?? address;
}

function unmapped(address: string): string | undefined {
  const rest = address.slice(MAPPED.length);
  return address.startsWith(MAPPED) && isIP(rest) === 4 ? rest : undefined;
}

const WITH_PORT = /^(?:([0-9.]+):[0-9]+|\[([^\]]+)\](?::[0-9]+)?)$/;

/** Some proxies add the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function hopAddress(hop: string): string {
  const [, v4, v6] = WITH_PORT.exec(hop) ?? [];
  return plainAddress(v4 ?? v6 ?? hop);
}

export function tlsSocketOf(request: FastifyRequest): TLSSocket | undefined {
  // HTTP/2 hides the socket behind a proxy object; its session has the real one.
  const { stream } = request.raw as { stream?: { session?: { socket?: unknown } } };
  const socket = stream?.session?.socket ?? request.raw.socket;
  return socket instanceof TLSSocket ? socket : undefined;
}
