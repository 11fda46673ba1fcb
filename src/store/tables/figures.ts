import type { Figures } from '../../core/figures.ts';
import type { ClaimedCaller } from '../../core/refusal.ts';
import type { EpochSeconds } from '../../core/time.ts';
import { HOUR, keyedTable } from '../table.ts';

export interface KeptFigures extends Figures {
  readonly endsAt: EpochSeconds;
}

/** One row for each node and stretch of time. Keys are in the order of step and time, so that a range is read by them. */
export const figures = keyedTable<KeptFigures>({
  name: 'figures',
  columns: [
    { name: 'stretch', kind: 'text', fixed: true, of: (row) => stretchKey(row) },
    { name: 'body', kind: 'json', of: (row) => JSON.stringify({ ...row, endsAt: undefined }) },
    { name: 'ends_at', kind: 'integer', fixed: true, of: ({ endsAt }) => endsAt },
  ],
  decode: ([, body, endsAt]) => ({ ...JSON.parse(body as string), endsAt: endsAt as EpochSeconds }),
  ends: { at: 'ends_at', kept: HOUR },
  isRebuilt: true,
});

/** Without a node: before the keys of all nodes. */
export function stretchKey({ step, at, node = '' }: Pick<Figures, 'step' | 'at'> & { readonly node?: string }): string {
  return `${String(step).padStart(5, '0')} ${String(at).padStart(11, '0')} ${node}`;
}

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
  rows: 'changing',
  columns: [
    { name: 'key', kind: 'text', fixed: true, of: ({ key }) => key },
    { name: 'body', kind: 'json', of: (row) => JSON.stringify({ ...row, key: undefined }) },
    { name: 'ends_at', kind: 'integer', of: ({ last }) => last + KEPT },
  ],
  decode: ([key, body]) => ({ ...JSON.parse(body as string), key: key as string }),
  ends: { at: 'ends_at', kept: HOUR },
  isRebuilt: true,
});
