// When nearly all connections are taken: those of strangers that do nothing yield to newcomers.
import type { Socket } from 'node:net';
import type { Places, Visitor } from './places.ts';
import type { Party } from './shares.ts';

/** Percent of all connections that are kept free this way. */
const SPARE = 5;
/** Between two searches, which look at all connections. */
const SEARCH_EVERY_MS = 20;
/** For a handshake and the first request. */
const SILENT_MS = 1000;

/** Since when a connection is open, and whose it is. */
export interface Opened {
  readonly party: Party;
  readonly at: number;
}

interface Candidate {
  readonly socket: Socket;
  readonly party: Party;
  readonly idleSince: number;
}

export class Yielding {
  readonly #visitors: () => Places['visitors'];
  readonly #most: number;
  #searchedAt = Number.NEGATIVE_INFINITY;

  constructor(visitors: () => Places['visitors'], most: number) {
    [this.#visitors, this.#most] = [visitors, most];
  }

  /** `open`: all connections, the newest included. */
  makeRoom(open: ReadonlyMap<Socket, Opened>, now = performance.now()): void {
    const spare = Math.ceil((this.#most * SPARE) / 100);
    if (open.size <= this.#most - spare || now < this.#searchedAt + SEARCH_EVERY_MS) return;
    this.#searchedAt = now;
    const idle = [...this.#idle(), ...this.#silent(open, now)];
    // Those of whoever has most come first, then those that have waited longest.
    idle.sort((a, b) => b.party.network.connections - a.party.network.connections || a.idleSince - b.idleSince);
    for (const { socket } of idle.slice(0, spare)) socket.destroy();
  }

  *#idle(): Iterable<Candidate> {
    for (const { socket, party, isKnown, isProxy, places, lastUsedAt } of this.#visitors())
      if (!isKnown && !isProxy && places.length === 0) yield { socket, party, idleSince: lastUsedAt };
  }

  /** Without a request so far. */
  *#silent(open: ReadonlyMap<Socket, Opened>, now: number): Iterable<Candidate> {
    const visited = new Set([...this.#visitors()].map(socketBelow));
    for (const [socket, { party, at }] of open)
      if (now - at >= SILENT_MS && !visited.has(socket)) yield { socket, party, idleSince: at };
  }
}

/** The one that was accepted: TLS is a socket on top of it. */
function socketBelow({ socket }: Visitor): Socket {
  return (socket as unknown as { readonly _parent?: Socket | null })._parent ?? socket;
}
