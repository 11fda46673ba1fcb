import type { Person } from '../../core/person.ts';
import type { LoggedEvent } from '../../store/store.ts';
import type { Ports } from '../ports.ts';

/** The newest events of a person, newest first. */
export async function myEvents(
  { identity }: Person,
  count: number,
  { store }: Pick<Ports, 'store'>,
): Promise<readonly LoggedEvent[]> {
  return (await store.newestEvents({ count, identityId: identity.id })).toReversed();
}
