// What the connection shows of the caller: address, agent, certificate. Behind a listed proxy the headers speak for it.
import type { IncomingHttpHeaders } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { FastifyRequest } from 'fastify';
import { networkOf, type Presenter, presenter } from '../../core/presenter.ts';

export interface Connection {
  /** Whether the peer is a listed proxy: then only its headers count, never its own certificate. */
  readonly isProxied: boolean;
  readonly presenter: Presenter;
  /** What limits per address go by. */
  readonly network: string;
}

export type ReadConnection = (request: FastifyRequest) => Connection;

// Read once, when the request arrives: an HTTP/2 stream that has been answered no longer knows its socket.
const CONNECTION = Symbol('connection of the request');
type ReadRequest = FastifyRequest & { [CONNECTION]?: Connection };

// What a connection showed last: its address stays, and whoever calls again mostly calls as the same agent.
const SHOWN = Symbol('what the connection shows');
interface Shown {
  readonly agent: string;
  readonly connection: Connection;
}
type KeptSocket = FastifyRequest['raw']['socket'] & { [SHOWN]?: Shown };

/** `proxies`: addresses and CIDR ranges whose headers are believed. */
export function connectionReader(proxies: readonly string[]): ReadConnection {
  const listed = listOf(proxies);
  return (request: ReadRequest) => {
    request[CONNECTION] ??= readConnection(request);
    return request[CONNECTION];
  };

  function readConnection({ raw, headers }: FastifyRequest): Connection {
    const socket: KeptSocket = raw.socket;
    const agent = headers['user-agent'] ?? '';
    const shown = raw.httpVersionMajor === 1 ? socket[SHOWN] : undefined;
    if (shown?.agent === agent) return shown.connection;
    const peer = plainAddress(socket.remoteAddress ?? '');
    if (proxies.length > 0 && isListed(listed, peer)) {
      const address = forwardedAddress(headers['x-forwarded-for'], peer, listed);
      return connectionOf(address, agent, { isProxied: true });
    }
    const connection = connectionOf(peer, agent, { isProxied: false });
    if (raw.httpVersionMajor === 1) socket[SHOWN] = { agent, connection };
    return connection;
  }
}

function connectionOf(address: string, agent: string, { isProxied }: Pick<Connection, 'isProxied'>): Connection {
  const shown = presenter(address, agent);
  return { isProxied, presenter: shown, network: networkOf(shown.address) };
}

/** Addresses as limits see them, before there is a request that a door could read. */
export interface Peers {
  readonly plain: (address: string) => string;
  /** Whether an address is one of the listed proxies. */
  readonly isProxy: (address: string) => boolean;
  /** Whose request it is that a proxy forwards. */
  readonly callerOf: (proxy: string, headers: IncomingHttpHeaders) => string;
}

export function peersOf(proxies: readonly string[]): Peers {
  const listed = listOf(proxies);
  return {
    plain: plainAddress,
    isProxy: (address) => proxies.length > 0 && isListed(listed, plainAddress(address)),
    callerOf: (proxy, headers) => forwardedAddress(headers['x-forwarded-for'], proxy, listed),
  };
}

/** The rightmost address that is not a listed proxy's: everything to the left of it is hearsay. */
function forwardedAddress(header: string | string[] | undefined, peer: string, listed: BlockList): string {
  const hops = [header ?? []]
    .flat()
    .join(',')
    .split(',')
    .map((hop) => plainAddress(hop.trim()))
    .filter(Boolean);
  for (const hop of hops.reverse()) {
    if (!isIP(hop)) return peer;
    if (!isListed(listed, hop)) return hop;
  }
  return peer;
}

function listOf(addresses: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of addresses) {
    const [address = '', prefix] = entry.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  return list;
}

function isListed(list: BlockList, address: string): boolean {
  const family = isIP(address);
  return family !== 0 && list.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

/** IPv4 in IPv6 clothes is IPv4. */
function plainAddress(address: string): string {
  return address.startsWith('::ffff:') && isIP(address.slice(7)) === 4 ? address.slice(7) : address;
}

export function tlsSocketOf(request: FastifyRequest): TLSSocket | undefined {
  // HTTP/2 hides the socket behind a proxy object; its session has the real one.
  const { stream } = request.raw as { stream?: { session?: { socket?: unknown } } };
  const socket = stream?.session?.socket ?? request.raw.socket;
  return socket instanceof TLSSocket ? socket : undefined;
}
