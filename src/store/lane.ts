import { CommitUnknown, StoreUnavailable } from './store.ts';

interface Waiting<In, Out> {
  readonly input: In;
  readonly resolve: (output: Out | Promise<Out>) => void;
  readonly reject: (fault: unknown) => void;
}

export interface LaneOptions {
  /** The most inputs in one batch. */
  readonly most: number;
  /** The most batches in progress at once. */
  readonly parallel: number;
}

/** An output may be a promise: it settles by itself, and the rest of the batch does not wait for it. */
export type Run<In, Out> = (inputs: readonly In[]) => Promise<readonly (Out | Promise<Out>)[]>;

/** Batches callers: whatever arrives while a batch is in progress goes into the next. A lone caller does not wait. */
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

  get waiting(): number {
    return this.#waiting.length;
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

  /** Starts at the end of this turn of the event loop: more may arrive until then. */
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

/** An input that no database accepts must not fail the rest of its batch. A store that is unavailable fails all of it. */
function isOfOne(fault: unknown): boolean {
  return !(fault instanceof StoreUnavailable || fault instanceof CommitUnknown);
}
