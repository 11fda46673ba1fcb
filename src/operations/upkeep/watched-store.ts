import type { Event } from '../../core/event.ts';
import type { Grant } from '../../core/grant.ts';
import type { Decision, Store } from '../../store/store.ts';
import type { AnyTable } from '../../store/table.ts';
import { grants } from '../../store/tables/grants.ts';
import { type EventWatch, NotCompared } from './event-watch.ts';
import type { RecentActs } from './recent-acts.ts';

/** Is called with every decision, and returns it. */
type Note = <Row, T>(decision: Decision<Row, T>) => Decision<Row, T>;

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
  const remembered = async <T>(work: (note: Note) => Promise<T>): Promise<T> => {
    const { era } = acts;
    let events: readonly Event[] = [];
    const note: Note = (decision) => {
      events = decision.events ?? [];
      return decision;
    };
    const outcome = await compared(() => work(note));
    if (events.length > 0) acts.remember(events, era);
    return outcome;
  };
  const admitted = <Row, T>(tables: readonly AnyTable[], next: readonly unknown[], decision: Decision<Row, T>) => {
    const usesGrant = tables.some((table, n) => table === grants && !(next[n] as Grant | undefined)?.revoked);
    if (usesGrant || decision.inserts?.some(({ table }) => table === grants)) watch.admit();
    return decision;
  };
  return {
    ...store,
    load: (table, key) =>
      compared(async () => {
        const loaded = await store.load(table, key);
        if ((table as AnyTable) === grants) watch.admit();
        return loaded;
      }),
    change: (table, key, decide) =>
      remembered((note) =>
        store.change(table, key, (found, now) => {
          const decision = decide(found, now);
          return note(admitted([table], [decision.next], decision));
        }),
      ),
    changeAll: (rows, decide) =>
      remembered((note) =>
        store.changeAll(rows, (found, now) => {
          const decision = decide(found, now);
          const tables = rows.map(({ table }) => table);
          return note(admitted(tables, decision.next ?? [], decision));
        }),
      ),
    create: (table, key, decide) =>
      remembered((note) =>
        store.create(table, key, (now) => {
          const decision = decide(now);
          return note(admitted([table], [decision.next], decision));
        }),
      ),
  };
}
