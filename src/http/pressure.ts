// Whether more arrives than can be handled, told by how long requests have waited, as CoDel does it (RFC 8289).
//
// Whatever has arrived while the process was busy is handed over in one turn of the event loop, in the order of arrival.
// A request that comes late in a turn has waited for at least as long as the turn has lasted.

/** A queue that stays above the target for as long is no burst. */
const INTERVAL_MS = 100;
/** What a request may have waited while there is no lasting queue, in targets. */
const BURST = 4;
/** Whoever has shown something authentic is served before strangers. */
const KNOWN = 1.5;

export class Pressure {
  readonly #targetMs: number;
  readonly #milliseconds: () => number;
  readonly #afterTurn: (end: () => void) => void;
  #turnBegan: number | undefined;
  /** Since when turns have been longer than the target. */
  #longSince: number | undefined;

  /** `targetMs`: a wait that is not a queue yet, since work comes in bursts. */
  constructor(
    targetMs: number,
    milliseconds: () => number = () => performance.now(),
    afterTurn: (end: () => void) => void = (end) => void setImmediate(end),
  ) {
    this.#targetMs = targetMs;
    this.#milliseconds = milliseconds;
    this.#afterTurn = afterTurn;
  }

  /** Called for everything that arrives; returns for how long it has waited, at least. */
  arrive(): number {
    const now = this.#milliseconds();
    if (this.#turnBegan === undefined) {
      this.#turnBegan = now;
      this.#afterTurn(this.#endTurn);
    }
    return now - this.#turnBegan;
  }

  get isOverloaded(): boolean {
    return this.#longSince !== undefined && this.#milliseconds() - this.#longSince >= INTERVAL_MS;
  }

  /** Whether something that has waited as long comes too late to be served. */
  isTooLate(waitedMs: number, isKnown: boolean): boolean {
    if (waitedMs < this.#targetMs) return false;
    if (!this.isOverloaded) return waitedMs >= this.#targetMs * BURST;
    return !isKnown || waitedMs >= this.#targetMs * KNOWN;
  }

  readonly #endTurn = (): void => {
    const began = this.#turnBegan ?? 0;
    this.#turnBegan = undefined;
    if (this.#milliseconds() - began < this.#targetMs) this.#longSince = undefined;
    else this.#longSince ??= began;
  };
}
