// Work that one node does for all. A lease is a row. If the node dies, the others wait no longer than it lasts.
import { after, type EpochSeconds, earlier, later, type Seconds, seconds } from '../core/time.ts';
import { type Store, type StorePort, writeRow } from './store.ts';
import { leases } from './tables/leases.ts';

export interface Lease {
  readonly name: string;
  /** No other node does the work for this long, even if it is finished sooner. */
  readonly lasts: Seconds;
  /** The lease ends with the work. It lasts its full time only if the node dies while working. */
  readonly endsWithWork?: true;
}

/** Does the work unless another node holds the lease. Returns whether this node did it. */
export async function byOneNode(lease: Lease, work: () => Promise<unknown>, { store }: StorePort): Promise<boolean> {
  const { name, lasts, endsWithWork } = lease;
  const endsAt = await take(lease, store);
  if (endsAt === undefined) return false;
  const held = { endsAt };
  const renewing = setInterval(() => void renew(lease, held, store).catch(() => undefined), (lasts * 1000) / RENEWALS);
  renewing.unref();
  try {
    await work();
  } finally {
    clearInterval(renewing);
    // Long work has renewed it: the next begins as soon as if it had not. If releasing fails, the lease lasts its full time.
    if (endsWithWork || held.endsAt !== endsAt)
      await release(name, held.endsAt, endsWithWork ? undefined : endsAt, store).catch(() => undefined);
  }
  return true;
}

/** If a node dies while it downloads, the others wait no longer than this. */
const FETCHING = seconds(10);

export function fetchByOne(name: string, work: () => Promise<unknown>, store: Store): Promise<boolean> {
  return byOneNode({ name, lasts: FETCHING, endsWithWork: true }, work, { store });
}

/** How often a lease is renewed while it lasts, so that work that takes longer keeps it. */
const RENEWALS = 3;

/** When the lease ends, or undefined if another node holds it. */
function take({ name, lasts }: Lease, store: Store): Promise<EpochSeconds | undefined> {
  return store.change(leases, name, (found, now) => {
    const endsAt = after(now, lasts);
    // A lease that ends later than one taken now comes from a clock that has since been set back.
    if (found && now < found.row.endsAt && found.row.endsAt <= endsAt) return { outcome: undefined };
    return { outcome: endsAt, next: { name, endsAt } };
  });
}

/** Does nothing if another node has taken the lease meanwhile. */
async function renew({ name, lasts }: Lease, held: { endsAt: EpochSeconds }, store: Store): Promise<void> {
  held.endsAt = await store.change(leases, name, (found, now) => {
    if (found?.row.endsAt !== held.endsAt) return { outcome: held.endsAt };
    const endsAt = after(now, lasts);
    return { outcome: endsAt, next: { name, endsAt } };
  });
}

/** Does nothing if another node has taken the lease meanwhile. */
function release(name: string, endsAt: EpochSeconds, until: EpochSeconds | undefined, store: Store): Promise<unknown> {
  return writeRow(store, leases, name, (row, now) =>
    row?.endsAt === endsAt ? { name, endsAt: earlier(later(now, until ?? now), endsAt) } : undefined,
  );
}
