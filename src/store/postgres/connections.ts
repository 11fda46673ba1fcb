import { setTimeout as sleep } from 'node:timers/promises';
import { type Durations, DurationTally } from '../duration-tally.ts';
import { CommitUnknown } from '../store.ts';
import type { Address } from './address.ts';
import type { Answer, Connection, Parameter } from './connection.ts';
import { EXTEND_EVENTS } from './event-partitions.ts';
import {
  ConnectionLost,
  isCancelled,
  isPassingConflict,
  lacksPartition,
  RowLocked,
  StartedTooLate,
  storeFault,
} from './faults.ts';
import { SessionPool } from './session-pool.ts';

const MOST_ATTEMPTS = 20;
/** Each waits for the lock by itself. */
const MOST_LOCKED_READS = 5;
/** A statement that started too late is sent once more, after reading the server's clock again. */
const MOST_LATE_STARTS = 2;

/** What the rest of the back end does with sessions: one statement or one transaction at a time. */
export class Connections {
  readonly sessions: SessionPool;
  readonly statementTimeoutMs: number;
  readonly #reads = new DurationTally();

  constructor(address: Address) {
    this.sessions = new SessionPool(address);
    this.statementTimeoutMs = address.statementTimeoutMs;
  }

  /** Reads. Retries if the connection is lost, or if the table is locked: a migration locks it for a moment. */
  async read(text: string, values: readonly Parameter[] = []): Promise<Answer> {
    const start = performance.now();
    for (let attempt = 1; ; attempt++) {
      try {
        const answer = await this.#use(async (connection) => {
          const found = await connection.run(text, values);
          if (connection.origin !== this.sessions.origin) throw new ConnectionLost('another server took over');
          return found;
        });
        this.#reads.add(performance.now() - start);
        return answer;
      } catch (error) {
        const fault = storeFault(error);
        const most = fault instanceof RowLocked ? MOST_LOCKED_READS : error instanceof ConnectionLost ? 2 : 1;
        if (attempt >= most) throw fault;
      }
    }
  }

  /**
   * `work` is a statement or a transaction. Repeated after a conflict, a missing partition, or if it was cancelled.
   * CommitUnknown: it may have happened. Any other fault: it has not.
   */
  async write<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const timeout = performance.now() + this.statementTimeoutMs;
      try {
        return await this.#use(work);
      } catch (error) {
        if (error instanceof ConnectionLost) throw new CommitUnknown(error.message);
        const isEarly = performance.now() < timeout;
        if (attempt >= mostAttempts(error, isEarly)) throw storeFault(error);
        if (lacksPartition(error))
          await this.#use((connection) => connection.run(EXTEND_EVENTS, [0])).catch(storeFault);
        else await sleep(attempt);
      }
    }
  }

  /** Of reads that succeeded, with the wait for a session. */
  get reads(): Durations {
    return this.#reads;
  }

  run(text: string, values: readonly Parameter[] = []): Promise<Answer> {
    return this.write((connection) => connection.run(text, values));
  }

  async #use<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const connection = await this.sessions.take();
    try {
      return await work(connection);
    } finally {
      this.sessions.giveBack(connection);
    }
  }
}

/** `isEarly`: before a statement can have timed out. */
function mostAttempts(error: unknown, isEarly: boolean): number {
  if (isPassingConflict(error) || (isEarly && isCancelled(error))) return MOST_ATTEMPTS;
  if (lacksPartition(error)) return 2;
  return error instanceof StartedTooLate ? MOST_LATE_STARTS : 1;
}
