import { hash } from 'node:crypto';
import { firstHalf, type Hex } from '../../core/hex.ts';
import type { SharedList } from '../../core/shared-download.ts';
import type { EpochSeconds } from '../../core/time.ts';
import type { Table } from '../table.ts';

/** Revocation lists that one node fetched for all. */
export const revocationLists: Table<SharedList> = {
  name: 'revocation_lists',
  columns: [
    { name: 'key', kind: 'hex', fixed: true, of: ({ url }) => addressKey(url) },
    { name: 'url', kind: 'text', fixed: true, of: ({ url }) => url },
    { name: 'asked_at', kind: 'integer', of: ({ askedAt }) => askedAt },
    { name: 'checked_at', kind: 'integer', of: ({ checkedAt }) => checkedAt },
    { name: 'renew_at', kind: 'integer', of: ({ renewAt }) => renewAt },
    { name: 'failure', kind: 'text', of: ({ failure }) => failure ?? null },
    { name: 'mark', kind: 'hex', of: ({ mark }) => mark ?? null },
  ],
  keyOf: ({ url }) => url,
  encodeKey: addressKey,
  decode: ([, url, askedAt, checkedAt, renewAt, failure, mark]) => ({
    url: url as string,
    askedAt: askedAt as EpochSeconds,
    checkedAt: checkedAt as EpochSeconds,
    renewAt: renewAt as EpochSeconds,
    ...(typeof failure === 'string' && { failure }),
    ...(typeof mark === 'string' && { mark }),
  }),
  // A list that no caller needs any more is no longer fetched, so this time stops moving.
  endsAt: 'checked_at',
};

/** A hash, since an address may be too long for an index. */
export function addressKey(url: string): Hex {
  return firstHalf(hash('sha256', url));
}
