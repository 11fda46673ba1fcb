import type { ClaimedCaller } from '../../core/refusal.ts';
import type { EpochSeconds } from '../../core/time.ts';
import { keyedTable } from '../table.ts';

/** How often requests were refused for one reason. Empty texts: of no known integration, of no known identity. */
export interface RefusalCount {
  /** Of integration, identity and reason. */
  readonly key: string;
  readonly clientId: string;
  readonly identityId: string;
  readonly reason: string;
  readonly count: number;
  readonly first: EpochSeconds;
  readonly last: EpochSeconds;
  readonly lastRequestId: string;
  readonly claimed?: ClaimedCaller;
}

/** How long a row stays after the last refusal. */
const KEPT = 30 * 86_400;

export const refusalCounts = keyedTable<RefusalCount>({
  name: 'refusal_counts',
  columns: [
    { name: 'key', kind: 'text', fixed: true, of: ({ key }) => key },
    { name: 'body', kind: 'json', of: (row) => JSON.stringify({ ...row, key: undefined }) },
    { name: 'ends_at', kind: 'integer', of: ({ last }) => last + KEPT },
  ],
  decode: ([key, body]) => ({ ...JSON.parse(body as string), key: key as string }),
  endsAt: 'ends_at',
});
