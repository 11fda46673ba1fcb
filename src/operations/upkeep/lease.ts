// What one node does for all. A lease is a row: it holds across nodes, workers and back ends, and a node that dies in the
// middle keeps the others out no longer than the lease lasts.
import { after, type EpochSeconds, earlier, type Seconds } from '../../core/time.ts';
import { attempts } from '../../store/tables/sign-in.ts';
import type { Ports } from '../ports.ts';

export interface Lease {
  readonly about: string;
  /** Nobody else takes it up for so long, even where the work is done sooner. */
  readonly lasts: Seconds;
  /** Unless this is set: then the lease ends with the work, and lasts so long only where the node dies in the middle. */
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
  const held = { endsAt };
  const renewing = setInterval(() => void renew(lease, held, store).catch(() => undefined), (lasts * 1000) / RENEWALS);
  renewing.unref();
  try {
    await work();
  } finally {
    clearInterval(renewing);
    // Where that fails, the lease lasts its time.
    if (endsWithWork) await giveUp(about, held.endsAt, store).catch(() => undefined);
  }
  return true;
}

/** How often a lease is renewed while it lasts: work that takes longer than the lease stays this node's. */
const RENEWALS = 3;

/** One that another node has taken up meanwhile is left to it. */
async function renew({ about, lasts }: Lease, held: { endsAt: EpochSeconds }, store: Ports['store']): Promise<void> {
  held.endsAt = await store.change(attempts, about, (found, now) => {
    if (found?.row.endsAt !== held.endsAt) return { outcome: held.endsAt };
    const ends = after(now, lasts);
    return { outcome: ends, next: { ...found.row, endsAt: ends } };
  });
}

/** One that another node has taken up meanwhile is not ours to give up. */
function giveUp(about: string, endsAt: EpochSeconds, store: Ports['store']): Promise<void> {
  return store.change(attempts, about, (found, now) =>
    found?.row.endsAt === endsAt
      ? { outcome: undefined, next: { ...found.row, endsAt: earlier(now, endsAt) } }
      : { outcome: undefined },
  );
}
