// Follows the WAL of a store that other processes write, and misses no commit. SQLite overwrites a WAL only after all of it is in
// the database, and it never copies into the database what an open read transaction does not see yet. So this class always
// has a read transaction open, and moves it forward only over frames that it has read.
import { closeSync, openSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { openDatabase, pin, whileBusy } from '../connection.ts';
import { isBusy } from '../faults.ts';
import { type CommittedPages, isContinuation, readCommitted, readWalStart, type WalPosition } from './wal-frames.ts';

/** The WAL is emptied when it has this many frames: before the service does it, which then would wait for this reader. */
const EMPTY_AFTER_FRAMES = 2000;

export class WalFollower {
  readonly #readers: [DatabaseSync, DatabaseSync];
  readonly #writer: DatabaseSync;
  readonly #wal: number;
  /** What was committed since the position it resumes from; undefined if it begins anew. */
  readonly backlog: CommittedPages | undefined;
  #position: WalPosition;
  /** Up to where all of the WAL is in the database: emptying it again would change nothing. */
  #emptiedAt: WalPosition | undefined;

  /** `from`: resumes there, if all that was written since then is still in the WAL. */
  constructor(path: string, from?: WalPosition) {
    using opening = new DisposableStack();
    const open = () => opening.use(openDatabase(path));
    this.#readers = [open(), open()];
    this.#writer = open();
    // The follower empties the WAL itself, and at no other time.
    for (const database of [...this.#readers, this.#writer])
      database.exec('PRAGMA wal_autocheckpoint = 0; PRAGMA busy_timeout = 0');
    this.#wal = opening.adopt(openSync(`${path}-wal`, 'r'), closeSync);
    whileBusy(() => this.#writer.exec('BEGIN IMMEDIATE'));
    // While no other process can write, the end of the WAL is what the read transaction sees.
    pin(this.#readers[0]);
    this.backlog = from && isContinuation(this.#wal, from) ? readCommitted(this.#wal, from) : undefined;
    this.#position = this.backlog?.position ?? this.#end();
    this.#writer.exec('ROLLBACK');
    opening.move();
  }

  /** Where it is. Everything before it is in what `snapshot` copies, or was returned by `read`. */
  get position(): WalPosition {
    return this.#position;
  }

  /** A connection that sees the store as of `position`. Nothing may be read until its user is done. */
  get snapshot(): DatabaseSync {
    return this.#readers[0];
  }

  /** What was committed since the last call. */
  read(): CommittedPages {
    const committed = this.#readOn();
    this.#position = committed.position;
    const [current, next] = this.#readers;
    pin(next);
    current.exec('COMMIT');
    this.#readers.reverse();
    return committed;
  }

  get isLong(): boolean {
    return this.#position.frames >= EMPTY_AFTER_FRAMES && this.#position !== this.#emptiedAt;
  }

  /** Empties the WAL. Returns what was committed since the last read; undefined if somebody is writing: try again. */
  empty(): CommittedPages | undefined {
    const [current, other] = this.#readers;
    other.exec('PRAGMA wal_checkpoint(PASSIVE)');
    if (!this.#mayWrite()) return undefined;
    const committed = this.#readOn();
    this.#position = committed.position;
    current.exec('COMMIT');
    const { log, checkpointed } = other.prepare('PRAGMA wal_checkpoint(PASSIVE)').get() ?? {};
    if (log === checkpointed) this.#emptiedAt = this.#position;
    pin(current);
    this.#writer.exec('ROLLBACK');
    return committed;
  }

  close(): void {
    for (const database of [...this.#readers, this.#writer]) database.close();
    closeSync(this.#wal);
  }

  #readOn(): CommittedPages {
    const committed = readCommitted(this.#wal, this.#position);
    if (committed) return committed;
    // Started over: everything before was read. Until something is written, there is no new header either.
    const start = readWalStart(this.#wal);
    return (
      (start && readCommitted(this.#wal, start)) ?? {
        position: this.#position,
        pages: new Map(),
        databasePages: undefined,
      }
    );
  }

  #end(): WalPosition {
    const start = readWalStart(this.#wal);
    return (start && readCommitted(this.#wal, start)?.position) ?? NOWHERE;
  }

  /** Takes the right to write, which it does not use. Never waits: the other may be waiting for the read transaction. */
  #mayWrite(): boolean {
    try {
      this.#writer.exec('BEGIN IMMEDIATE');
      return true;
    } catch (error) {
      if (isBusy(error)) return false;
      throw error;
    }
  }
}

/** Before the first write to a new WAL. */
const NOWHERE: WalPosition = { salts: '', frames: 0, checksum: [0, 0] };
