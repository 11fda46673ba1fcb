import { acted } from '../../core/event.ts';
import { accept } from '../../core/outcome.ts';
import { NEW_HISTORY, withoutRollback } from '../../core/rules/rollback.ts';
import type { StoreHistory } from '../../core/store-history.ts';
import { takeBack } from '../../store/move-mark.ts';
import type { Decision } from '../../store/store.ts';
import { HISTORY, storeHistory } from '../../store/tables/store-history.ts';
import { type AdminOutcome, type AdminPorts, decline } from './admin.ts';

/** The operator has dealt with a store that was put back. Nodes are ready again within seconds, without a restart. */
export function acceptRollback({ store, by }: AdminPorts): Promise<AdminOutcome<StoreHistory>> {
  return store.change(storeHistory, HISTORY, (found, at): Decision<StoreHistory, AdminOutcome<StoreHistory>> => {
    const history = found?.row ?? NEW_HISTORY;
    if (!history.rollback) return { outcome: decline('rollback-none', String(history.epoch)) };
    const next = withoutRollback(history);
    const { seen, found: end } = history.rollback;
    const act = { kind: 'store', id: '', did: 'rollback-accepted', epoch: next.epoch, seen, found: end } as const;
    return { outcome: accept(next), next, events: [acted(act, { at, by })] };
  });
}

/** The operator gives up the store that this one was moved to: services may start here again. */
export function takeStoreBack({ store, by }: AdminPorts): Promise<void> {
  return takeBack(store, (at) => acted({ kind: 'store', id: '', did: 'taken-back' }, { at, by }));
}
