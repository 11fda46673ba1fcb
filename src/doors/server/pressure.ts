// Detects overload: the event loop has hardly been idle for a while, and the requests in flight are more than it can serve in
// time. As with CoDel (RFC 8289), what counts is how long requests wait, and a short burst is no overload.

/** The idle time of about the last third of a second counts. */
const WINDOW_MS = 250;
/** A loop with less idle time than this is overloaded if requests wait too long. */
const LEAST_IDLE = 0.25;
/** How long a request may wait unless the loop has been saturated for a while, as a multiple of the target. */
const BURST = 2.5;
/** Code that has just been loaded is slow for about this long. */
const WHILE_MS = 1000;
/** Fewer requests in flight than this are never an overload, however slow the machine is. */
const FEW = 100;
/** Callers that showed an authentic token are served first. */
const KNOWN = 1.25;
/** What else costs time, compared with serving a request. A refusal was measured at 0.52 of checking a token. */
const REFUSING = 0.5;
const HANDSHAKE = 16;
/** If the loop was idle for this long since a turn began, only the time until the turn ended counts as the cost of its requests. */
const IDLE_MS = 1;
/** How much of what earlier turns cost still counts after another turn. Turns count by how much they served. */
const REMEMBERED = 0.8;
/** What is assumed before anything was measured. A few slow requests of a cold process hardly change it. */
const ASSUMED = { served: 16, spentMs: 4 };

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
  // The current turn of the event loop: requests that arrived while it was busy are handed over in one.
  #isInTurn = false;
  #began: number;
  #ended: number;
  #idle: number;
  #accepted = 0;
  /** Those of them that were not the first on their connection. */
  #kept = 0;
  #otherWork = 0;
  /** Of past turns: how long they were, and how many requests they served. */
  #spentMs = 0;
  #served = 0;
  #costMs = ASSUMED.spentMs / ASSUMED.served;
  /** Shares of recent time: the loop was idle; it served requests on kept connections. */
  #idleShare = 1;
  #keptShare = 0;
  #saturatedSince: number | undefined;

  /** `targetMs`: how long a request may wait. */
  constructor(targetMs: number, loop: LoopClock = LOOP) {
    this.#targetMs = targetMs;
    this.#loop = loop;
    this.#began = loop.now();
    this.#ended = this.#began;
    this.#idle = loop.idle();
  }

  /** Called for every arrival. */
  arrive(): void {
    if (!this.#isInTurn) this.#beginTurn(this.#loop.now());
  }

  /** `isFirst`: on its connection. */
  accept(isFirst: boolean): void {
    this.#accepted += 1;
    if (!isFirst) this.#kept += 1;
  }

  refuse(): void {
    this.#otherWork += REFUSING;
  }

  beginHandshake(): void {
    this.#otherWork += HANDSHAKE;
  }

  get isSaturated(): boolean {
    return this.#idleShare < LEAST_IDLE;
  }

  /** Share of recent time that went into requests of callers that keep their connections. */
  get keptShare(): number {
    return this.#keptShare;
  }

  /** How long refusing a request keeps the event loop busy, about. */
  get refusalMs(): number {
    return REFUSING * this.#costMs;
  }

  /** How long a TLS handshake keeps the event loop busy, about. */
  get handshakeMs(): number {
    return HANDSHAKE * this.#costMs;
  }

  /** Whether a request that arrives now, with this many in flight, would be served too late. */
  isTooLate(inFlight: number, isKnown: boolean): boolean {
    if (inFlight < FEW) return false;
    if (!this.isSaturated) return this.#waitInTurn() >= this.#targetMs * BURST;
    return inFlight * this.#costMs >= this.#targetMs * this.#patience(isKnown);
  }

  #patience(isKnown: boolean): number {
    if (this.#began - (this.#saturatedSince ?? this.#began) < WHILE_MS) return BURST;
    return isKnown ? KNOWN : 1;
  }

  #waitInTurn(): number {
    return this.#loop.now() - this.#began + this.#accepted * this.#costMs;
  }

  #beginTurn(now: number): void {
    const idle = this.#loop.idle();
    this.#learn((idle - this.#idle > IDLE_MS ? this.#ended : now) - this.#began);
    this.#watchShares(idle - this.#idle, now - this.#began);
    this.#saturatedSince = this.isSaturated ? (this.#saturatedSince ?? now) : undefined;
    this.#isInTurn = true;
    this.#began = now;
    this.#idle = idle;
    this.#accepted = 0;
    this.#kept = 0;
    this.#otherWork = 0;
    this.#loop.afterTurn(() => {
      this.#isInTurn = false;
      this.#ended = this.#loop.now();
    });
  }

  #watchShares(idleMs: number, passedMs: number): void {
    if (passedMs <= 0) return;
    const weight = 1 - Math.exp(-passedMs / WINDOW_MS);
    const keptMs = this.#kept * this.#costMs;
    this.#idleShare += (Math.min(1, idleMs / passedMs) - this.#idleShare) * weight;
    this.#keptShare += (Math.min(1, keptMs / passedMs) - this.#keptShare) * weight;
  }

  #learn(turnMs: number): void {
    this.#spentMs = this.#spentMs * REMEMBERED + turnMs;
    this.#served = this.#served * REMEMBERED + this.#accepted + this.#otherWork;
    this.#costMs = (this.#spentMs + ASSUMED.spentMs) / (this.#served + ASSUMED.served);
  }
}
