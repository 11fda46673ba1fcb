import { after, type EpochSeconds, type Seconds, seconds } from '../../core/time.ts';
import { TABLES } from '../../store/all-tables.ts';
import type { Ports } from '../ports.ts';

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
  for (const table of TABLES)
    if (table.ends) {
      const until = before(now, table.ends.kept);
      swept += await sweepAll((limit) => store.sweep(table, until, limit), STEP, pause);
    }
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
