/** Limits concurrency per key; others wait in order, or until their signal aborts. */
export class Turns {
  readonly #most: number;
  readonly #running = new Map<string, number>();
  readonly #waiting = new Map<string, (() => void)[]>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Returns a function that releases the slot; a second call does nothing. */
  async enter(key: string, signal: AbortSignal): Promise<() => void> {
    await this.#enter(key, signal);
    let hasLeft = false;
    return () => {
      if (!hasLeft) this.#leave(key);
      hasLeft = true;
    };
  }

  #enter(key: string, signal: AbortSignal): Promise<void> {
    const running = this.#running.get(key) ?? 0;
    if (running < this.#most) {
      this.#running.set(key, running + 1);
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const queue = this.#waiting.get(key) ?? [];
      this.#waiting.set(key, queue);
      const enter = () => {
        signal.removeEventListener('abort', giveUp);
        resolve();
      };
      const giveUp = () => {
        queue.splice(queue.indexOf(enter), 1);
        reject(signal.reason);
      };
      signal.addEventListener('abort', giveUp, { once: true });
      queue.push(enter);
    });
  }

  /** The longest waiter gets the slot. */
  #leave(key: string): void {
    const queue = this.#waiting.get(key);
    const next = queue?.shift();
    if (queue?.length === 0) this.#waiting.delete(key);
    const left = (this.#running.get(key) ?? 1) - 1;
    if (next) next();
    else if (left > 0) this.#running.set(key, left);
    else this.#running.delete(key);
  }
}
