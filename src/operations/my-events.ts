import type { LoggedEvent } from '../store/store.ts';
import type { Person } from './decide-device.ts';
import type { Ports } from './ports.ts';

/**
 * The newest events of a person, newest first. The log is read forwards only; the place behind which no more than
 * `count` of them follow is found by doubling, then halving: some forty reads of an index, however long the log.
 */
export async function myEvents(
  { identity }: Person,
  count: number,
  { store }: Pick<Ports, 'store'>,
): Promise<readonly LoggedEvent[]> {
  const behind = (after: number) => store.events({ after, limit: count + 1, identityId: identity.id });
  const isTooMany = async (after: number) => (await behind(after)).length > count;
  let low = 0;
  let high = 1;
  while (await isTooMany(high)) high *= 2;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (await isTooMany(middle)) low = middle + 1;
    else high = middle;
  }
  return (await behind(low)).toReversed();
}
