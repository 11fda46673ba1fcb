import { fdatasync } from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type Durations, DurationTally } from '../duration-tally.ts';
import { CommitUnknown } from '../store.ts';
import type { Value } from '../table.ts';
import type { Checkpoints } from './checkpoints.ts';
import { BUSY_TIMEOUT_MS, preparer, rollBack } from './connection.ts';
import { isBusy, isOfDisk, storeFault } from './faults.ts';
import type { Files } from './files.ts';
import type { Soundness } from './soundness.ts';

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

/** Resolves when the WAL is on the disk: done in Node's pool before any answer, so the event loop never waits. */
export type Sync = (file: number) => Promise<void>;

export const syncInPool: Sync = promisify(fdatasync);

export interface CommitParts {
  readonly database: DatabaseSync;
  readonly files: Files;
  readonly soundness: Soundness;
  readonly sync: Sync;
  readonly checkpoints: Checkpoints;
}

/** Executes units: all that wait at the same moment in one durable transaction. */
export class Commits {
  readonly #parts: CommitParts;
  readonly #prepared: (sql: string) => StatementSync;
  readonly #durations = new DurationTally();
  /** Pages written since they were last reported to the checkpoints. */
  #pages = 0;

  constructor(parts: CommitParts) {
    this.#parts = parts;
    this.#prepared = preparer(parts.database);
  }

  /**
   * Returns how many rows the last step of each unit changed, or -1 if the unit conflicted and wrote nothing. Rejects with
   * StoreUnavailable if nothing was written, and with CommitUnknown if it may not be durable: then all reads and writes are
   * refused until it is. Others see what was written before it is durable. That is safe: whatever they answer that must not be
   * lost is a commit of their own, synced after it in the same file.
   */
  async run(units: readonly Unit[]): Promise<number[]> {
    const start = performance.now();
    const { soundness, checkpoints } = this.#parts;
    try {
      soundness.assertReadable();
      const results = await this.#whenFree(() => this.#transaction(units));
      soundness.wrote(undefined);
      await this.#makeDurable();
      checkpoints.wrote(this.#pages);
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
    return this.#parts.files.walBytes;
  }

  async close(): Promise<void> {
    const { checkpoints, files, soundness, database } = this.#parts;
    await checkpoints.close();
    files.close();
    if (soundness.isSound) database.close();
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
      this.#parts.soundness.assertUncut();
      this.#run('COMMIT');
      return results;
    } catch (error) {
      rollBack(this.#parts.database);
      if (isOfDisk(error)) this.#parts.soundness.wrote(error);
      throw error;
    }
  }

  async #makeDurable(): Promise<void> {
    const { soundness, files, sync } = this.#parts;
    try {
      await sync(files.wal);
    } catch (error) {
      const why = `the disk does not take what was written: ${(error as Error).message}`;
      if (!soundness.recovers(why)) throw new CommitUnknown(why);
    }
    try {
      soundness.assertOurs();
    } catch (error) {
      throw new CommitUnknown((error as Error).message);
    }
  }

  #runUnit(unit: Unit): number {
    // A single decisive step that fails has changed nothing; only several need a savepoint.
    const guarded = unit.filter((step) => step.decisive).length > 1;
    if (guarded) this.#run('SAVEPOINT unit');
    const result = this.#runSteps(unit);
    if (guarded) this.#parts.database.exec(result < 0 ? 'ROLLBACK TO unit; RELEASE unit' : 'RELEASE unit');
    return result;
  }

  #runSteps(unit: Unit): number {
    let changed = 0;
    for (const { sql, values, decisive, pages } of unit) {
      changed = Number(this.#prepared(sql).run(...values).changes);
      this.#pages += changed * pages;
      if (decisive && changed === 0) return -1;
    }
    return changed;
  }

  #run(sql: string): void {
    this.#prepared(sql).run();
  }
}

/** Closing would write the WAL into a database that is not ours. Node closes databases too, but not on process.exit. */
function leaveAsItIs(): void {
  process.once('exit', (code) => process.exit(code));
}
