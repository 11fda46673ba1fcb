// Decides which new connections may begin their TLS handshake, which costs more than most requests. They begin at once, a
// hundred together. If more keep coming, handshakes get a share of the time: nearly all of it, but a small one while requests
// need the rest. They begin one address after another, the oldest of each first. If the oldest has waited for long, there are
// too many, and the newest begins first: callers that waited long are often gone. Connections that cannot begin in time are
// closed before any work is done for them. While enough of them wait, the kernel ignores further ones.
import type { Socket } from 'node:net';
import type { Pressure } from './pressure.ts';

const STEP_MS = 20;
/** Handshakes that may begin at once. */
const BURST = 100;
/** Share of the time for further handshakes: if there are few requests, if there are more, and if those need all of the time. */
const SHARES = { few: 0.9, more: 0.5, all: 0.015 };
/**
 * There are few requests if those of kept connections take less than this share of the time. What they get says little about
 * what they need while handshakes take the time, so it is low.
 */
const FEW = 0.05;
/** If there are few requests and idle time, at least this many may begin in each step, whatever the estimate. */
const LEAST_IF_IDLE = 10;
/** The cost of a handshake is estimated from that of requests. No estimate is higher than this. */
const MOST_COST_MS = 5;
/** An address whose oldest connection has waited this long has too many. */
const LONG_MS = 300;
/** A connection that has waited this long is closed, unless requests may wait for longer. */
const WAIT_MS = 1000;
/** As many may wait as can begin in time, within these limits. */
const WAITING = { least: 40, most: 200 };
/** Share of them for one address; its further ones are closed. */
const ADDRESS_SHARE = 0.4;
/** While requests need the time, this many are closed for that in so many milliseconds; then all are ignored: that costs less. */
const CLOSED = { most: 3, ms: 100 };
/** How many connections the kernel keeps until they are accepted: usually (Node's default), and while they are dropped. */
const BACKLOG = { usual: 511, dropping: 0 };

interface Waiting {
  readonly socket: Socket;
  readonly begin: () => void;
  readonly since: number;
}

type HandshakePressure = Pick<Pressure, 'arrive' | 'beginHandshake' | 'isSaturated' | 'keptShare' | 'handshakeMs'>;

/**
 * The part of a server that drops connections. Node has no public way to change the backlog of a server that listens, but its
 * handle can: it passes the number on to listen(2).
 */
export interface Listening {
  maxConnections: number;
  readonly _handle?: { listen(backlog: number): unknown } | null;
}

export class Handshakes {
  readonly #pressure: HandshakePressure;
  readonly #listening: Listening;
  readonly #waitMs: number;
  readonly #now: () => number;
  /** By address, in turn. */
  readonly #waiting = new Map<string, Waiting[]>();
  #count = 0;
  #mostWaiting = WAITING.most;
  /** How many connections were closed because their address has too many, and since when they are counted. */
  #closed = { count: 0, since: 0 };
  /** Handshakes that may begin now. */
  #credit = BURST;
  /** When the credit was last raised. */
  #raisedAt = 0;
  /** The listener's own limit, while it drops every connection. */
  #usualLimit: number | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** `queueMs`: how long requests may wait. */
  constructor(
    pressure: HandshakePressure,
    listening: Listening,
    queueMs: number,
    now: () => number = () => performance.now(),
  ) {
    this.#pressure = pressure;
    this.#listening = listening;
    this.#waitMs = Math.max(WAIT_MS, queueMs);
    this.#now = now;
  }

  /** Calls `begin` now or later, or closes the socket. */
  admit(socket: Socket, address: string, begin: () => void): void {
    this.#pressure.arrive();
    this.#beginSteps();
    if (this.#count === 0 && this.#credit >= 1) this.#begin(begin);
    else this.#enqueue(socket, address, begin);
  }

  #beginSteps(): void {
    if (this.#timer) return;
    this.#raisedAt = this.#now();
    this.#raiseCredit();
    this.#timer = setInterval(() => this.#step(), STEP_MS).unref();
  }

  #enqueue(socket: Socket, address: string, begin: () => void): void {
    const queue = this.#waiting.get(address) ?? [];
    if (queue.length >= this.#mostWaiting * ADDRESS_SHARE) {
      this.#close(socket);
      return;
    }
    queue.push({ socket, begin, since: this.#now() });
    this.#waiting.set(address, queue);
    this.#count += 1;
    if (this.#count >= this.#mostWaiting) this.#dropFurther();
  }

  #close(socket: Socket): void {
    socket.destroy();
    this.#closed.count += 1;
    if (this.#closed.count >= CLOSED.most && this.#share() === SHARES.all) this.#dropFurther();
  }

  /** The kernel ignores new connections, which costs the process nothing; their callers' kernels try again after a second. */
  #dropFurther(): void {
    if (this.#isDropping) return;
    this.#usualLimit = this.#listening.maxConnections;
    this.#listening.maxConnections = 0; // for the few that are still accepted: one in each turn of the event loop
    this.#listening._handle?.listen(BACKLOG.dropping);
  }

  #step(): void {
    this.#pressure.arrive(); // updates its figures
    this.#raiseCredit();
    while (this.#credit >= 1 && this.#count > 0) this.#beginNext();
    this.#closeLate(); // after the others have begun: a step may itself be late
    this.#listenAgain();
    if (this.#count > 0 || this.#credit < BURST || this.#isDropping) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** By the time that passed: a busy event loop takes its steps late. */
  #raiseCredit(): void {
    const now = this.#now();
    const share = this.#share();
    const perSecond = (1000 * share) / Math.min(this.#pressure.handshakeMs, MOST_COST_MS);
    const earned = (perSecond * (now - this.#raisedAt)) / 1000;
    const least = share === SHARES.few && !this.#pressure.isSaturated ? LEAST_IF_IDLE : 0;
    this.#credit = Math.min(BURST, this.#credit + Math.max(earned, least));
    this.#mostWaiting = Math.min(WAITING.most, Math.max(WAITING.least, (perSecond * this.#waitMs) / 1000));
    this.#raisedAt = now;
  }

  #share(): number {
    if (this.#pressure.keptShare < FEW) return SHARES.few;
    return this.#pressure.isSaturated ? SHARES.all : SHARES.more;
  }

  #closeLate(): void {
    const latest = this.#now() - this.#waitMs;
    for (const [address, queue] of this.#waiting) {
      const late = queue.findIndex(({ since }) => since > latest);
      const closed = queue.splice(0, late < 0 ? queue.length : late);
      for (const { socket } of closed) socket.destroy();
      this.#count -= closed.length;
      if (queue.length === 0) this.#waiting.delete(address);
    }
  }

  get #isDropping(): boolean {
    return this.#usualLimit !== undefined;
  }

  #listenAgain(): void {
    const now = this.#now();
    if (this.#share() === SHARES.all && now - this.#closed.since < CLOSED.ms) return;
    this.#closed = { count: 0, since: now }; // so some of them may be closed again
    if (this.#usualLimit === undefined || this.#count >= this.#mostWaiting / 2) return;
    this.#listening.maxConnections = this.#usualLimit;
    this.#listening._handle?.listen(BACKLOG.usual);
    this.#usualLimit = undefined;
  }

  #beginNext(): void {
    const [address, queue] = this.#waiting.entries().next().value ?? ['', []];
    const isLong = (queue[0]?.since ?? 0) < this.#now() - LONG_MS;
    const next = isLong ? queue.pop() : queue.shift();
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
