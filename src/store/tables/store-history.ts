import { NEW_HISTORY } from '../../core/rules/rollback.ts';
import type { Rollback, StoreHistory } from '../../core/store-history.ts';
import type { Store } from '../store.ts';
import type { Table } from '../table.ts';
import { readEvent, type StoredEvent } from './events.ts';

/** The key of the only row. */
export const HISTORY = 'history';

export const storeHistory: Table<StoreHistory> = {
  name: 'store_history',
  columns: [
    { name: 'name', kind: 'text', fixed: true, of: () => HISTORY },
    { name: 'epoch', kind: 'integer', of: ({ epoch }) => epoch },
    { name: 'rollback', kind: 'json', of: ({ rollback }) => (rollback ? JSON.stringify(rollback) : null) },
  ],
  keyOf: () => HISTORY,
  encodeKey: (name) => name,
  decode: ([, epoch, rollback]) => ({
    epoch: epoch as number,
    rollback: rollback === null ? undefined : readRollback(JSON.parse(rollback as string)),
  }),
};

/** An older release may have written the acts. */
function readRollback(stored: Rollback): Rollback {
  return { ...stored, lost: (stored.lost as readonly StoredEvent[]).map(readEvent) };
}

/** A store without the row has never been put back. */
export async function readHistory(store: Pick<Store, 'load'>): Promise<StoreHistory> {
  return (await store.load(storeHistory, HISTORY)).found?.row ?? NEW_HISTORY;
}
