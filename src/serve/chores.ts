// Background work of a running service.
import { every } from './watch.ts';

export interface Chore {
  readonly everyMs: number;
  readonly work: () => Promise<unknown>;
  /** Also at the start: before the first request is answered (awaited), or at the same time (begun). */
  readonly atStart?: 'awaited' | 'begun';
}

/** Resolves to a stop function once the awaited work is done. */
export async function startChores(
  chores: readonly Chore[],
  logFault: (fault: unknown) => void,
): Promise<() => Promise<void>> {
  for (const { work, atStart } of chores) if (atStart === 'awaited') await work();
  const stops = chores.map(({ everyMs, work, atStart }) =>
    every(everyMs, work, logFault, { atOnce: atStart === 'begun' }),
  );
  return async () => {
    await Promise.all(stops.map((stop) => stop()));
  };
}
