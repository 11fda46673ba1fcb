import { NEW_HISTORY } from '../../core/rules/rollback.ts';
import type { Rollback, StoreHistory } from '../../core/store-history.ts';
import { after, type EpochSeconds, epochSeconds, seconds } from '../../core/time.ts';
import { type Store, StoreUnavailable } from '../store.ts';
import { keyedTable } from '../table.ts';
import { type Attempts, attempts } from './attempts.ts';
import { readEvent, type StoredEvent } from './events.ts';

/** The store may have lost commits that were acknowledged: its grants are not used until that is settled. */
export class HistoryInDoubt extends StoreUnavailable {}

/** The key of the only row. */
export const HISTORY = 'history';

export const storeHistory = keyedTable<StoreHistory>({
  name: 'store_history',
  columns: [
    { name: 'name', kind: 'text', fixed: true, of: () => HISTORY },
    { name: 'epoch', kind: 'integer', of: ({ epoch }) => epoch },
    {
      name: 'rollback',
      kind: 'json',
      optional: true,
      of: ({ rollback }) => (rollback ? JSON.stringify(rollback) : null),
    },
  ],
  decode: ([, epoch, rollback]) => ({
    epoch: epoch as number,
    rollback: rollback === null ? undefined : readRollback(JSON.parse(rollback as string)),
  }),
});

/** An older release may have written the acts. */
function readRollback(stored: Rollback): Rollback {
  return { ...stored, lost: (stored.lost as readonly StoredEvent[]).map(readEvent) };
}

/** A store without the row has never been put back. */
export async function readHistory(store: Pick<Store, 'load'>): Promise<StoreHistory> {
  return (await store.load(storeHistory, HISTORY)).found?.row ?? NEW_HISTORY;
}

/** The key of the row in `attempts` that says when the last rollback was accepted. */
export const ACCEPTED = 'a rollback was accepted';
/** A caller may present a lost token years later. */
const KEPT = seconds(10 * 365 * 86_400);

export function acceptance(at: EpochSeconds, epoch: number): Attempts {
  return { about: ACCEPTED, count: epoch, endsAt: after(at, KEPT) };
}

export async function lastAccepted(store: Pick<Store, 'load'>): Promise<EpochSeconds | undefined> {
  const { found } = await store.load(attempts, ACCEPTED);
  return found && epochSeconds(found.row.endsAt - KEPT);
}
