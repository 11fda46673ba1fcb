import type { Outage, ServiceTimes } from '../../core/service-times.ts';
import type { EpochSeconds } from '../../core/time.ts';
import { keyedTable } from '../table.ts';

/** The key of the only row. */
export const SERVICE = 'service';

export const serviceTimes = keyedTable<ServiceTimes>({
  name: 'service_times',
  columns: [
    { name: 'name', kind: 'text', fixed: true, of: () => SERVICE },
    { name: 'seen_at', kind: 'integer', of: ({ seenAt }) => seenAt },
    { name: 'outages', kind: 'json', of: ({ outages }) => JSON.stringify(outages) },
  ],
  decode: ([, seenAt, outages]) => ({
    seenAt: seenAt as EpochSeconds,
    outages: JSON.parse((outages ?? '[]') as string) as readonly Outage[],
  }),
});
