import type { Identity, IdentityId } from '../../core/identity.ts';
import type { Proof } from '../../core/person.ts';
import { type EpochSeconds, epochSeconds } from '../../core/time.ts';
import { HOUR, hexKey, type Table, type Where } from '../table.ts';
import { holderOf, identities, identityKey } from './identities.ts';

export interface BrowserSession {
  /** SHA-256 of the cookie's secret, in hex. */
  readonly id: string;
  readonly identityId: IdentityId;
  readonly createdAt: EpochSeconds;
  readonly seenAt: EpochSeconds;
  readonly endsAt: EpochSeconds;
  readonly proof: Proof;
}

export const sessions: Table<BrowserSession, Identity> = {
  name: 'sessions',
  rows: 'changing',
  columns: [
    { name: 'id', kind: 'hex', fixed: true, of: ({ id }) => id },
    { name: 'holder', kind: 'hex', fixed: true, unread: true, of: ({ identityId }) => identityKey(identityId) },
    { name: 'created_at', kind: 'integer', fixed: true, of: ({ createdAt }) => createdAt },
    { name: 'seen_at', kind: 'integer', of: ({ seenAt }) => seenAt },
    { name: 'ends_at', kind: 'integer', of: ({ endsAt }) => endsAt },
    { name: 'proof', kind: 'text', fixed: true, optional: true, of: proofText },
  ],
  keyOf: ({ id }) => id,
  encodeKey: hexKey,
  decode: ([id, , createdAt, seenAt, endsAt, proof], holder) => ({
    id: id as string,
    identityId: holderOf(holder),
    createdAt: createdAt as EpochSeconds,
    seenAt: seenAt as EpochSeconds,
    endsAt: endsAt as EpochSeconds,
    proof: proofOf(proof as string | null, createdAt as EpochSeconds),
  }),
  companion: { table: identities, by: 'holder' },
  indexes: ['holder'],
  ends: { at: 'ends_at', kept: HOUR },
};

/** With its time, if that is not when the session began. Nodes that do not know the time take it for a weak proof. */
function proofText({ proof, createdAt }: BrowserSession): string {
  return proof.at === createdAt ? proof.by : `${proof.by} ${proof.at}`;
}

/** Signing in again begins another session. Releases before 0.3 know passwords only, and do not write it. */
function proofOf(text: string | null, createdAt: EpochSeconds): Proof {
  const [by, at = createdAt] = (text ?? 'password').split(' ');
  return { by: by as Proof['by'], at: epochSeconds(Number(at)) };
}

export function sessionsOf(identityId: string): Where {
  return { column: 'holder', value: identityKey(identityId) };
}
