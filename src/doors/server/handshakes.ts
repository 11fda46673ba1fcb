// Decides which new connections may begin their TLS handshake, which costs more than most requests. They begin at once, a
// hundred together. If more keep coming, handshakes get a share of the time, a small one while requests need the rest: they
// begin one address after another, the newest of each first, because callers that waited long are often gone. Connections
// that cannot begin in time are closed before any work is done for them.
import type { Socket } from 'node:net';
import type { Pressure } from './pressure.ts';

const STEP_MS = 20;
/** Handshakes that may begin at once. */
const BURST = 100;
/** Share of the time for further handshakes, and their share if requests need all of the time. */
const SHARE = 0.5;
const LEAST_SHARE = 0.05;
/** Requests need all of the time if the process has none left and spends this share on them. */
const SERVING = 0.2;
/** A connection that has waited this long is closed. */
const WAIT_MS = 1000;
const MOST_WAITING_PER_ADDRESS = 50;
/** While this many wait, the listener drops further ones, which is cheaper than to accept and close them. */
const MOST_WAITING = 200;

interface Waiting {
  readonly socket: Socket;
  readonly begin: () => void;
  readonly since: number;
}

/** The part of a server that drops connections. */
export interface Listening {
  maxConnections: number;
}

export class Handshakes {
  readonly #pressure: Pressure;
  readonly #listening: Listening;
  /** By address, in turn. */
  readonly #waiting = new Map<string, Waiting[]>();
  #count = 0;
  /** Handshakes that may begin now. */
  #credit = BURST;
  /** The listener's own limit, while it drops every connection. */
  #usualLimit: number | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(pressure: Pressure, listening: Listening) {
    this.#pressure = pressure;
    this.#listening = listening;
  }

  /** Calls `begin` now or later, or closes the socket. */
  admit(socket: Socket, address: string, begin: () => void): void {
    this.#pressure.arrive();
    this.#timer ??= setInterval(() => this.#step(), STEP_MS).unref();
    if (this.#count === 0 && this.#credit >= 1) this.#begin(begin);
    else this.#enqueue(socket, address, begin);
  }

  #enqueue(socket: Socket, address: string, begin: () => void): void {
    const queue = this.#waiting.get(address) ?? [];
    if (queue.length >= MOST_WAITING_PER_ADDRESS) return void socket.destroy();
    queue.push({ socket, begin, since: performance.now() });
    this.#waiting.set(address, queue);
    this.#count += 1;
    if (this.#count < MOST_WAITING || this.#usualLimit !== undefined) return;
    this.#usualLimit = this.#listening.maxConnections;
    this.#listening.maxConnections = 0;
  }

  #step(): void {
    this.#pressure.arrive(); // updates its figures
    this.#closeLate();
    this.#credit = Math.min(BURST, this.#credit + (this.#perSecond() * STEP_MS) / 1000);
    while (this.#credit >= 1 && this.#count > 0) this.#beginNext();
    this.#listenAgain();
    if (this.#count > 0 || this.#credit < BURST) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #perSecond(): number {
    const { isSaturated, servingShare, handshakeMs } = this.#pressure;
    return (1000 * (isSaturated && servingShare > SERVING ? LEAST_SHARE : SHARE)) / handshakeMs;
  }

  #closeLate(): void {
    const latest = performance.now() - WAIT_MS;
    for (const [address, queue] of this.#waiting) {
      const late = queue.findIndex(({ since }) => since > latest);
      const closed = queue.splice(0, late < 0 ? queue.length : late);
      for (const { socket } of closed) socket.destroy();
      this.#count -= closed.length;
      if (queue.length === 0) this.#waiting.delete(address);
    }
  }

  #listenAgain(): void {
    if (this.#usualLimit === undefined || this.#count >= MOST_WAITING / 2) return;
    this.#listening.maxConnections = this.#usualLimit;
    this.#usualLimit = undefined;
  }

  #beginNext(): void {
    const [address, queue] = this.#waiting.entries().next().value ?? ['', []];
    const next = queue.pop();
    this.#waiting.delete(address);
    if (queue.length > 0) this.#waiting.set(address, queue);
    if (!next) return;
    this.#count -= 1;
    if (!next.socket.destroyed) this.#begin(next.begin);
  }

  #begin(begin: () => void): void {
    this.#credit -= 1;
    this.#pressure.beginHandshake();
    begin();
  }
}
