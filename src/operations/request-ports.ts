import type { Presenter } from '../core/presenter.ts';
import type { Decision, Store } from '../store/store.ts';
import type { Ports } from './ports.ts';

/** Every event names the request. Refreshes are too frequent for a store of their own: refresh-tokens.ts names the request itself. */
export function portsOfRequest<Some extends Pick<Ports, 'store'>>(
  ports: Some,
  requestId: string,
  presenter?: Presenter,
): Some {
  return { ...ports, store: storeOfRequest(ports.store, { requestId, ...(presenter && { presenter }) }) };
}

function storeOfRequest(store: Store, request: { readonly requestId: string; readonly presenter?: Presenter }): Store {
  const named = <Row, T>(decision: Decision<Row, T>): Decision<Row, T> =>
    decision.events ? { ...decision, events: decision.events.map((event) => ({ ...event, ...request })) } : decision;
  return {
    ...store,
    change: (table, key, decide) => store.change(table, key, (found, now) => named(decide(found, now))),
    changeAll: (rows, decide) => store.changeAll(rows, (found, now) => named(decide(found, now))),
    create: (table, key, decide) => store.create(table, key, (now) => named(decide(now))),
  };
}
