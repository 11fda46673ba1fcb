import type { SharedKeySet } from '../../core/shared-download.ts';
import type { EpochSeconds } from '../../core/time.ts';
import { keyedTable } from '../table.ts';

/** The keys of token issuers, as nodes share them. */
export const keySets = keyedTable<SharedKeySet>({
  name: 'key_sets',
  columns: [
    { name: 'name', kind: 'text', fixed: true, of: ({ name }) => name },
    { name: 'checked_at', kind: 'integer', of: ({ checkedAt }) => checkedAt },
    { name: 'failure', kind: 'text', of: ({ failure }) => failure ?? null },
    { name: 'fetched_at', kind: 'integer', of: ({ fetched }) => fetched?.at ?? null },
    { name: 'contents', kind: 'text', of: ({ fetched }) => fetched?.text ?? null },
  ],
  decode: ([name, checkedAt, failure, fetchedAt, contents]) => ({
    name: name as string,
    checkedAt: checkedAt as EpochSeconds,
    ...(typeof failure === 'string' && { failure }),
    ...(typeof contents === 'string' && { fetched: { at: fetchedAt as EpochSeconds, text: contents } }),
  }),
  // The keys of a token issuer that was removed are no longer fetched, so this time stops moving.
  endsAt: 'checked_at',
});
