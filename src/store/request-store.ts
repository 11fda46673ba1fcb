import type { Decision, Store } from './store.ts';

/** The store for one request: the events of its changes name the request, as its log line does. */
export function storeOfRequest(store: Store, requestId: string): Store {
  const named = <Row, T>(decision: Decision<Row, T>): Decision<Row, T> =>
    decision.events ? { ...decision, events: decision.events.map((event) => ({ ...event, requestId })) } : decision;
  return {
    ...store,
    change: (table, key, decide) => store.change(table, key, (found, now) => named(decide(found, now))),
    changeAll: (rows, decide) => store.changeAll(rows, (found, now) => named(decide(found, now))),
    create: (table, key, decide) => store.create(table, key, (now) => named(decide(now))),
  };
}
