// Streams take turns, so that requests are served in between, however many streams have something to send.

/** Streams that send in one turn. */
const IN_ONE_TURN = 16;
/** How long they rest, as a multiple of how long a turn took. */
const REST = 2;
/** On a machine that is busy with something else, a turn may take long without using the processor. */
const LONGEST_REST_MS = 20;

export class Turns {
  #waiting: (() => void)[] = [];
  #isRunning = false;

  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (this.#isRunning) return;
      this.#isRunning = true;
      setImmediate(() => this.#go());
    });
  }

  #go(): void {
    const began = performance.now();
    const going = this.#waiting.slice(0, IN_ONE_TURN);
    this.#waiting = this.#waiting.slice(IN_ONE_TURN);
    for (const resolve of going) resolve();
    setImmediate(() => this.#rest(performance.now() - began));
  }

  /** Twice as long as the last turn took: streams use at most about a third of the processor's time. */
  #rest(tookMs: number): void {
    this.#isRunning = this.#waiting.length > 0;
    if (this.#isRunning) setTimeout(() => this.#go(), Math.min(REST * tookMs, LONGEST_REST_MS));
  }
}
