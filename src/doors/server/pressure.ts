// Whether more arrives than can be handled, told by how long requests wait, as CoDel does it (RFC 8289).
//
// Whatever arrives while the process is busy is handed over in one turn of the event loop, in the order of arrival, and
// answered towards its end. So a request waits for what was accepted before it in the same turn, and for the turn before.

/** A queue that stays above the target for as long is no burst. */
const INTERVAL_MS = 100;
/** What a request may wait for while there is no lasting queue, in targets. */
const BURST = 2;
/** Whoever has shown something authentic is served before strangers. */
const KNOWN = 1.25;
/** To refuse costs about a quarter of what it costs to serve. */
const REFUSING = 0.25;
/** How quickly the estimate of what a request costs follows. */
const FOLLOWING = 0.2;
const [LEAST_COST_MS, MOST_COST_MS] = [0.02, 20];

export interface LoopClock {
  now(): number;
  /** Milliseconds that the event loop has spent waiting for something to do. */
  idle(): number;
  afterTurn(end: () => void): void;
}

const LOOP: LoopClock = {
  now: () => performance.now(),
  idle: () => performance.nodeTiming.idleTime,
  afterTurn: (end) => void setImmediate(end),
};

export class Pressure {
  readonly #targetMs: number;
  readonly #loop: LoopClock;
  #isInTurn = false;
  #began: number;
  #idle: number;
  #accepted = 0;
  #refused = 0;
  #costMs = LEAST_COST_MS;
  /** Since when turns have been longer than the target. */
  #longSince: number | undefined;

  /** `targetMs`: a wait that is not a queue yet, since work comes in bursts. */
  constructor(targetMs: number, loop: LoopClock = LOOP) {
    this.#targetMs = targetMs;
    this.#loop = loop;
    this.#began = loop.now();
    this.#idle = loop.idle();
  }

  /** Called for everything that arrives; returns how long it will have waited if it is accepted. */
  arrive(): number {
    const now = this.#loop.now();
    if (!this.#isInTurn) this.#beginTurn(now);
    return now - this.#began + this.#accepted * this.#costMs;
  }

  accept(): void {
    this.#accepted += 1;
  }

  refuse(): void {
    this.#refused += 1;
  }

  get isOverloaded(): boolean {
    return this.#longSince !== undefined && this.#began - this.#longSince >= INTERVAL_MS;
  }

  /** Whether something that waits as long comes too late to be served. */
  isTooLate(waitMs: number, isKnown: boolean): boolean {
    if (waitMs < this.#targetMs) return false;
    if (!this.isOverloaded) return waitMs >= this.#targetMs * BURST;
    return !isKnown || waitMs >= this.#targetMs * KNOWN;
  }

  #beginTurn(now: number): void {
    const idle = this.#loop.idle();
    this.#learn(Math.max(0, now - this.#began - (idle - this.#idle)));
    this.#isInTurn = true;
    this.#began = now;
    this.#idle = idle;
    this.#accepted = 0;
    this.#refused = 0;
    this.#loop.afterTurn(() => {
      this.#isInTurn = false;
    });
  }

  /** From the turn before. */
  #learn(busyMs: number): void {
    if (busyMs < this.#targetMs) this.#longSince = undefined;
    else this.#longSince ??= this.#began;
    const served = this.#accepted + this.#refused * REFUSING;
    if (served < 1) return;
    const cost = Math.min(MOST_COST_MS, Math.max(LEAST_COST_MS, busyMs / served));
    this.#costMs += (cost - this.#costMs) * FOLLOWING;
  }
}
