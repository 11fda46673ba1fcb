import { hash } from 'node:crypto';
import { firstHalf, type Hex } from '../../core/hex.ts';
import type { SharedKeySet, SharedList } from '../../core/shared-download.ts';
import type { EpochSeconds } from '../../core/time.ts';
import { keyedTable, type Table } from '../table.ts';

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
function addressKey(url: string): Hex {
  return firstHalf(hash('sha256', url));
}

export interface ListContents {
  /** The address of the list, or the name of a part of its contents (shared-lists.ts). */
  readonly url: string;
  readonly fetchedAt: EpochSeconds;
  /** As received over the network: DER or PEM, not yet verified. Of a large list, its parts and an index of them. */
  readonly contents: Uint8Array;
}

/** Contents may have megabytes. They have a table of their own, so that what nodes read every second stays small. */
export const listContents: Table<ListContents> = {
  name: 'list_contents',
  columns: [
    { name: 'key', kind: 'hex', fixed: true, of: ({ url }) => addressKey(url) },
    { name: 'url', kind: 'text', fixed: true, of: ({ url }) => url },
    { name: 'fetched_at', kind: 'integer', of: ({ fetchedAt }) => fetchedAt },
    { name: 'contents', kind: 'bytes', of: ({ contents }) => contents },
  ],
  keyOf: ({ url }) => url,
  encodeKey: addressKey,
  decode: ([, url, fetchedAt, contents]) => ({
    url: url as string,
    fetchedAt: fetchedAt as EpochSeconds,
    contents: contents as Uint8Array,
  }),
  endsAt: 'fetched_at',
};

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
