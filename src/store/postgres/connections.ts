import { setTimeout as pause } from 'node:timers/promises';
import { CommitUnknown, StoreUnavailable } from '../store.ts';
import type { Address } from './address.ts';
import { type Answer, type Connection, connect, type Parameter, type Statement } from './connection.ts';
import { ConnectionLost, isPassingConflict, storeFault } from './faults.ts';

const MOST_ATTEMPTS = 20;

/** A few connections, opened when needed; one that broke is replaced by the next use, so that nothing needs a restart. */
export class Connections {
  readonly #address: Address;
  readonly #idle: Connection[] = [];
  readonly #waiting: ((connection: Connection | undefined) => void)[] = [];
  #count = 0;
  #closed = false;

  constructor(address: Address) {
    this.#address = address;
  }

  /** Reads: where the connection is lost, once more on a new one. */
  async read(statement: Statement, values: readonly Parameter[] = []): Promise<Answer> {
    try {
      return await this.#use((connection) => connection.run(statement, values));
    } catch (error) {
      if (!(error instanceof ConnectionLost)) throw storeFault(error);
      return await this.#use((connection) => connection.run(statement, values)).catch((again) => {
        throw storeFault(again);
      });
    }
  }

  /**
   * Writes: `work` is one statement or one transaction, and is done again after a deadlock or a serialization failure.
   * CommitUnknown: it may have happened. Any other fault: it has not.
   */
  async write<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#use(work);
      } catch (error) {
        if (error instanceof ConnectionLost) throw new CommitUnknown(error.message);
        if (!isPassingConflict(error) || attempt === MOST_ATTEMPTS) throw storeFault(error);
        await pause(attempt);
      }
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const turn of this.#waiting.splice(0)) turn(undefined);
    for (const connection of this.#idle.splice(0)) connection.close();
  }

  async #use<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const connection = await this.#take();
    try {
      return await work(connection);
    } finally {
      this.#giveBack(connection);
    }
  }

  async #take(): Promise<Connection> {
    if (this.#closed) throw new StoreUnavailable('the store is closed');
    for (let idle = this.#idle.pop(); idle; idle = this.#idle.pop()) {
      if (!idle.isLost) return idle;
      this.#count--;
    }
    if (this.#count < this.#address.connections) return this.#open();
    const given = await new Promise<Connection | undefined>((resolve) => this.#waiting.push(resolve));
    return given ?? this.#take();
  }

  async #open(): Promise<Connection> {
    this.#count++;
    try {
      return await connect(this.#address);
    } catch (error) {
      this.#count--;
      this.#waiting.shift()?.(undefined);
      throw error;
    }
  }

  #giveBack(connection: Connection): void {
    if (this.#closed) connection.close();
    if (connection.isLost) {
      this.#count--;
      this.#waiting.shift()?.(undefined);
      return;
    }
    const next = this.#waiting.shift();
    if (next) next(connection);
    else this.#idle.push(connection);
  }
}
