import type { Event } from '../../core/event.ts';
import type { Grant } from '../../core/grant.ts';
import type { Store } from '../../store/store.ts';
import type { AnyTable } from '../../store/table.ts';
import { grants } from '../../store/tables/grants.ts';
import { seenStore } from '../request-ports.ts';
import { type EventWatch, NotCompared } from './event-watch.ts';
import type { RecentActs } from './recent-acts.ts';

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
