import type { KeyMark, PublishedKey } from '../../core/signing-key.ts';
import { fieldColumns, keyedTable, type Table } from '../table.ts';

/** Public parts only; the private ones are in the keyring. */
export const signingKeys = keyedTable<PublishedKey>({
  name: 'signing_keys',
  isFollowed: true,
  ...fieldColumns<PublishedKey>({
    id: 'fixed text',
    algorithm: 'fixed text',
    publicKey: 'fixed json',
    publishedAt: 'fixed integer',
    signsFrom: 'integer?',
    removedAt: 'integer?',
  }),
});

export const keyMarks: Table<KeyMark> = {
  name: 'keys',
  rows: 'large', // by number
  columns: [
    { name: 'id', kind: 'integer', fixed: true, of: ({ id }) => id },
    { name: 'fingerprint', kind: 'text', fixed: true, of: ({ fingerprint }) => fingerprint },
    { name: 'retired', kind: 'small', of: ({ retired }) => Number(retired) },
  ],
  keyOf: ({ id }) => String(id),
  encodeKey: Number,
  decode: ([id, fingerprint, retired]) => ({
    id: id as number,
    fingerprint: fingerprint as string,
    retired: retired === 1,
  }),
};
