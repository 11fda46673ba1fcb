// Tables of signing in: password hashes, browser sessions, and counts of failures.
import type { Identity, IdentityId } from '../../core/identity.ts';
import type { EpochSeconds } from '../../core/time.ts';
import { hexKey, type Table, type Where } from '../table.ts';
import { identities, identityKey } from './identities.ts';

/** Separate from identities, so that the row loaded with every grant holds no secret. */
export interface Password {
  readonly identityId: IdentityId;
  /** The argon2id hash in PHC form. */
  readonly phc: string;
}

export const passwords: Table<Password, Identity> = {
  name: 'passwords',
  columns: [
    { name: 'holder', kind: 'hex', fixed: true, of: ({ identityId }) => identityKey(identityId) },
    { name: 'phc', kind: 'text', of: ({ phc }) => phc },
  ],
  keyOf: ({ identityId }) => identityId,
  encodeKey: identityKey,
  decode: ([, phc], holder) => ({ identityId: holderOf(holder), phc: phc as string }),
  companion: { table: identities, by: 'holder' },
  indexes: [],
};

export interface BrowserSession {
  /** SHA-256 of the cookie's secret, in hex. */
  readonly id: string;
  readonly identityId: IdentityId;
  readonly createdAt: EpochSeconds;
  readonly seenAt: EpochSeconds;
  readonly endsAt: EpochSeconds;
}

export const sessions: Table<BrowserSession, Identity> = {
  name: 'sessions',
  columns: [
    { name: 'id', kind: 'hex', fixed: true, of: ({ id }) => id },
    { name: 'holder', kind: 'hex', fixed: true, of: ({ identityId }) => identityKey(identityId) },
    { name: 'created_at', kind: 'integer', fixed: true, of: ({ createdAt }) => createdAt },
    { name: 'seen_at', kind: 'integer', of: ({ seenAt }) => seenAt },
    { name: 'ends_at', kind: 'integer', of: ({ endsAt }) => endsAt },
  ],
  keyOf: ({ id }) => id,
  encodeKey: hexKey,
  decode: ([id, , createdAt, seenAt, endsAt], holder) => ({
    id: id as string,
    identityId: holderOf(holder),
    createdAt: createdAt as EpochSeconds,
    seenAt: seenAt as EpochSeconds,
    endsAt: endsAt as EpochSeconds,
  }),
  companion: { table: identities, by: 'holder' },
  indexes: ['holder'],
  endsAt: 'ends_at',
};

export function sessionsOf(identityId: string): Where {
  return { column: 'holder', value: identityKey(identityId) };
}

/** How often something failed: for lockouts that hold across nodes and restarts. */
export interface Attempts {
  readonly about: string;
  readonly count: number;
  readonly endsAt: EpochSeconds;
}

export const attempts: Table<Attempts> = {
  name: 'attempts',
  columns: [
    { name: 'about', kind: 'text', fixed: true, of: ({ about }) => about },
    { name: 'count', kind: 'integer', of: ({ count }) => count },
    { name: 'ends_at', kind: 'integer', of: ({ endsAt }) => endsAt },
  ],
  keyOf: ({ about }) => about,
  encodeKey: (about) => about,
  decode: ([about, count, endsAt]) => ({
    about: about as string,
    count: count as number,
    endsAt: endsAt as EpochSeconds,
  }),
  indexes: [],
  endsAt: 'ends_at',
};

function holderOf(holder: Identity | undefined): IdentityId {
  if (!holder) throw new Error('a row without the identity it belongs to');
  return holder.id;
}
