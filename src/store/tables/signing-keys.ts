import type { PublishedKey, SigningAlgorithm } from '../../core/signing-key.ts';
import type { EpochSeconds } from '../../core/time.ts';
import { keyedTable } from '../table.ts';

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
