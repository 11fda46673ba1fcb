import { acted } from '../../core/event.ts';
import { takeBack } from '../../store/move-mark.ts';
import type { AdminPorts } from './admin.ts';

/** The operator gives up the store that this one was moved to: services may start here again. */
export function takeStoreBack({ store, by }: AdminPorts): Promise<void> {
  return takeBack(store, (at) => acted({ kind: 'store', id: '', did: 'taken-back' }, { at, by }));
}
