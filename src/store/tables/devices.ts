import type { Decision, DeviceAuthorization } from '../../core/device.ts';
import type { Hex } from '../../core/hex.ts';
import type { Identity, IdentityId } from '../../core/identity.ts';
import type { StrongProof } from '../../core/person.ts';
import type { EpochSeconds, Seconds } from '../../core/time.ts';
import { fieldColumns, HOUR, hexKey, type Table, type Value, type Where } from '../table.ts';
import { decodePresenter, decodeResource, encodePresenter, encodeResource } from './column-texts.ts';
import { identities, identityKey } from './identities.ts';

/** The order is stored. Earlier releases read one that they do not know as spent. */
const DECISIONS = ['open', 'confirmed', 'denied', 'redeemed', 'spent', 'ended'] as const;

const plain = fieldColumns<Omit<DeviceAuthorization, 'interval' | 'presenter' | 'resource' | 'decision'>>({
  id: 'fixed hex',
  clientId: 'fixed text',
  scope: 'fixed text',
  userCodeHash: 'fixed unique hex',
  deviceCodeHash: 'fixed hex',
  createdAt: 'fixed integer',
  expiresAt: 'fixed integer',
  lastPolledAt: 'integer?',
  failedSignIns: 'integer',
  enteredBy: 'text?',
});

/** Device authorizations, with the identity that decided, once one has. */
export const devices: Table<DeviceAuthorization, Identity> = {
  name: 'device_authorizations',
  rows: 'changing',
  columns: [
    ...plain.columns,
    { name: 'poll_interval', kind: 'integer', of: ({ interval }) => interval },
    { name: 'presenter', kind: 'text', fixed: true, of: ({ presenter }) => encodePresenter(presenter) },
    { name: 'resource', kind: 'text', fixed: true, optional: true, of: ({ resource }) => encodeResource(resource) },
    { name: 'decision', kind: 'small', of: ({ decision }) => DECISIONS.indexOf(decision.is) },
    {
      name: 'decided_by',
      kind: 'hex',
      optional: true,
      of: ({ decision }) => ('by' in decision ? identityKey(decision.by) : null),
    },
    {
      name: 'decided_at',
      kind: 'integer',
      optional: true,
      of: ({ decision }) => ('at' in decision ? decision.at : null),
    },
    {
      name: 'proof',
      kind: 'text',
      optional: true,
      of: ({ decision }) => (decision.is === 'confirmed' ? (decision.proof ?? null) : null),
    },
  ],
  keyOf: ({ id }) => id,
  encodeKey: hexKey,
  decode: decodeDevice,
  companion: { table: identities, by: 'decided_by' },
  indexes: ['user_code_hash'],
  ends: { at: 'expires_at', kept: HOUR },
};

export function byUserCode(hash: Hex): Where {
  return { column: 'user_code_hash', value: hash };
}

function decodeDevice(values: readonly Value[], decider: Identity | undefined): DeviceAuthorization {
  const [interval, presenter, resource, decision, , decidedAt, proof] = values.slice(plain.columns.length);
  return {
    ...plain.decode(values, undefined),
    ...decodeResource(resource),
    interval: interval as Seconds,
    presenter: decodePresenter(presenter as string),
    decision: decisionOf(DECISIONS[decision as number] ?? 'spent', decider?.id, decidedAt as EpochSeconds, proof),
  };
}

function decisionOf(
  is: (typeof DECISIONS)[number],
  by: IdentityId | undefined,
  at: EpochSeconds,
  proof: Value | undefined,
): Decision {
  if (is === 'open') return { is };
  if (is === 'spent' || is === 'ended') return { is, at };
  if (!by) throw new Error('the store has a decided device authorization without an identity');
  return is === 'confirmed' && proof ? { is, by, at, proof: proof as StrongProof } : { is, by, at };
}
