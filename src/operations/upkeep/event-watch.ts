// Each node remembers the newest event, the highest epoch and the server it has seen, and the latest acts. So it notices a store that was
// put back to an older state (a restored backup, a failover that lost commits), and a log whose readers are held back.
import { hash } from 'node:crypto';
import type { Grant } from '../../core/grant.ts';
import { explainsLoss, isCovered, NEW_HISTORY, signWords, withRollback } from '../../core/rules/rollback.ts';
import type { Rollback, StoreHistory } from '../../core/store-history.ts';
import { later } from '../../core/time.ts';
import { rows } from '../../store/pages.ts';
import type { LoggedEvent, Problem, Store } from '../../store/store.ts';
import { nodes } from '../../store/tables/nodes.ts';
import { SERVICE, serviceTimes } from '../../store/tables/service-times.ts';
import { HISTORY, HistoryInDoubt, lastAccepted, readHistory, storeHistory } from '../../store/tables/store-history.ts';
import type { RecentActs } from './recent-acts.ts';
import { revokeAgain } from './resume.ts';

export interface EventNews {
  /** Once, when this node notices it. */
  readonly rolledBack: (what: Rollback) => void;
  /** It was accepted: the node goes on without a restart. */
  readonly accepted: (epoch: number) => void;
  /** In seconds; 0 while readers keep up. */
  readonly lag: (seconds: number) => void;
}

export interface WatchParts {
  readonly store: Store;
  /** The name that this node reports. */
  readonly node: string;
  readonly milliseconds: () => number;
  readonly news: EventNews;
  /** Absent for a store that nobody can put back under a running node. */
  readonly acts?: RecentActs | undefined;
  /** Accepts a rollback that nodes may accept themselves. Absent: only operators do. */
  readonly resume?: ((rollback: Rollback) => Promise<unknown>) | undefined;
}

interface Remembered {
  readonly sequence: number;
  readonly digest: string;
}

export class EventWatch {
  readonly #parts: WatchParts;
  #newest: Remembered | undefined;
  #epoch = 0;
  /** The server whose history was compared last. */
  #origin: string | undefined;
  /** A caller has proved that the store lost commits. */
  #isProved = false;
  /** What this node noticed and has not written into the store yet. */
  #noticed: Rollback | undefined;
  /** What the store says, also if another node noticed it. */
  #recorded: Rollback | undefined;
  /** Whether this node has written what it remembers of that. */
  #hasJoined = false;
  #looking: Promise<void> | undefined;
  #stamp: string | undefined;
  #readable = -1;
  #advancedAt = 0;

  constructor(parts: WatchParts) {
    this.#parts = parts;
    this.#origin = parts.store.origin?.();
  }

  /** Stays until the rollback is accepted. */
  get problem(): Problem | undefined {
    const rollback = this.#noticed ?? this.#recorded;
    if (!rollback && !this.#isProved) return undefined;
    const sign = rollback ? signWords(rollback) : 'a token is newer than the store';
    return { reason: 'the store was put back to an older state', detail: `${sign}: see tessera doctor` };
  }

  /** Throws while the store may lack commits that were acknowledged. */
  readonly admit = (): void => {
    if (this.problem) throw new HistoryInDoubt('the store was put back to an older state');
    if (this.#parts.store.origin?.() === this.#origin) return;
    void this.look().catch(() => undefined); // the next look tries again
    throw new HistoryInDoubt('another server took over, and is compared with what this node remembers');
  };

  /** For a token that its grant's row does not know: returns if a rollback that was accepted explains it. Otherwise it proves another. */
  async explainLoss(grant: Grant, generation: number): Promise<void> {
    const acceptedAt = await lastAccepted(this.#parts.store);
    if (acceptedAt !== undefined && explainsLoss(acceptedAt, grant, generation)) return;
    this.#isProved = true;
    await this.look().catch(() => undefined);
    if (this.#isProved) await this.look().catch(() => undefined); // the first had begun before
    throw new HistoryInDoubt('a token is newer than its row');
  }

  /** Often: looks at once if another node has noticed something. */
  async glance(): Promise<void> {
    const stamp = await this.#parts.store.stamp(storeHistory);
    if (stamp !== this.#stamp) await this.look();
    this.#stamp = stamp;
  }

  look(): Promise<void> {
    this.#looking ??= this.#compare().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async #compare(): Promise<void> {
    const { store, acts, resume } = this.#parts;
    const [origin, isProved] = [store.origin?.(), this.#isProved];
    const progress = await store.eventProgress();
    this.#measureLag(progress);
    const history = await readHistory(store);
    if (history.epoch > this.#epoch) await this.#begin(history);
    if (!history.rollback) this.#hasJoined = false;
    const [newest] = await store.newestEvents({ count: 1 });
    const wentBack = await this.#wasPutBack(history);
    const isSign = wentBack || isProved || (history.rollback && !this.#hasJoined);
    const lost = isSign || origin !== this.#origin ? await acts?.lost() : undefined;
    const seen = history.rollback && !wentBack ? 0 : this.#newest?.sequence;
    if (!this.#noticed && (isSign || lost?.length)) await this.#notice(newest, seen, lost ?? []);
    this.#recorded = this.#noticed ? await this.#record(this.#noticed) : history.rollback;
    if (this.#noticed && !this.#recorded) await revokeAgain(this.#noticed.lost, store); // accepted without this node
    if (this.#noticed) this.#hasJoined = true;
    this.#noticed = undefined;
    if (isProved) this.#isProved = false;
    this.#newest = newest && remember(newest);
    this.#origin = origin;
    await acts?.follow(progress.readable);
    if (resume && this.#recorded && isCovered(this.#recorded)) await resume(this.#recorded);
  }

  /**
   * At the start, and in the next epoch: what was remembered before no longer counts. A node that was not heard before the rollback was
   * accepted makes its lost revocations again.
   */
  async #begin({ epoch }: StoreHistory): Promise<void> {
    const { acts, news, store } = this.#parts;
    await revokeAgain(this.#noticed?.lost ?? (await acts?.lost()) ?? [], store);
    if (this.problem) news.accepted(epoch);
    this.#epoch = epoch;
    this.#noticed = undefined;
    this.#isProved = false;
    this.#hasJoined = false;
    this.#newest = undefined;
    acts?.forget();
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

  async #notice(
    newest: LoggedEvent | undefined,
    seen: number | undefined,
    lost: readonly LoggedEvent[],
  ): Promise<void> {
    const { store, acts, news } = this.#parts;
    const [noticedAt, times] = await Promise.all([store.now(), store.load(serviceTimes, SERVICE)]);
    const seenAt = times.found?.row.seenAt ?? noticedAt;
    const since = later(seenAt, newest?.at ?? seenAt);
    const running = (await Array.fromAsync(rows(store, nodes))).filter(({ endsAt }) => endsAt > since);
    const found = newest?.sequence ?? 0;
    this.#noticed = {
      noticedAt,
      seen: seen ?? found,
      found,
      lost,
      unlisted: acts?.covers(since) === false ? 1 : 0,
      since,
      awaited: running.map(({ name }) => name),
    };
    acts?.forget(); // from here on, the numbers mean other events
    news.rolledBack(this.#noticed);
  }

  /** Into the store that was put back, so that every node and `tessera doctor` can say it. Throws if that fails: tried again. */
  #record(noticed: Rollback): Promise<Rollback | undefined> {
    return this.#parts.store.change(storeHistory, HISTORY, (found) => {
      const history = found?.row ?? NEW_HISTORY;
      if (history.epoch > this.#epoch) return { outcome: undefined }; // noticed and accepted by others meanwhile
      const next = withRollback(history, noticed, { epoch: this.#epoch, node: this.#parts.node });
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
