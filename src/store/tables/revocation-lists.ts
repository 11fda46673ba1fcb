import { hash } from 'node:crypto';
import { firstHalf } from '../../core/hex.ts';
import type { SharedKeySet, SharedList } from '../../core/shared-download.ts';
import { type EpochSeconds, seconds } from '../../core/time.ts';
import { DAY, type FieldKinds, fieldColumns, keyedTable, type Table } from '../table.ts';

/**
 * A list that no caller needs any more is no longer fetched: its time stops moving. One that cannot be fetched counts for a month,
 * across restarts too.
 */
const LISTS_KEPT = seconds(30 * DAY);

/** Revocation lists that one node fetched for all. */
export const revocationLists: Table<SharedList> = {
  name: 'revocation_lists',
  ...addressed<SharedList>({
    url: 'fixed text',
    askedAt: 'integer',
    checkedAt: 'integer',
    renewAt: 'integer',
    failure: 'text?',
    mark: 'hex?',
  }),
  ends: { at: 'checked_at', kept: LISTS_KEPT },
  isRebuilt: true,
};

/** The key is a hash, since an address may be too long for an index. */
function addressed<Row extends { readonly url: string }>(kinds: FieldKinds<Row>) {
  const encodeKey = (url: string) => firstHalf(hash('sha256', url));
  const keyOf = ({ url }: Row) => url;
  const key = { name: 'key', kind: 'hex', fixed: true, of: (row: Row) => encodeKey(keyOf(row)) } as const;
  return { ...fieldColumns(kinds, key), keyOf, encodeKey };
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
  rows: 'large',
  ...addressed<ListContents>({ url: 'fixed text', fetchedAt: 'integer', contents: 'bytes' }),
  ends: { at: 'fetched_at', kept: LISTS_KEPT },
  isRebuilt: true,
};

/** The keys of token issuers, as nodes share them. */
export const keySets = keyedTable<SharedKeySet>({
  name: 'key_sets',
  rows: 'large',
  columns: [
    { name: 'name', kind: 'text', fixed: true, of: ({ name }) => name },
    { name: 'checked_at', kind: 'integer', of: ({ checkedAt }) => checkedAt },
    { name: 'failure', kind: 'text', optional: true, of: ({ failure }) => failure ?? null },
    { name: 'fetched_at', kind: 'integer', optional: true, of: ({ fetched }) => fetched?.at ?? null },
    { name: 'contents', kind: 'text', optional: true, of: ({ fetched }) => fetched?.text ?? null },
  ],
  decode: ([name, checkedAt, failure, fetchedAt, contents]) => ({
    name: name as string,
    checkedAt: checkedAt as EpochSeconds,
    ...(typeof failure === 'string' && { failure }),
    ...(typeof contents === 'string' && { fetched: { at: fetchedAt as EpochSeconds, text: contents } }),
  }),
  // The keys of a token issuer that was removed are no longer fetched, so this time stops moving.
  ends: { at: 'checked_at', kept: seconds(7 * DAY) },
  isRebuilt: true,
});
