// What one node does for all. A lease is a row: it holds across nodes, workers and back ends, and a node that dies in the
// middle keeps the others out no longer than the lease lasts.
import { after, type Seconds } from '../core/time.ts';
import { attempts } from '../store/tables/sign-in.ts';
import type { Ports } from './ports.ts';

export interface Lease {
  readonly about: string;
  /** Nobody else takes it up for so long, even where the work is done sooner. */
  readonly lasts: Seconds;
}

/** Does the work unless another node has taken it up; says whether it was this one. */
export async function byOneNode(
  { about, lasts }: Lease,
  work: () => Promise<unknown>,
  { store }: Pick<Ports, 'store'>,
): Promise<boolean> {
  const taken = await store.change(attempts, about, (found, now) => {
    // One that ends later than a lease taken now was taken by a clock that has since been set back.
    if (found && now < found.row.endsAt && found.row.endsAt <= after(now, lasts)) return { outcome: false };
    return { outcome: true, next: { about, count: 1, endsAt: after(now, lasts) } };
  });
  if (taken) await work();
  return taken;
}
