import type { LoggedEvent, Store } from '../../store/store.ts';

/** The newest events, oldest of them first. Events that were swept leave gaps, so there may be fewer than asked for. */
export async function latestEvents(store: Store, count: number): Promise<readonly LoggedEvent[]> {
  const last = await lastSequence(store);
  return store.events({ after: Math.max(0, last - count), limit: count });
}

// The log is read forwards only; its end is found by doubling, then halving: some forty single-row reads.
async function lastSequence(store: Store): Promise<number> {
  const isBehind = async (sequence: number) => (await store.events({ after: sequence, limit: 1 })).length > 0;
  let high = 1;
  while (await isBehind(high)) high *= 2;
  let low = 0;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (await isBehind(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
