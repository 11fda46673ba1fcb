import { acted } from '../../core/event.ts';
import { accept } from '../../core/outcome.ts';
import type { StoreHistory } from '../../core/store-history.ts';
import { takeBack } from '../../store/move-mark.ts';
import { readHistory } from '../../store/tables/store-history.ts';
import { beginEpoch } from '../upkeep/resume.ts';
import { type AdminOutcome, type AdminPorts, decline } from './admin.ts';

/** The operator has dealt with a store that was put back. Nodes are ready again within seconds, without a restart. */
export async function acceptRollback(ports: AdminPorts): Promise<AdminOutcome<StoreHistory>> {
  const begun = await beginEpoch(ports);
  return begun ? accept(begun) : decline('rollback-none', String((await readHistory(ports.store)).epoch));
}

/** The operator gives up the store that this one was moved to: services may start here again. */
export function takeStoreBack({ store, by }: AdminPorts): Promise<void> {
  return takeBack(store, (at) => acted({ kind: 'store', id: '', did: 'taken-back' }, { at, by }));
}
