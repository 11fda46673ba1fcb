// What must hold before any answer: the files are ours and complete, and everything written is on the disk.
import type { DatabaseSync } from 'node:sqlite';
import { check } from '../back-end.ts';
import { OutcomeUnknown, type StoreCheck, StoreUnavailable } from '../store.ts';
import type { Files } from './files.ts';

const AGAIN_MS = 250;

export class Soundness {
  readonly #database: DatabaseSync;
  readonly #files: Files;
  /** Why a file is not ours or incomplete. */
  #damage: string | undefined;
  /** Why the last writes may not be on the disk. */
  #doubt: string | undefined;
  /** Why the last commit could not be written. */
  #unwritten: unknown;
  #mendedAt = Number.NEGATIVE_INFINITY;

  constructor(database: DatabaseSync, files: Files) {
    this.#database = database;
    this.#files = files;
  }

  get isSound(): boolean {
    return this.#damage === undefined && this.#doubt === undefined;
  }

  /** Before any read or transaction. Throws StoreUnavailable, or OutcomeUnknown if an earlier commit is in doubt. */
  assertReadable(): void {
    if (!this.isSound) this.#mend();
  }

  /** Just before a commit is written. Throws StoreUnavailable. */
  assertUncut(): void {
    this.#note(this.#files.whyCut());
    this.#refuseDamage();
  }

  /** Records whether the last commit could be written, before any sync: undefined if it could. */
  wrote(fault: unknown): void {
    this.#unwritten = fault;
  }

  /** After a sync. Throws if the synced file is no longer the store's. */
  assertOurs(): void {
    this.#note(this.#files.whyNotOurs());
    this.#refuseDamage();
  }

  /** A sync failed. Returns whether everything reached the disk in another way. */
  recovers(why: string): boolean {
    this.#doubt = why;
    // The first try may report the same failure: the system reports it once to each open file.
    return this.#isMended() || this.#isMended();
  }

  #isMended(): boolean {
    this.#mendedAt = Number.NEGATIVE_INFINITY;
    try {
      this.#mend();
      return true;
    } catch {
      return false;
    }
  }

  /** Every second, and on request. */
  examine(): StoreCheck[] {
    this.#note(this.#files.whyNotWhole());
    return [
      check('files', 'the files of the store were deleted, replaced or cut', () => this.#refuseDamage()),
      check('writes', 'the disk does not take what is written', () => this.#assertWriting()),
      check('space', 'the disk is full', () => refuse(this.#files.whyNoSpace())),
    ];
  }

  #mend(): void {
    if (this.#damage !== undefined) this.#note(this.#files.whyNotWhole());
    this.#refuseDamage();
    if (this.#doubt !== undefined) this.#writeAnew(this.#doubt);
  }

  /** A sync is not retried: the system may have dropped the data. The WAL is written into the database instead. */
  #writeAnew(doubt: string): void {
    if (performance.now() < this.#mendedAt + AGAIN_MS) throw new OutcomeUnknown(doubt);
    this.#mendedAt = performance.now();
    try {
      const { busy } = this.#database.prepare('PRAGMA wal_checkpoint(RESTART)').get() ?? {};
      if (busy !== 0) throw new Error('others are reading it');
      this.#doubt = undefined;
    } catch (error) {
      throw new OutcomeUnknown(`${doubt}; writing it anew: ${(error as Error).message}`);
    }
  }

  #assertWriting(): void {
    this.assertReadable();
    if (this.#unwritten !== undefined) throw this.#unwritten;
  }

  #note(damage: string | undefined): void {
    if ((damage === undefined) !== (this.#damage === undefined)) this.#files.mark(damage);
    this.#damage = damage;
  }

  #refuseDamage(): void {
    refuse(this.#damage);
  }
}

function refuse(why: string | undefined): void {
  if (why !== undefined) throw new StoreUnavailable(why);
}
