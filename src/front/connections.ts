// The open connections of a listener. One over the limit takes the place of the one that has been idle for longest.
import type { IncomingMessage } from 'node:http';
import type { ServerHttp2Session, ServerHttp2Stream } from 'node:http2';
import type { Server, Socket } from 'node:net';
import type { Peers } from '../doors/caller/connection.ts';
import type { Connection, InProgress } from './in-progress.ts';
import { LEAST_IDLE_MS, type Limits } from './limits.ts';
import { originOf, Shares } from './shares.ts';

const CONNECTION = Symbol('connection of this socket');
type Known<T> = T & { [CONNECTION]?: Connection };

export class Connections {
  readonly #open = new Map<string, Connection>();
  /** Without a request in progress, the longest idle first. */
  readonly #idle = new Set<Connection>();
  readonly #limits: Limits;
  readonly #shares: Shares;
  readonly #peers: Peers;
  #closesIdle = false;
  onClosed: (connection: Connection) => void = () => undefined;

  constructor(limits: Limits, peers: Peers) {
    this.#limits = limits;
    this.#peers = peers;
    this.#shares = new Shares(limits.connections, limits.addressShare, limits.networkShare);
  }

  /** Runs before the server does anything else with a new socket. */
  guard(server: Server): void {
    server.prependListener('connection', (socket: Socket) => {
      if (!this.#admit(socket)) socket.destroy();
    });
    server.on('session', (session: Known<ServerHttp2Session>) => {
      const connection = this.#find(session.socket);
      if (!connection) return session.destroy();
      connection.session = session;
      session[CONNECTION] = connection;
    });
  }

  get count(): number {
    return this.#open.size;
  }

  all(): Iterable<Connection> {
    return this.#open.values();
  }

  /** Undefined if it was closed a moment ago. */
  of(raw: IncomingMessage): Connection | undefined {
    const { stream } = raw as { stream?: ServerHttp2Stream };
    return stream ? (stream.session as Known<ServerHttp2Session> | undefined)?.[CONNECTION] : this.at(raw.socket);
  }

  /** The same for a socket of HTTP/1.1. */
  at(socket: Known<Socket>): Connection | undefined {
    const found = socket[CONNECTION] ?? this.#find(socket);
    if (found) socket[CONNECTION] = found;
    return found;
  }

  begin({ connection }: InProgress): void {
    this.#idle.delete(connection);
  }

  end({ connection }: InProgress): void {
    connection.idleSince = performance.now();
    if (connection.requests.length > 0 || connection.socket.destroyed) return;
    this.#idle.add(connection);
    const { whenIdle } = connection;
    connection.whenIdle = undefined;
    whenIdle?.();
    if (this.#closesIdle) connection.session?.close();
  }

  /** Closes HTTP/2 sessions without requests, and others once they have none. Node has this for HTTP/1.1 only. */
  closeIdleSessions(): void {
    this.#closesIdle = true;
    for (const { session } of this.#idle) session?.close();
  }

  destroyAll(): void {
    for (const { socket } of this.#open.values()) socket.destroy();
  }

  #admit(socket: Socket): boolean {
    // The address is undefined if the caller is gone already.
    if (socket.destroyed || socket.remoteAddress === undefined) return false;
    const address = this.#peers.plain(socket.remoteAddress);
    const isProxy = this.#peers.isProxy(address);
    const origin = isProxy ? undefined : originOf(address);
    if (this.#shares.isFull(origin)) return false;
    if (this.#open.size >= this.#limits.connections && !this.#closeLongestIdle()) return false;
    const now = performance.now();
    const connection: Connection = {
      ...{ socket, address, origin, isProxy, requests: [], openedAt: now, idleSince: now },
      ...{ session: undefined, isClosing: false, whenIdle: undefined },
    };
    this.#shares.take(origin);
    const key = keyOf(socket);
    this.#open.set(key, connection);
    this.#idle.add(connection);
    socket.once('close', () => {
      if (this.#open.get(key) === connection) this.#open.delete(key);
      this.#idle.delete(connection);
      this.#shares.release(origin);
      this.onClosed(connection);
    });
    return true;
  }

  #closeLongestIdle(): boolean {
    for (const connection of this.#idle) {
      if (performance.now() - connection.idleSince < LEAST_IDLE_MS) return false;
      if (connection.isProxy) continue;
      this.#idle.delete(connection);
      connection.socket.destroy();
      return true;
    }
    return false;
  }

  /** TLS and HTTP/2 have socket objects of their own for the same connection. */
  #find(socket: Ends): Connection | undefined {
    return this.#open.get(keyOf(socket));
  }
}

type Ends = Pick<Socket, 'remoteAddress' | 'remotePort' | 'localAddress'>;

/** One listener has one port, but may have several addresses. */
function keyOf({ remoteAddress, remotePort, localAddress }: Ends): string {
  return `${remoteAddress} ${remotePort} ${localAddress}`;
}
