import type { EpochSeconds } from '../../core/time.ts';
import { keyedTable } from '../table.ts';

/** How often something failed: for lockouts that hold across nodes and restarts. */
export interface Attempts {
  readonly about: string;
  readonly count: number;
  readonly endsAt: EpochSeconds;
}

export const attempts = keyedTable<Attempts>({
  name: 'attempts',
  columns: [
    { name: 'about', kind: 'text', fixed: true, of: ({ about }) => about },
    { name: 'count', kind: 'integer', of: ({ count }) => count },
    { name: 'ends_at', kind: 'integer', of: ({ endsAt }) => endsAt },
  ],
  decode: ([about, count, endsAt]) => ({
    about: about as string,
    count: count as number,
    endsAt: endsAt as EpochSeconds,
  }),
  endsAt: 'ends_at',
});
