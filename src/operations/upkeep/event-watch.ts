// Each node remembers the newest event, the highest epoch and the server it has seen, and the latest acts. So it notices a store that was
// put back to an older state (a restored backup, a failover that lost commits), and a log whose readers are held back.

import type { Event } from '../../core/event.ts';
import type { Grant } from '../../core/grant.ts';
import { shared } from '../../core/once-per.ts';
import { explainsLoss, isCovered, NEW_HISTORY, signWords, withRollback } from '../../core/rules/rollback.ts';
import type { Rollback, StoreHistory } from '../../core/store-history.ts';
import type { EpochSeconds } from '../../core/time.ts';
import { rows } from '../../store/pages.ts';
import type { EventProgress, LoggedEvent, Problem, Store } from '../../store/store.ts';
import type { AnyTable } from '../../store/table.ts';
import { grants } from '../../store/tables/grants.ts';
import { nodes } from '../../store/tables/leases.ts';
import { HISTORY, HistoryInDoubt, lastAccepted, storeHistory } from '../../store/tables/store-history.ts';
import { seenStore } from '../ports.ts';
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
  readonly node: string;
  readonly milliseconds: () => number;
  readonly news: EventNews;
  /** Absent for a store that nobody can put back under a running node. */
  readonly acts?: RecentActs | undefined;
  /** Accepts a rollback that nodes may accept themselves. Absent: only operators do. */
  readonly resume?: ((rollback: Rollback) => Promise<unknown>) | undefined;
}

/** A token that is newer than its row was most likely lost with a server that another one replaced at most this long ago. */
const RECENT_MS = 300_000;

/** Until the next look. */
class NotCompared extends HistoryInDoubt {}

export class EventWatch {
  readonly #parts: WatchParts;
  #newest: LoggedEvent | undefined;
  #epoch = 0;
  /** The server whose history was compared last, and when it took over from another. */
  #origin: string | undefined;
  #tookOverAt: number | undefined;
  /** A caller has proved that the store lost commits; this is the server that it had. */
  #proof: { readonly origin: string | undefined } | undefined;
  /** The nodes that ran when this one last looked. */
  #running: readonly string[] = [];
  /** What this node noticed and has not written into the store yet. */
  #noticed: Rollback | undefined;
  /** What the store says, also if another node noticed it. */
  #recorded: Rollback | undefined;
  /** Whether this node has written what it remembers of that. */
  #hasJoined = false;
  readonly look = shared(() => this.#compare());
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
    if (!rollback && !this.#proof) return undefined;
    const sign = rollback ? signWords(rollback) : 'a token is newer than the store';
    return { reason: 'the store was put back to an older state', detail: `${sign}: see tessera doctor` };
  }

  /** Throws while the store may lack commits that were acknowledged. */
  readonly admit = (): void => {
    if (this.problem) throw new HistoryInDoubt('the store was put back to an older state');
    if (this.#parts.store.origin?.() === this.#origin) return;
    throw new NotCompared('another server took over, and is compared with what this node remembers');
  };

  /** For a token that its grant's row does not know: returns if a rollback that was accepted explains it. Otherwise it proves another. */
  async explainLoss(grant: Grant): Promise<void> {
    const acceptedAt = await lastAccepted(this.#parts.store);
    if (acceptedAt !== undefined && explainsLoss(acceptedAt, grant)) return;
    this.#proof = { origin: this.#parts.store.origin?.() };
    await this.look().catch(() => undefined);
    throw new HistoryInDoubt('a token is newer than its row');
  }

  /** Often: looks at once if another node has noticed something. */
  async glance(): Promise<void> {
    const stamp = await this.#parts.store.stamp(storeHistory);
    if (stamp !== this.#stamp) await this.look();
    this.#stamp = stamp;
  }

  async #compare(): Promise<void> {
    const { store, acts, resume, milliseconds } = this.#parts;
    const progress = await store.eventProgress(); // reaches a server
    const [origin, proof] = [store.origin?.(), this.#proof];
    this.#measureLag(progress);
    const { found, now } = await store.load(storeHistory, HISTORY);
    const history = found?.row ?? NEW_HISTORY;
    if (history.epoch > this.#epoch) await this.#begin(history);
    if (!history.rollback) this.#hasJoined = false;
    if (origin !== this.#origin && acts?.era !== undefined) this.#tookOverAt = milliseconds();
    const [newest] = await store.newestEvents({ count: 1 });
    const wentBack = await this.#wasPutBack(history, progress);
    const isProved = proof !== undefined && proof.origin === origin;
    const isSign = wentBack || isProved || (history.rollback && !this.#hasJoined);
    const lost = (isSign || origin !== this.#origin ? await acts?.lost() : undefined) ?? [];
    if (isSign || lost.length > 0) {
      const seen = history.rollback && !wentBack ? 0 : this.#newest?.sequence;
      const end = newest?.sequence ?? 0;
      const remembersAll = (wentBack || lost.length > 0 || this.#isRecent()) && (await this.#remembersAll(progress));
      await this.#join({ noticedAt: now, seen: seen ?? end, found: end, lost, unlisted: 0 }, remembersAll);
    } else this.#recorded = history.rollback;
    this.#noticed = undefined;
    if (proof === this.#proof) this.#proof = undefined;
    this.#newest = newest;
    this.#origin = origin;
    await acts?.follow(progress.readable, newest);
    if (resume && this.#recorded && isCovered(this.#recorded)) await resume(this.#recorded);
    if (!this.#recorded) this.#running = await runningNodes(store, now);
  }

  /**
   * At the start, and in the next epoch: what was remembered before no longer counts. A node that was not heard before the rollback was
   * accepted makes its lost revocations again.
   */
  async #begin({ epoch }: StoreHistory): Promise<void> {
    const { acts, news, store } = this.#parts;
    await revokeAgain((await acts?.lost()) ?? [], store);
    if (this.problem) news.accepted(epoch);
    this.#epoch = epoch;
    this.#noticed = undefined;
    this.#proof = undefined;
    this.#hasJoined = false;
    this.#newest = undefined;
    acts?.forget();
  }

  async #wasPutBack({ epoch }: StoreHistory, progress: EventProgress): Promise<boolean> {
    if (epoch < this.#epoch) return true;
    return this.#newest !== undefined && !(await this.#isStillThere(this.#newest, progress));
  }

  #isRecent(): boolean {
    return this.#tookOverAt !== undefined && this.#parts.milliseconds() - this.#tookOverAt <= RECENT_MS;
  }

  async #remembersAll(progress: EventProgress): Promise<boolean> {
    const before = this.#parts.acts?.before;
    return before !== undefined && (await this.#isStillThere(before, progress));
  }

  /** An event may also be missing because it was swept: then everything before it is missing too. */
  async #isStillThere(event: Pick<LoggedEvent, 'sequence'>, { drawn }: EventProgress): Promise<boolean> {
    const { store } = this.#parts;
    const { sequence } = event;
    const [found] = await store.events({ after: sequence - 1, limit: 1, isComplete: false });
    if (found?.sequence === sequence) return JSON.stringify(found) === JSON.stringify(event);
    const [oldest] = await store.events({ after: 0, limit: 1 });
    return oldest ? oldest.sequence > sequence : drawn >= sequence;
  }

  /** Adds what this node noticed to the store. It keeps its memory until that has succeeded. */
  async #join(noticed: Rollback, remembersAll: boolean): Promise<void> {
    const { store, acts, news, node } = this.#parts;
    const described = { ...noticed, awaited: [...new Set([...this.#running, node])] };
    if (!this.#noticed) news.rolledBack(described);
    this.#noticed = described;
    this.#recorded = await this.#record(described, remembersAll);
    if (!this.#recorded) await revokeAgain(noticed.lost, store); // accepted without this node
    this.#hasJoined = true;
    acts?.forget(); // from here on, the numbers mean other events
  }

  /** Into the store that was put back, so that every node and `tessera doctor` can say it. Throws if that fails: tried again. */
  #record(noticed: Rollback, remembersAll: boolean): Promise<Rollback | undefined> {
    const { store, node } = this.#parts;
    return store.change(storeHistory, HISTORY, (found) => {
      const history = found?.row ?? NEW_HISTORY;
      if (history.epoch > this.#epoch) return { outcome: undefined }; // noticed and accepted by others meanwhile
      const next = withRollback(history, noticed, { node, epoch: this.#epoch, remembersAll });
      return { outcome: next.rollback, next };
    });
  }

  #measureLag({ readable, drawn }: EventProgress): void {
    const now = this.#parts.milliseconds();
    if (readable >= drawn || readable !== this.#readable) this.#advancedAt = now;
    this.#readable = readable;
    this.#parts.news.lag((now - this.#advancedAt) / 1000);
  }
}

/** A node that ended orderly has no keys. */
async function runningNodes(store: Store, now: EpochSeconds): Promise<readonly string[]> {
  const found = await Array.fromAsync(rows(store, nodes));
  return found.filter(({ endsAt, keys }) => endsAt > now && keys.length > 0).map(({ name }) => name);
}

/** Of a comparison that a request waits for. The first may have begun before another server took over. */
const MOST_LOOKS = 2;

/**
 * The store as requests use it. While it may lack commits that were acknowledged, grants are ended, but neither checked nor issued nor
 * refreshed. What this node commits is remembered, in case that the store loses it.
 */
export function watchedStore(store: Store, watch: Pick<EventWatch, 'admit' | 'look'>, acts: RecentActs): Store {
  const compared = async <T>(work: () => Promise<T>, attempts = MOST_LOOKS): Promise<T> => {
    try {
      return await work();
    } catch (fault) {
      if (!(fault instanceof NotCompared) || attempts === 0) throw fault;
      await watch.look();
      return compared(work, attempts - 1);
    }
  };
  const changes = seenStore(store, async (tables, change) => {
    const { era } = acts;
    let events: readonly Event[] = [];
    const outcome = await compared(() =>
      change((decision) => {
        const next: readonly unknown[] = Array.isArray(decision.next) ? decision.next : [decision.next];
        const usesGrant = tables.some((table, n) => table === grants && !(next[n] as Grant | undefined)?.revoked);
        if (usesGrant || decision.inserts?.some(({ table }) => table === grants)) watch.admit();
        events = decision.events ?? [];
        return decision;
      }),
    );
    if (events.length > 0) acts.remember(events, era);
    return outcome;
  });
  const load: Store['load'] = (table, key) =>
    compared(async () => {
      const loaded = await store.load(table, key);
      if ((table as AnyTable) === grants) watch.admit();
      return loaded;
    });
  return { ...changes, load };
}
