import { CommitUnknown, StoreUnavailable } from '../store.ts';
import type { Unit } from './writer.ts';

/** Runs units durably; see Writer.run. */
export type RunUnits = (units: readonly Unit[]) => Promise<readonly number[]>;

/** More than these wait for the transaction after it: what one transaction adds to the WAL is bounded, and so is its time. */
const MOST_UNITS = 1000;

interface Waiting {
  readonly unit: Unit;
  readonly resolve: (changed: number) => void;
  readonly reject: (fault: unknown) => void;
}

/**
 * Everything that waits while one transaction is being written goes into the next, together. A lone caller waits for
 * nobody: its unit is written at once.
 */
export class GroupCommit {
  readonly #run: RunUnits;
  readonly #waiting: Waiting[] = [];
  #writing: Promise<void> | undefined;
  #closed = false;

  constructor(run: RunUnits) {
    this.#run = run;
  }

  submit(unit: Unit): Promise<number> {
    if (this.#closed) return Promise.reject(new StoreUnavailable('the store is closed'));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ unit, resolve, reject });
      this.#writing ??= this.#writeAll();
    });
  }

  /** Resolves when everything submitted so far has been written. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#writing;
  }

  async #writeAll(): Promise<void> {
    // The rest of this turn of the event loop may bring more units along.
    await new Promise(setImmediate);
    while (this.#waiting.length > 0) {
      await this.#write(this.#waiting.splice(0, MOST_UNITS));
    }
    this.#writing = undefined;
  }

  async #write(batch: readonly Waiting[]): Promise<void> {
    try {
      const results = await this.#run(batch.map(({ unit }) => unit));
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] ?? -1);
    } catch (fault) {
      if (batch.length > 1 && isOfOneUnit(fault)) for (const one of batch) await this.#write([one]);
      else for (const { reject } of batch) reject(fault);
    }
  }
}

/** A unit that no database would take must not take its neighbours with it; a store that is away is away for all. */
function isOfOneUnit(fault: unknown): boolean {
  return !(fault instanceof StoreUnavailable || fault instanceof CommitUnknown);
}
