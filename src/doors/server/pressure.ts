// Detects overload by how long requests wait, as CoDel does (RFC 8289).
//
// Requests that arrive while the process is busy are handed over in one turn of the event loop, in order of arrival, and
// answered near its end. So a request waits for those accepted before it in the same turn, and for the previous turn.

/** A queue above the target for this long is not a burst. */
const INTERVAL_MS = 100;
/** How long a request may wait while there is no lasting queue, as a multiple of the target. */
const BURST = 2;
/** Callers that showed an authentic token are served first. */
const KNOWN = 1.25;
/** Refusing costs about a quarter of serving. */
const REFUSING = 0.25;
/** How fast the estimated cost of a request adapts. */
const FOLLOWING = 0.2;
const [LEAST_COST_MS, MOST_COST_MS] = [0.02, 20];

export interface LoopClock {
  now(): number;
  /** Idle time of the event loop, in milliseconds. */
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

  /** `targetMs`: a wait up to this long is a burst, not a queue. */
  constructor(targetMs: number, loop: LoopClock = LOOP) {
    this.#targetMs = targetMs;
    this.#loop = loop;
    this.#began = loop.now();
    this.#idle = loop.idle();
  }

  /** Called for every arrival; returns how long it will have waited if accepted. */
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

  /** Whether a request that waits this long is too late to be served. */
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
