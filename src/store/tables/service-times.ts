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
    // The last outage, for nodes of 0.2.
    { name: 'silent_from', kind: 'integer', of: ({ outages }) => lastOf(outages)?.silentFrom ?? null },
    { name: 'answering_since', kind: 'integer', of: ({ outages }) => lastOf(outages)?.answeringSince ?? null },
    { name: 'outages', kind: 'json', of: ({ outages }) => JSON.stringify(outages) },
  ],
  decode: ([, seenAt, silentFrom, answeringSince, outages]) => ({
    seenAt: seenAt as EpochSeconds,
    outages: outagesOf({ silentFrom, answeringSince } as Outage, outages as string | null),
  }),
});

function lastOf(outages: readonly Outage[]): Outage | undefined {
  return outages.findLast(({ of }) => of === undefined);
}

/** Nodes of 0.2 write the last one only, beside the list that nodes of this release write. */
function outagesOf(last: Outage, text: string | null): readonly Outage[] {
  const known: readonly Outage[] = text === null ? [] : JSON.parse(text);
  const isNew = last.answeringSince !== null && last.answeringSince > (lastOf(known)?.answeringSince ?? 0);
  return isNew ? [...known, last] : known;
}
