import { Overloaded } from '../core/faults.ts';

/** Work that waits for its turn. Those who come first do not wait for the others. */
export class Turns {
  readonly #atOnce: number;
  readonly #mostWaiting: number;
  readonly #first: (() => void)[] = [];
  readonly #others: (() => void)[] = [];
  #running = 0;

  constructor(atOnce: number, mostWaiting: number) {
    this.#atOnce = atOnce;
    this.#mostWaiting = mostWaiting;
  }

  isFull(isFirst = false): boolean {
    return (isFirst ? this.#first : this.#others).length >= this.#mostWaiting;
  }

  async run<T>(work: () => Promise<T>, isFirst = false): Promise<T> {
    if (this.isFull(isFirst))
      throw new Overloaded('too many sign-ins, queries to a directory, or changes by operators, at once');
    if (this.#running < this.#atOnce) this.#running += 1;
    else await new Promise<void>((go) => (isFirst ? this.#first : this.#others).push(go));
    try {
      return await work();
    } finally {
      const next = this.#first.shift() ?? this.#others.shift();
      if (next) next();
      else this.#running -= 1;
    }
  }
}
