import { CommitUnknown, StoreUnavailable } from './store.ts';

interface Waiting<In, Out> {
  readonly input: In;
  readonly resolve: (output: Out | Promise<Out>) => void;
  readonly reject: (fault: unknown) => void;
}

export interface LaneOptions {
  /** How many go together at most. */
  readonly most: number;
  /** How many such batches may be under way at once. */
  readonly parallel: number;
}

/** An output that is a promise settles on its own: nobody else of the batch waits for it. */
export type Run<In, Out> = (inputs: readonly In[]) => Promise<readonly (Out | Promise<Out>)[]>;

/**
 * How those who wait at the same moment share one statement or one transaction: everything that comes while one is under
 * way goes into the next, together. A lone caller waits for nobody.
 */
export class Lane<In, Out> {
  readonly #run: Run<In, Out>;
  readonly #options: LaneOptions;
  readonly #running = new Set<Promise<void>>();
  #waiting: Waiting<In, Out>[] = [];
  #isDue = false;

  constructor(run: Run<In, Out>, options: LaneOptions) {
    this.#run = run;
    this.#options = options;
  }

  submit(input: In): Promise<Out> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ input, resolve, reject });
      this.#due();
    });
  }

  get isBusy(): boolean {
    return this.#isDue || this.#running.size > 0;
  }

  /** Resolves when everything submitted so far has been answered. */
  async drain(): Promise<void> {
    while (this.isBusy) {
      await new Promise(setImmediate);
      await Promise.all(this.#running);
    }
  }

  /** The rest of this turn of the event loop may bring more along. */
  #due(): void {
    if (this.#isDue || this.#running.size >= this.#options.parallel) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      this.#start();
    });
  }

  #start(): void {
    while (this.#waiting.length > 0 && this.#running.size < this.#options.parallel) {
      const batch = this.#waiting.splice(0, this.#options.most);
      const running = this.#answer(batch).finally(() => {
        this.#running.delete(running);
        if (this.#waiting.length > 0) this.#due();
      });
      this.#running.add(running);
    }
  }

  async #answer(batch: readonly Waiting<In, Out>[]): Promise<void> {
    try {
      const outputs = await this.#run(batch.map(({ input }) => input));
      for (const [index, { resolve }] of batch.entries()) resolve(outputs[index] as Out | Promise<Out>);
    } catch (fault) {
      if (batch.length > 1 && isOfOne(fault)) for (const one of batch) await this.#answer([one]);
      else for (const { reject } of batch) reject(fault);
    }
  }
}

/** An input that no database would take must not take its neighbours with it; a store that is away is away for all. */
function isOfOne(fault: unknown): boolean {
  return !(fault instanceof StoreUnavailable || fault instanceof CommitUnknown);
}
