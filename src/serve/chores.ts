// What a running service does besides answering.
import { every } from './watch.ts';

export interface Chore {
  readonly everyMs: number;
  readonly work: () => Promise<unknown>;
  /** At the start too: before the first request is answered, or beside it. */
  readonly atStart?: 'awaited' | 'begun';
}

/** Resolves, with how to stop them, once all is done that the first request must find done. */
export async function startChores(
  chores: readonly Chore[],
  tellFault: (fault: unknown) => void,
): Promise<() => Promise<void>> {
  for (const { work, atStart } of chores) if (atStart === 'awaited') await work();
  const stops = chores.map(({ everyMs, work, atStart }) =>
    every(everyMs, work, tellFault, { atOnce: atStart === 'begun' }),
  );
  return async () => {
    await Promise.all(stops.map((stop) => stop()));
  };
}
