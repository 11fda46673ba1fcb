import { after, type EpochSeconds, type Seconds, seconds } from '../../core/time.ts';
import type { AnyTable } from '../../store/table.ts';
import { assertions, attempts } from '../../store/tables/attempts.ts';
import { devices } from '../../store/tables/devices.ts';
import { figures, refusalCounts } from '../../store/tables/figures.ts';
import { grants } from '../../store/tables/grants.ts';
import { endedLists, leases, nodes } from '../../store/tables/leases.ts';
import { keySets, listContents, revocationLists } from '../../store/tables/revocation-lists.ts';
import { sessions } from '../../store/tables/sessions.ts';
import type { Ports } from '../ports.ts';

const HOUR = 3600;
const DAY = 24 * HOUR;
/**
 * The tables whose rows end, and how long rows stay after their end, so that a wrong clock sweeps nothing that still counts.
 * A swept grant cannot be restored, so grants stay for a week. Revocation lists do not end while nodes renew them; a list that
 * cannot be fetched still counts for a month, across restarts too.
 */
const SWEPT: readonly (readonly [table: AnyTable, grace: Seconds])[] = [
  [grants, seconds(7 * DAY)],
  [devices, seconds(HOUR)],
  [sessions, seconds(HOUR)],
  [attempts, seconds(HOUR)],
  [nodes, seconds(HOUR)],
  [leases, seconds(HOUR)],
  [refusalCounts, seconds(HOUR)],
  [endedLists, seconds(HOUR)],
  [assertions, seconds(HOUR)],
  [figures, seconds(HOUR)],
  [keySets, seconds(7 * DAY)],
  [revocationLists, seconds(30 * DAY)],
  [listContents, seconds(30 * DAY)],
];
/** The lease: one node sweeps for all. */
export const SWEEPING = { name: 'sweeping', lasts: seconds(50) };
/** Rows in one step: few, so that requests do not wait long. */
const STEP = 25;
/** More than STEP: every refresh adds an event, and the oldest events are adjacent, which makes deleting them cheap. */
const EVENTS_STEP = 500;

/** Removes what has ended, in small steps; returns how many rows. `pause` gives requests a turn. */
export async function sweep(
  { store, settings }: Pick<Ports, 'store' | 'settings'>,
  pause: () => Promise<void>,
): Promise<number> {
  const now = await store.now();
  let swept = 0;
  for (const [table, grace] of SWEPT)
    swept += await sweepAll((limit) => store.sweep(table, before(now, grace), limit), STEP, pause);
  swept += await sweepAll(
    (limit) => store.sweepEvents(before(now, settings.eventRetention), limit),
    EVENTS_STEP,
    pause,
  );
  return swept;
}

async function sweepAll(step: (limit: number) => Promise<number>, limit: number, pause: () => Promise<void>) {
  let swept = 0;
  for (;;) {
    const count = await step(limit);
    swept += count;
    if (count < limit) return swept;
    await pause();
  }
}

function before(now: EpochSeconds, length: Seconds): EpochSeconds {
  return after(now, seconds(0 - length));
}
