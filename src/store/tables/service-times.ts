import type { ServiceTimes } from '../../core/service-times.ts';
import type { EpochSeconds } from '../../core/time.ts';
import type { Table } from '../table.ts';

/** The key of the only row. */
export const SERVICE = 'service';

export const serviceTimes: Table<ServiceTimes> = {
  name: 'service_times',
  columns: [
    { name: 'name', kind: 'text', fixed: true, of: () => SERVICE },
    { name: 'seen_at', kind: 'integer', of: ({ seenAt }) => seenAt },
    { name: 'silent_from', kind: 'integer', of: ({ outage }) => outage?.silentFrom ?? null },
    { name: 'answering_since', kind: 'integer', of: ({ outage }) => outage?.answeringSince ?? null },
  ],
  keyOf: () => SERVICE,
  encodeKey: (name) => name,
  decode: ([, seenAt, silentFrom, answeringSince]) => ({
    seenAt: seenAt as EpochSeconds,
    outage:
      silentFrom === null || answeringSince === null
        ? undefined
        : { silentFrom: silentFrom as EpochSeconds, answeringSince: answeringSince as EpochSeconds },
  }),
};
