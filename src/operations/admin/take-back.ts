import { takeBack } from '../../store/move-mark.ts';
import { type AdminPorts, administered } from './admin.ts';

/** The operator gives up the store that this one was moved to: services may start here again. */
export function takeStoreBack({ store, by }: AdminPorts): Promise<void> {
  return takeBack(store, (at) => administered('store taken back', { at, by }));
}
