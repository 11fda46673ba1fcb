import type { Outage, ServiceTimes } from '../../core/service-times.ts';
import type { EpochSeconds } from '../../core/time.ts';
import { keyedTable } from '../table.ts';

/** The key of the only row. */
export const SERVICE = 'service';

export const serviceTimes = keyedTable<ServiceTimes>({
  name: 'service_times',
  rows: 'changing',
  columns: [
    { name: 'name', kind: 'text', fixed: true, of: () => SERVICE },
    { name: 'seen_at', kind: 'integer', of: ({ seenAt }) => seenAt },
    { name: 'outages', kind: 'json', optional: true, of: ({ outages }) => JSON.stringify(outages) },
    // 0.3.0 to 0.3.4 write these, too.
    { name: 'silent_from', kind: 'integer', fixed: true, rare: true, unread: true, of: () => null },
    { name: 'answering_since', kind: 'integer', fixed: true, rare: true, unread: true, of: () => null },
  ],
  decode: ([, seenAt, outages]) => ({
    seenAt: seenAt as EpochSeconds,
    outages: JSON.parse((outages ?? '[]') as string) as readonly Outage[],
  }),
});
