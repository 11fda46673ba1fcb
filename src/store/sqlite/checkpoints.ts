// Writes the WAL into the database on a thread, since that waits for the disk. This file is both sides of the thread.
import type { DatabaseSync } from 'node:sqlite';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { openDatabase } from './connection.ts';

/** A checkpoint runs after at most this many written pages: 16 MB of WAL. */
const AFTER_PAGES = 4000;
/** Writers wait while a checkpoint waits for readers that see an older state. It gives up after this, and the next one tries again. */
const PATIENCE_MS = 200;

/** Started when there is first something to empty, so that a command never starts one. */
export class Checkpoints {
  readonly #path: string;
  #written = 0;
  #isUnderWay = false;
  #thread: Worker | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** If the thread does not keep up, is gone or cannot be started, SQLite empties the WAL during a commit (connection.ts). */
  wrote(pages: number): void {
    this.#written += pages;
    if (this.#written < AFTER_PAGES || this.#isUnderWay) return;
    this.#written = 0;
    try {
      this.#thread ??= this.#start();
    } catch {
      return; // what was written is durable
    }
    this.#isUnderWay = true;
    this.#thread.postMessage('empty');
  }

  async close(): Promise<void> {
    const thread = this.#thread;
    if (!thread) return;
    const exit = new Promise<void>((resolve) => thread.once('exit', () => resolve()));
    thread.ref();
    thread.postMessage('stop');
    await exit;
  }

  #start(): Worker {
    const thread = new Worker(new URL(import.meta.url), { workerData: { tesseraCheckpoints: this.#path } });
    thread.unref();
    thread.on('message', () => {
      this.#isUnderWay = false;
    });
    thread.on('error', () => {}); // 'exit' follows
    thread.on('exit', () => {
      this.#thread = undefined;
      this.#isUnderWay = false;
    });
    return thread;
  }
}

function serve(path: string): void {
  const database = openDatabase(path);
  database.exec(`PRAGMA busy_timeout = ${PATIENCE_MS}`);
  parentPort?.on('message', (message: 'empty' | 'stop') => {
    if (message === 'stop') {
      database.close();
      parentPort?.close();
      return;
    }
    empty(database);
    parentPort?.postMessage('done');
  });
}

/** Most of it while others write, the rest while writers wait: otherwise a WAL under load would grow without bound. */
function empty(database: DatabaseSync): void {
  for (const mode of ['PASSIVE', 'FULL']) database.exec(`PRAGMA wal_checkpoint(${mode})`);
}

if (!isMainThread && workerData?.tesseraCheckpoints) serve(workerData.tesseraCheckpoints);
