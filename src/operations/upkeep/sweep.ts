import { after, type EpochSeconds, type Seconds, seconds } from '../../core/time.ts';
import { TABLES } from '../../store/all-tables.ts';
import type { Ports } from '../ports.ts';

/** The lease: one node sweeps for all. */
export const SWEEPING = { name: 'sweeping', lasts: seconds(50) };

interface Sweep {
  /** How long what has ended stays. */
  readonly kept: Seconds;
  /** How much is removed at once: little, so that requests do not wait long. */
  readonly step: number;
  readonly remove: (before: EpochSeconds, limit: number) => Promise<number>;
}

type SweepPorts = Pick<Ports, 'store' | 'settings'>;

/** In this order: the rows of each table that says when they end, then events, which are adjacent and thus cheap to delete. */
function sweeps({ store, settings }: SweepPorts): readonly Sweep[] {
  const tables = TABLES.flatMap((table): Sweep[] => {
    const remove = (before: EpochSeconds, limit: number) => store.sweep(table, before, limit);
    return table.ends ? [{ kept: table.ends.kept, step: 25, remove }] : [];
  });
  const removeEvents = (before: EpochSeconds, limit: number) => store.sweepEvents(before, limit);
  return [...tables, { kept: settings.eventRetention, step: 500, remove: removeEvents }];
}

/** Removes what has ended, in small steps; returns how many rows. `pause` gives requests a turn. */
export async function sweep(ports: SweepPorts, pause: () => Promise<void>): Promise<number> {
  const now = await ports.store.now();
  let swept = 0;
  for (const { kept, step, remove } of sweeps(ports)) {
    const before = after(now, seconds(0 - kept));
    for (let count = step; count === step; ) {
      count = await remove(before, step);
      swept += count;
      if (count === step) await pause();
    }
  }
  return swept;
}
