import type { EpochSeconds } from '../../core/time.ts';
import type { Table } from '../table.ts';
import { addressKey } from './revocation-lists.ts';

export interface ListContents {
  /** The address of the list, or the name of a part of its contents (src/operations/upkeep/list-contents.ts). */
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
