// Each node remembers the newest event and the highest epoch it has seen. So it notices a store that was put back to an older
// state (a restored backup, a failover that lost commits), and a log whose readers are held back.
import { hash } from 'node:crypto';
import { NEW_HISTORY, withRollback } from '../../core/rules/rollback.ts';
import type { Rollback, StoreHistory } from '../../core/store-history.ts';
import type { LoggedEvent, Problem, Store } from '../../store/store.ts';
import { HISTORY, readHistory, storeHistory } from '../../store/tables/store-history.ts';
import type { RecentActs } from './recent-acts.ts';

export interface EventNews {
  /** Once, when this node notices it. */
  readonly rolledBack: (what: Rollback) => void;
  /** An operator has accepted it: the node goes on without a restart. */
  readonly accepted: (epoch: number) => void;
  /** In seconds; 0 while readers keep up. */
  readonly lag: (seconds: number) => void;
}

export interface WatchParts {
  readonly store: Store;
  readonly milliseconds: () => number;
  readonly news: EventNews;
  /** Absent for a store that nobody can put back under a running node. */
  readonly acts?: RecentActs | undefined;
}

interface Remembered {
  readonly sequence: number;
  readonly digest: string;
}

export class EventWatch {
  readonly #parts: WatchParts;
  #newest: Remembered | undefined;
  #epoch = 0;
  /** What this node noticed and has not written into the store yet. */
  #noticed: Rollback | undefined;
  /** What the store says, also if another node noticed it. */
  #recorded: Rollback | undefined;
  #readable = -1;
  #advancedAt = 0;

  constructor(parts: WatchParts) {
    this.#parts = parts;
  }

  /** Stays until an operator accepts the rollback: somebody has to look. */
  get problem(): Problem | undefined {
    const rollback = this.#noticed ?? this.#recorded;
    if (!rollback) return undefined;
    return {
      reason: 'the store was put back to an older state',
      detail: `a node had seen event ${rollback.seen}, and the store then ended at ${rollback.found}: see tessera doctor`,
    };
  }

  async look(): Promise<void> {
    const { store, acts } = this.#parts;
    const progress = await store.eventProgress();
    this.#measureLag(progress);
    const history = await readHistory(store);
    if (history.epoch > this.#epoch) this.#begin(history);
    const [newest] = await store.newestEvents({ count: 1 });
    if (!this.#noticed && (await this.#wasPutBack(history))) await this.#notice(newest?.sequence ?? 0);
    this.#recorded = this.#noticed ? await this.#record(this.#noticed) : history.rollback;
    this.#noticed = undefined;
    this.#newest = newest && remember(newest);
    await acts?.follow(progress.readable);
  }

  /** At the start, and in the next epoch: what was remembered before no longer counts. */
  #begin({ epoch }: StoreHistory): void {
    if (this.problem) this.#parts.news.accepted(epoch);
    this.#epoch = epoch;
    this.#noticed = undefined;
    this.#newest = undefined;
    this.#parts.acts?.forget();
  }

  async #wasPutBack({ epoch }: StoreHistory): Promise<boolean> {
    if (epoch < this.#epoch) return true;
    return this.#newest !== undefined && !(await this.#isStillThere(this.#newest));
  }

  /** An event may also be missing because it was swept: then everything before it is missing too. */
  async #isStillThere({ sequence, digest }: Remembered): Promise<boolean> {
    const { store } = this.#parts;
    const [found] = await store.events({ after: sequence - 1, limit: 1 });
    if (found?.sequence === sequence) return remember(found).digest === digest;
    if (!found) return false;
    const [oldest] = await store.events({ after: 0, limit: 1 });
    return oldest !== undefined && oldest.sequence > sequence;
  }

  async #notice(found: number): Promise<void> {
    const { store, acts, news } = this.#parts;
    const [noticedAt, lost = []] = await Promise.all([store.now(), acts?.lost()]);
    this.#noticed = { noticedAt, seen: this.#newest?.sequence ?? found, found, lost, unlisted: 0 };
    acts?.forget(); // from here on, the numbers mean other events
    news.rolledBack(this.#noticed);
  }

  /** Into the store that was put back, so that every node and `tessera doctor` can say it. Throws if that fails: tried again. */
  #record(noticed: Rollback): Promise<Rollback | undefined> {
    return this.#parts.store.change(storeHistory, HISTORY, (found) => {
      const history = found?.row ?? NEW_HISTORY;
      if (history.epoch > this.#epoch) return { outcome: undefined }; // noticed and accepted by others meanwhile
      const next = withRollback(history, noticed, this.#epoch);
      return { outcome: next.rollback, next };
    });
  }

  #measureLag({ readable, drawn }: { readable: number; drawn: number }): void {
    const now = this.#parts.milliseconds();
    if (readable >= drawn || readable !== this.#readable) this.#advancedAt = now;
    this.#readable = readable;
    this.#parts.news.lag((now - this.#advancedAt) / 1000);
  }
}

function remember(event: LoggedEvent): Remembered {
  return { sequence: event.sequence, digest: hash('sha256', JSON.stringify(event)) };
}
