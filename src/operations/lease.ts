// What one node does for all. A lease is a row: it holds across nodes, workers and back ends, and a node that dies in the
// middle keeps the others out no longer than the lease lasts.
import { after, type EpochSeconds, earlier, type Seconds } from '../core/time.ts';
import { attempts } from '../store/tables/sign-in.ts';
import type { Ports } from './ports.ts';

export interface Lease {
  readonly about: string;
  /** Nobody else takes it up for so long, even where the work is done sooner. */
  readonly lasts: Seconds;
  /** Unless this is set: the lease is extended while the work goes on and ends with it; where the node dies, it lasts so long. */
  readonly endsWithWork?: true;
}

/** Does the work unless another node has taken it up; says whether it was this one. */
export async function byOneNode(
  lease: Lease,
  work: () => Promise<unknown>,
  { store }: Pick<Ports, 'store'>,
): Promise<boolean> {
  const { about, lasts, endsWithWork } = lease;
  const endsAt = await store.change(attempts, about, (found, now) => {
    // One that ends later than a lease taken now was taken by a clock that has since been set back.
    if (found && now < found.row.endsAt && found.row.endsAt <= after(now, lasts)) return { outcome: undefined };
    const ends = after(now, lasts);
    return { outcome: ends, next: { about, count: 1, endsAt: ends } };
  });
  if (endsAt === undefined) return false;
  if (!endsWithWork) {
    await work();
    return true;
  }
  const held = { about, endsAt };
  // Where extending or ending it fails, the lease lasts its time.
  const timer = setInterval(() => void extend(held, lasts, store).catch(() => undefined), lasts * 500);
  timer.unref();
  try {
    await work();
  } finally {
    clearInterval(timer);
    await giveUp(held, store).catch(() => undefined);
  }
  return true;
}

interface HeldLease {
  readonly about: string;
  endsAt: EpochSeconds;
}

async function extend(held: HeldLease, lasts: Seconds, store: Ports['store']): Promise<void> {
  held.endsAt = await store.change(attempts, held.about, (found, now) => {
    if (found?.row.endsAt !== held.endsAt) return { outcome: held.endsAt };
    const endsAt = after(now, lasts);
    return { outcome: endsAt, next: { ...found.row, endsAt } };
  });
}

/** One that another node has taken up meanwhile is not ours to give up. */
function giveUp({ about, endsAt }: HeldLease, store: Ports['store']): Promise<void> {
  return store.change(attempts, about, (found, now) =>
    found?.row.endsAt === endsAt
      ? { outcome: undefined, next: { ...found.row, endsAt: earlier(now, endsAt) } }
      : { outcome: undefined },
  );
}
