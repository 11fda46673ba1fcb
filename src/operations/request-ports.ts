import type { Presenter } from '../core/presenter.ts';
import type { Decision, Store } from '../store/store.ts';
import type { AnyTable } from '../store/table.ts';
import type { Ports } from './ports.ts';

/** Every event names the request. Refreshes are too frequent for a store of their own: refresh-tokens.ts names the request itself. */
export function portsOfRequest<Some extends Pick<Ports, 'store'>>(
  ports: Some,
  requestId: string,
  presenter?: Presenter,
): Some {
  const request = { requestId, ...(presenter && { presenter }) };
  const named: See = (decision) =>
    decision.events ? { ...decision, events: decision.events.map((event) => ({ ...event, ...request })) } : decision;
  return { ...ports, store: seenStore(ports.store, (_, change) => change(named)) };
}

/** Gets every decision before it is committed. */
type See = <Row, T>(decision: Decision<Row, T>) => Decision<Row, T>;
type Around = <T>(tables: readonly AnyTable[], change: (see: See) => Promise<T>) => Promise<T>;

/** The same store, with `around` around each change of these tables. */
export function seenStore(store: Store, around: Around): Store {
  return {
    ...store,
    change: (table, key, decide) =>
      around([table], (see) => store.change(table, key, (found, now) => see(decide(found, now)))),
    changeAll: (rows, decide) => {
      const tables = rows.map(({ table }) => table);
      return around(tables, (see) => store.changeAll(rows, (found, now) => see(decide(found, now))));
    },
    create: (table, key, decide) => around([table], (see) => store.create(table, key, (now) => see(decide(now)))),
  };
}
