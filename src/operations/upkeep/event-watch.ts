// Each node remembers the newest event it has seen. So it notices a store that was reset to an older state (a restored
// backup, a failover that lost commits), and a log whose readers are held back.
import { hash } from 'node:crypto';
import type { LoggedEvent, Problem, Store } from '../../store/store.ts';

export interface EventNews {
  /** Once, when it is noticed. */
  readonly rolledBack: (what: RolledBack) => void;
  /** In seconds; 0 while readers keep up. */
  readonly lag: (seconds: number) => void;
}

export interface RolledBack {
  /** The newest event that this node had seen. */
  readonly seen: number;
  /** The newest that the store has now. */
  readonly found: number;
}

interface Remembered {
  readonly sequence: number;
  readonly digest: string;
}

export class EventWatch {
  readonly #store: Pick<Store, 'events' | 'newestEvents' | 'eventProgress'>;
  readonly #milliseconds: () => number;
  readonly #news: EventNews;
  #newest: Remembered | undefined;
  #rolledBack: RolledBack | undefined;
  #readable = -1;
  #advancedAt = 0;

  constructor(
    store: Pick<Store, 'events' | 'newestEvents' | 'eventProgress'>,
    milliseconds: () => number,
    news: EventNews,
  ) {
    this.#store = store;
    this.#milliseconds = milliseconds;
    this.#news = news;
  }

  /** Stays until the node is restarted: an operator has to look. */
  get problem(): Problem | undefined {
    if (!this.#rolledBack) return undefined;
    const { seen, found } = this.#rolledBack;
    return {
      reason: 'the store was put back to an older state',
      detail: `this node had seen event ${seen}, and the store then ended at ${found}: docs/operators.md, A store that was put back`,
    };
  }

  async look(): Promise<void> {
    this.#measureLag(await this.#store.eventProgress());
    const [newest] = await this.#store.newestEvents({ count: 1 });
    if (this.#newest && !(await this.#isStillThere(this.#newest))) this.#notice(this.#newest.sequence, newest);
    this.#newest = newest && remember(newest);
  }

  /** An event may also be missing because it was swept: then everything before it is missing too. */
  async #isStillThere({ sequence, digest }: Remembered): Promise<boolean> {
    const [found] = await this.#store.events({ after: sequence - 1, limit: 1 });
    if (found?.sequence === sequence) return remember(found).digest === digest;
    if (!found) return false;
    const [oldest] = await this.#store.events({ after: 0, limit: 1 });
    return oldest !== undefined && oldest.sequence > sequence;
  }

  #notice(seen: number, newest: LoggedEvent | undefined): void {
    this.#rolledBack = { seen, found: newest?.sequence ?? 0 };
    this.#news.rolledBack(this.#rolledBack);
  }

  #measureLag({ readable, drawn }: { readable: number; drawn: number }): void {
    const now = this.#milliseconds();
    if (readable >= drawn || readable !== this.#readable) this.#advancedAt = now;
    this.#readable = readable;
    this.#news.lag((now - this.#advancedAt) / 1000);
  }
}

function remember(event: LoggedEvent): Remembered {
  return { sequence: event.sequence, digest: hash('sha256', JSON.stringify(event)) };
}
