import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Durations, DurationTally } from '../duration-tally.ts';
import { CommitUnknown } from '../store.ts';
import type { Value } from '../table.ts';
import type { Checkpoints } from './checkpoints.ts';
import { BUSY_TIMEOUT_MS, rollBack } from './connection.ts';
import { isBusy, isOfDisk, storeFault } from './faults.ts';
import type { Files } from './files.ts';
import { Prepared } from './prepared.ts';
import type { Soundness } from './soundness.ts';
import type { Sync } from './wal.ts';

/** One statement of a unit. `decisive`: changing no row means that the unit conflicts. */
export interface Step {
  readonly sql: string;
  readonly values: readonly Value[];
  readonly decisive: boolean;
  /** How many pages a changed row may touch, indexes included: for the checkpoints. */
  readonly pages: number;
}

/** All of its steps happen, or none of them. */
export type Unit = readonly Step[];

const LOOK_AGAIN_MS = 1;

export interface CommitParts {
  readonly database: DatabaseSync;
  readonly files: Files;
  readonly soundness: Soundness;
  readonly sync: Sync;
  readonly checkpoints: Checkpoints;
}

/** Executes units: all that wait at the same moment in one durable transaction. */
export class Commits {
  readonly #database: DatabaseSync;
  readonly #files: Files;
  readonly #soundness: Soundness;
  readonly #sync: Sync;
  readonly #checkpoints: Checkpoints;
  readonly #prepared: Prepared;
  readonly #durations = new DurationTally();
  /** Pages written since they were last reported to the checkpoints. */
  #pages = 0;

  constructor({ database, files, soundness, sync, checkpoints }: CommitParts) {
    this.#database = database;
    this.#prepared = new Prepared(database);
    this.#files = files;
    this.#soundness = soundness;
    this.#sync = sync;
    this.#checkpoints = checkpoints;
  }

  /**
   * Returns how many rows the last step of each unit changed, or -1 if the unit conflicted and wrote nothing. Rejects with
   * StoreUnavailable if nothing was written, and with CommitUnknown if it may not be durable: then all reads and writes are
   * refused until it is. Others see what was written before it is durable. That is safe: whatever they answer that must not be
   * lost is a commit of their own, synced after it in the same file.
   */
  async run(units: readonly Unit[]): Promise<number[]> {
    const start = performance.now();
    try {
      this.#soundness.assertReadable();
      const results = await this.#whenFree(() => this.#transaction(units));
      this.#soundness.wrote(undefined);
      await this.#makeDurable();
      this.#checkpoints.wrote(this.#pages);
      this.#pages = 0;
      this.#durations.add(performance.now() - start);
      return results;
    } catch (error) {
      throw storeFault(error);
    }
  }

  get durations(): Durations {
    return this.#durations;
  }

  get walBytes(): number {
    return this.#files.walBytes;
  }

  /** After the last unit. */
  async close(): Promise<void> {
    await this.#checkpoints.close();
    this.#files.close();
    if (this.#soundness.isSound) this.#database.close();
    else leaveAsItIs();
  }

  /** Waits while another process writes, or while a checkpoint finishes. Neither takes long. */
  async #whenFree<T>(work: () => T): Promise<T> {
    for (const patience = performance.now() + BUSY_TIMEOUT_MS; ; ) {
      try {
        return work();
      } catch (error) {
        if (!isBusy(error) || performance.now() > patience) throw error;
      }
      await sleep(LOOK_AGAIN_MS);
    }
  }

  #transaction(units: readonly Unit[]): number[] {
    this.#run('BEGIN IMMEDIATE');
    try {
      const results = units.map((unit) => this.#runUnit(unit));
      this.#soundness.assertUncut();
      this.#run('COMMIT');
      return results;
    } catch (error) {
      rollBack(this.#database);
      if (isOfDisk(error)) this.#soundness.wrote(error);
      throw error;
    }
  }

  async #makeDurable(): Promise<void> {
    try {
      await this.#sync(this.#files.wal);
    } catch (error) {
      const why = `the disk does not take what was written: ${(error as Error).message}`;
      if (!this.#soundness.recovers(why)) throw new CommitUnknown(why);
    }
    try {
      this.#soundness.assertOurs();
    } catch (error) {
      throw new CommitUnknown((error as Error).message);
    }
  }

  #runUnit(unit: Unit): number {
    // A single decisive step that fails has changed nothing; only several need a savepoint.
    const guarded = unit.filter((step) => step.decisive).length > 1;
    if (guarded) this.#run('SAVEPOINT unit');
    const result = this.#runSteps(unit);
    if (guarded) this.#database.exec(result < 0 ? 'ROLLBACK TO unit; RELEASE unit' : 'RELEASE unit');
    return result;
  }

  #runSteps(unit: Unit): number {
    let changed = 0;
    for (const { sql, values, decisive, pages } of unit) {
      changed = Number(this.#prepared.get(sql).run(...values).changes);
      this.#pages += changed * pages;
      if (decisive && changed === 0) return -1;
    }
    return changed;
  }

  #run(sql: string): void {
    this.#prepared.get(sql).run();
  }
}

/**
 * Closing would write the WAL into a database that is no longer ours, and delete whatever has the WAL's name. Node also
 * closes databases when a process ends by itself, but not on process.exit.
 */
function leaveAsItIs(): void {
  process.once('exit', (code) => process.exit(code));
}
