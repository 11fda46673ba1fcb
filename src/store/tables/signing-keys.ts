import type { KeyMark, PublishedKey, SigningAlgorithm } from '../../core/signing-key.ts';
import type { EpochSeconds } from '../../core/time.ts';
import { keyedTable, type Table } from '../table.ts';

/** Public parts only; the private ones are in the keyring. */
export const signingKeys = keyedTable<PublishedKey>({
  name: 'signing_keys',
  columns: [
    { name: 'id', kind: 'text', fixed: true, of: ({ id }) => id },
    { name: 'algorithm', kind: 'text', fixed: true, of: ({ algorithm }) => algorithm },
    { name: 'public_key', kind: 'json', fixed: true, of: ({ publicKey }) => JSON.stringify(publicKey) },
    { name: 'published_at', kind: 'integer', fixed: true, of: ({ publishedAt }) => publishedAt },
    { name: 'signs_from', kind: 'integer', of: ({ signsFrom }) => signsFrom ?? null },
    { name: 'removed_at', kind: 'integer', of: ({ removedAt }) => removedAt ?? null },
  ],
  decode: ([id, algorithm, publicKey, publishedAt, signsFrom, removedAt]) => ({
    id: id as string,
    algorithm: algorithm as SigningAlgorithm,
    publicKey: JSON.parse(publicKey as string),
    publishedAt: publishedAt as EpochSeconds,
    ...(typeof signsFrom === 'number' && { signsFrom: signsFrom as EpochSeconds }),
    ...(typeof removedAt === 'number' && { removedAt: removedAt as EpochSeconds }),
  }),
});

export const keyMarks: Table<KeyMark> = {
  name: 'keys',
  columns: [
    { name: 'id', kind: 'integer', fixed: true, of: ({ id }) => id },
    { name: 'fingerprint', kind: 'text', fixed: true, of: ({ fingerprint }) => fingerprint },
    { name: 'retired', kind: 'integer', of: ({ retired }) => Number(retired) },
  ],
  keyOf: ({ id }) => String(id),
  encodeKey: Number,
  decode: ([id, fingerprint, retired]) => ({
    id: id as number,
    fingerprint: fingerprint as string,
    retired: retired === 1,
  }),
};
