import { namedUntil } from './leases.ts';

/** The revocation lists that a machine has processed completely. After its end, a list is processed again at the next start. */
export const endedLists = namedUntil('ended_lists');
