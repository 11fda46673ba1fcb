// Limits open sockets per address, before TLS or anything else is known about them.
import type { Server, Socket } from 'node:net';
import type { Peers } from '../caller/connection.ts';
import type { Handshakes } from './handshakes.ts';
import { isOverShare, type ShareLimit, type Shares } from './shares.ts';
import type { Opened, Yielding } from './yielding.ts';

export interface ConnectionRules {
  readonly shares: Shares;
  readonly limit: ShareLimit;
  readonly peers: Peers;
  readonly yielding: Yielding;
  /** With TLS: decides when a handshake may begin. */
  readonly handshakes: Handshakes | undefined;
}

export class Connections {
  readonly #open = new Map<Socket, Opened>();
  readonly #rules: ConnectionRules;

  /** Runs before the server does anything else with a new socket. */
  constructor(server: Server, rules: ConnectionRules) {
    this.#rules = rules;
    const listeners = server.listeners('connection');
    server.removeAllListeners('connection');
    server.on('connection', (socket: Socket) => {
      if (socket.destroyed) return;
      if (!this.#admit(socket)) return void socket.destroy();
      rules.yielding.makeRoom(this.#open);
      const begin = () => {
        for (const listener of listeners) listener.call(server, socket);
      };
      if (rules.handshakes) rules.handshakes.admit(socket, socket.remoteAddress ?? '', begin);
      else begin();
    });
  }

  get count(): number {
    return this.#open.size;
  }

  destroyAll(): void {
    for (const socket of this.#open.keys()) socket.destroy();
  }

  #admit(socket: Socket): boolean {
    const { shares, limit, peers } = this.#rules;
    const address = peers.plain(socket.remoteAddress ?? '');
    const party = shares.enter(address);
    if (isOverShare(party, 'connections', limit) && !peers.isProxy(address)) {
      shares.leave(party);
      return false;
    }
    this.#count(party, 1);
    this.#open.set(socket, { party, at: performance.now() });
    socket.once('close', () => {
      this.#open.delete(socket);
      this.#count(party, -1);
      shares.leave(party);
    });
    return true;
  }

  #count(party: ReturnType<Shares['enter']>, by: 1 | -1): void {
    party.connections += by;
    party.network.connections += by;
  }
}
