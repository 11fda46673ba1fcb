// The open connections of a listener and their requests. One too many takes the place of the one that has been idle for longest.
import type { ServerHttp2Session } from 'node:http2';
import type { Server, Socket } from 'node:net';
import type { Peers } from '../doors/caller/connection.ts';
import type { Connection, InProgress } from './in-progress.ts';
import { FRONT, type Limits } from './limits.ts';
import { OF_PROXY, originOf, type Shares, sharesOf } from './shares.ts';
import { Unread } from './unread.ts';

const LOOK_EVERY_MS = 1_000;

export class Connections {
  readonly #open = new Map<string, Connection>();
  /** Without a request in progress, the longest idle first. Without those of proxies. */
  readonly #idle = new Set<Connection>();
  readonly #unread = new Unread();
  readonly #limits: Limits;
  readonly #shares: Shares;
  readonly #peers: Peers;
  #timer: NodeJS.Timeout | undefined;
  /** Called when a request has ended: its answer is sent, or its caller is gone. */
  onEnd: (request: InProgress) => void = () => undefined;

  constructor(limits: Limits, peers: Peers) {
    this.#limits = limits;
    this.#peers = peers;
    this.#shares = sharesOf(limits.connections, limits);
  }

  /** Runs before the server does anything else with a new socket. `proxiesOnly`: others are closed. */
  guard(server: Server, proxiesOnly: boolean): void {
    server.prependListener('connection', (socket: Socket) => {
      if (!this.#admit(socket, proxiesOnly)) socket.destroy();
    });
    server.on('session', (session: ServerHttp2Session) => {
      const connection = this.at(session.socket);
      if (connection) connection.session = session;
      else session.destroy();
    });
    this.#timer = setInterval(() => this.#endStalled(performance.now()), LOOK_EVERY_MS).unref();
  }

  get count(): number {
    return this.#open.size;
  }

  all(): Iterable<Connection> {
    return this.#open.values();
  }

  /** Undefined if it was closed a moment ago. TLS and HTTP/2 have socket objects of their own for the same connection. */
  at(socket: Ends): Connection | undefined {
    return this.#open.get(keyOf(socket));
  }

  begin(request: InProgress): void {
    request.connection.requests.push(request);
    this.#idle.delete(request.connection);
    request.response.on('close', () => this.#end(request));
  }

  /** Its answer is ready. A caller that does not read it holds memory. */
  awaitReading(request: InProgress): void {
    this.#unread.add(request);
    const { oldest, size } = this.#unread;
    if (size <= FRONT.unread.most || !oldest) return;
    if (performance.now() - (oldest.answeredAt as number) >= FRONT.unread.afterMs) oldest.connection.socket.destroy();
  }

  /** HTTP/2 sessions end when their requests have. Node has this for HTTP/1.1 only. */
  closeSessions(): void {
    for (const { session } of this.#open.values()) session?.close();
  }

  destroyAll(): void {
    for (const { socket } of this.#open.values()) socket.destroy();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #admit(socket: Socket, proxiesOnly: boolean): boolean {
    // The address is undefined if the caller is gone already.
    if (socket.destroyed || socket.remoteAddress === undefined) return false;
    const address = this.#peers.plain(socket.remoteAddress);
    const isProxy = this.#peers.isProxy(address);
    if (proxiesOnly && !isProxy) return false;
    const origin = isProxy ? OF_PROXY : originOf(address);
    if (this.#shares.full(origin, 1) !== undefined) return false;
    if (this.#shares.full(origin) !== undefined && !this.#closeLongestIdle()) return false;
    this.#keep({
      ...{ socket, address, origin, isProxy },
      requests: [],
      idleSince: 0,
      session: undefined,
      isClosing: false,
      isBroken: false,
    });
    return true;
  }

  #keep(connection: Connection): void {
    const { socket, origin, requests } = connection;
    const key = keyOf(socket);
    this.#shares.take(origin);
    this.#open.set(key, connection);
    this.#wait(connection);
    socket.once('close', () => {
      if (this.#open.get(key) === connection) this.#open.delete(key);
      this.#idle.delete(connection);
      this.#shares.release(origin);
      for (const request of [...requests]) this.#end(request);
    });
  }

  #wait(connection: Connection): void {
    connection.idleSince = performance.now();
    if (!connection.isProxy && !connection.socket.destroyed) this.#idle.add(connection);
  }

  #closeLongestIdle(): boolean {
    const [longest] = this.#idle;
    if (!longest || performance.now() - longest.idleSince < FRONT.connections.idleMs) return false;
    this.#idle.delete(longest);
    longest.socket.destroy();
    return true;
  }

  #end(request: InProgress): void {
    const { connection } = request;
    const at = connection.requests.indexOf(request);
    if (at < 0) return;
    connection.requests.splice(at, 1);
    this.onEnd(request);
    this.#unread.delete(request);
    if (connection.requests.length === 0) this.#wait(connection);
  }

  /** What Node has no limit for: unread answers; frames such as PING and empty lines, which would keep a connection open for ever. */
  #endStalled(now: number): void {
    const { requestTimeoutMs, idleTimeoutMs } = this.#limits;
    for (const request of this.#unread) {
      if (now - (request.answeredAt as number) < requestTimeoutMs) break;
      request.disconnect();
    }
    for (const { idleSince, session, socket } of this.#idle) {
      const lateMs = now - idleSince - idleTimeoutMs;
      if (lateMs < 0) break;
      session?.close();
      // The headers of a next request may be on their way, and an HTTP/2 peer may not read the GOAWAY frame.
      if (lateMs > requestTimeoutMs) socket.destroy();
    }
  }
}

type Ends = Pick<Socket, 'remoteAddress' | 'remotePort' | 'localAddress'>;

/** One listener has one port, but may have several addresses. */
function keyOf({ remoteAddress, remotePort, localAddress }: Ends): string {
  return `${remoteAddress} ${remotePort} ${localAddress}`;
}
