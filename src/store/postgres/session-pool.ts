import { type StoreFigures, StoreUnavailable } from '../store.ts';
import type { Address } from './address.ts';
import { type Connection, connect } from './connection.ts';

interface Waiting {
  readonly resolve: (connection: Connection) => void;
  readonly reject: (fault: unknown) => void;
  readonly timer: NodeJS.Timeout;
}

/** The most callers that wait for a session; further ones are refused at once. */
const MOST_WAITING = 1_000;
/** How long a caller waits, as a share of the statement timeout. With the statement itself that makes twice the timeout. */
const LONGEST_WAIT = 0.6;
/** After the server refused a session: how long no new one is opened. */
const CONTENT_MS = 500;

/** The sessions of a node, opened when needed; a broken one is replaced. If none is idle, a caller waits for one. */
export class SessionPool {
  readonly #address: Address;
  readonly #idle: Connection[] = [];
  readonly #waiting = new Set<Waiting>();
  /** Sessions that are open, and those being opened. */
  #open = 0;
  #opening = 0;
  #contentUntil = 0;
  #lastFault: Error | undefined;
  #isClosed = false;
  #origin: string | undefined;

  constructor(address: Address) {
    this.#address = address;
  }

  async take(): Promise<Connection> {
    if (this.#isClosed) throw new StoreUnavailable('the store is closed');
    for (let idle = this.#idle.pop(); idle; idle = this.#idle.pop()) {
      if (this.#isUsable(idle)) return idle;
      this.#open--;
    }
    if (this.#waiting.size >= MOST_WAITING) throw this.#overrun(`${MOST_WAITING} requests wait already`);
    return this.#wait();
  }

  giveBack(connection: Connection): void {
    if (this.#isClosed) connection.close();
    if (!this.#isUsable(connection)) {
      this.#open--;
      this.#openMore();
    } else this.#hand(connection);
  }

  /** Of the newest session: set before anything is read through it. Sessions at other servers are not used again. */
  get origin(): string | undefined {
    return this.#origin;
  }

  #isUsable(connection: Connection): boolean {
    if (connection.origin !== this.#origin) connection.close();
    return !connection.isLost;
  }

  figures(): NonNullable<StoreFigures['sessions']> {
    return {
      open: this.#open,
      idle: this.#idle.length,
      limit: this.#address.connections,
      waiting: this.#waiting.size,
    };
  }

  close(): void {
    this.#isClosed = true;
    this.#refuseAll(new StoreUnavailable('the store is closed'));
    for (const connection of this.#idle.splice(0)) connection.close();
  }

  #wait(): Promise<Connection> {
    const longest = LONGEST_WAIT * this.#address.statementTimeoutMs;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(waiting);
        reject(this.#overrun(`none became free in ${longest} ms`));
      }, longest);
      const waiting = { resolve, reject, timer };
      this.#waiting.add(waiting);
      this.#openMore();
    });
  }

  /** Opens as many as callers are waiting, within the limit. */
  #openMore(): void {
    if (this.#open > 0 && performance.now() < this.#contentUntil) return;
    while (this.#opening < this.#waiting.size && this.#open + this.#opening < this.#address.connections) {
      this.#opening++;
      void this.#openOne();
    }
  }

  async #openOne(): Promise<void> {
    try {
      const connection = await connect(this.#address);
      this.#open++;
      this.#origin = connection.origin;
      this.#lastFault = undefined;
      this.#hand(connection);
    } catch (fault) {
      this.#contentUntil = performance.now() + CONTENT_MS;
      this.#lastFault = fault as Error;
    } finally {
      this.#opening--;
    }
    if (this.#open + this.#opening === 0 && this.#lastFault) this.#refuseAll(this.#lastFault);
  }

  #hand(connection: Connection): void {
    const [next] = this.#waiting;
    if (this.#isClosed) connection.close();
    else if (next) this.#settle(next).resolve(connection);
    else this.#idle.push(connection);
  }

  #refuseAll(fault: Error): void {
    for (const waiting of this.#waiting) this.#settle(waiting).reject(fault);
  }

  #settle(waiting: Waiting): Waiting {
    clearTimeout(waiting.timer);
    this.#waiting.delete(waiting);
    return waiting;
  }

  #overrun(why: string): StoreUnavailable {
    const refused = this.#lastFault ? `; the last attempt to open one: ${this.#lastFault.message}` : '';
    return new StoreUnavailable(`no free session: ${why}${refused}`);
  }
}
