// Decides which new connections may begin their TLS handshake, which costs more than most requests. An idle process begins
// all of them at once. A busy one begins them at a rate that falls until it has time again, one address after another, and
// closes those that cannot begin in time before any work is done for them.
import type { Socket } from 'node:net';
import type { Pressure } from './pressure.ts';

const STEP_MS = 20;
/** Handshakes per second while the process is busy, at least and at most. */
const LEAST = 20;
const MOST = 2000;
/** A step later than this fraction of the allowed wait means that requests wait too; they come first. */
const LATE = 1 / 15;
const FOLLOWING = 0.3;
/** After this many steps without a new connection, the timer stops. */
const QUIET_STEPS = 50;
const SLOWER = 0.8;
const FASTER = 1.05;
/** A connection that has waited this long is closed. */
const WAIT_MS = 3000;
const MOST_WAITING_PER_ADDRESS = 50;
const MOST_WAITING = 1000;

interface Waiting {
  readonly socket: Socket;
  readonly begin: () => void;
  readonly since: number;
}

export class Handshakes {
  readonly #pressure: Pressure;
  readonly #queueMs: number;
  /** By address, in turn. */
  readonly #waiting = new Map<string, Waiting[]>();
  #count = 0;
  #rate = MOST;
  #credit = 0;
  #lateMs = 0;
  #steppedAt = 0;
  #quietSteps = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(pressure: Pressure, queueMs: number) {
    this.#pressure = pressure;
    this.#queueMs = queueMs;
  }

  /** Calls `begin` now or later, or closes the socket. */
  admit(socket: Socket, address: string, begin: () => void): void {
    this.#pressure.arrive();
    this.#quietSteps = 0;
    if (!this.#timer) this.#start();
    if (this.#rate === MOST && !this.#isBusy) begin();
    else this.#enqueue(socket, address, begin);
  }

  #enqueue(socket: Socket, address: string, begin: () => void): void {
    const queue = this.#waiting.get(address) ?? [];
    if (queue.length >= MOST_WAITING_PER_ADDRESS || this.#count >= MOST_WAITING) return void socket.destroy();
    queue.push({ socket, begin, since: performance.now() });
    this.#waiting.set(address, queue);
    this.#count += 1;
  }

  get #isBusy(): boolean {
    return this.#lateMs > this.#queueMs * LATE;
  }

  #start(): void {
    this.#steppedAt = performance.now();
    this.#lateMs = 0;
    this.#timer = setInterval(() => this.#step(), STEP_MS).unref();
  }

  #step(): void {
    const now = performance.now();
    this.#lateMs += (now - this.#steppedAt - STEP_MS - this.#lateMs) * FOLLOWING;
    this.#steppedAt = now;
    this.#rate = this.#isBusy ? Math.max(LEAST, this.#rate * SLOWER) : Math.min(MOST, this.#rate * FASTER);
    this.#credit = Math.min(this.#rate / 10, this.#credit + (this.#rate * STEP_MS) / 1000);
    while (this.#credit >= 1 && this.#count > 0) if (this.#beginNext()) this.#credit -= 1;
    this.#quietSteps += 1;
    if (this.#count > 0 || this.#rate < MOST || this.#quietSteps < QUIET_STEPS) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Whether a handshake began. A connection that waited too long or whose caller is gone is closed instead. */
  #beginNext(): boolean {
    const [address, queue] = this.#waiting.entries().next().value ?? ['', []];
    const next = queue.shift();
    this.#waiting.delete(address);
    if (queue.length > 0) this.#waiting.set(address, queue);
    if (!next) return false;
    this.#count -= 1;
    const isGone = next.socket.destroyed || performance.now() - next.since > WAIT_MS;
    if (isGone) next.socket.destroy();
    else next.begin();
    return !isGone;
  }
}
