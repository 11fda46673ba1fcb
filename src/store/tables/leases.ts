import { namedUntil } from './named-until.ts';

/** Work that one node has claimed for itself. After its end, any node may claim it. */
export const leases = namedUntil('leases');
