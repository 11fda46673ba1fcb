import type { Decision, DeviceAuthorization, DeviceId } from '../../core/device.ts';
import type { Hex } from '../../core/hex.ts';
import type { Identity, IdentityId } from '../../core/identity.ts';
import type { ClientId } from '../../core/integration.ts';
import type { StrongProof } from '../../core/person.ts';
import type { EpochSeconds, Seconds } from '../../core/time.ts';
import { hexKey, type Table, type Value, type Where } from '../table.ts';
import { decodePresenter, decodeResource, encodePresenter, encodeResource } from './column-texts.ts';
import { identities, identityKey } from './identities.ts';

const DECISIONS = ['open', 'confirmed', 'denied', 'redeemed', 'spent'] as const;

/** Device authorizations, with the identity that decided, once one has. */
export const devices: Table<DeviceAuthorization, Identity> = {
  name: 'device_authorizations',
  columns: [
    { name: 'id', kind: 'hex', fixed: true, of: ({ id }) => id },
    { name: 'client_id', kind: 'text', fixed: true, of: ({ clientId }) => clientId },
    { name: 'scope', kind: 'text', fixed: true, of: ({ scope }) => scope },
    { name: 'user_code_hash', kind: 'hex', fixed: true, of: ({ userCodeHash }) => userCodeHash },
    { name: 'device_code_hash', kind: 'hex', fixed: true, of: ({ deviceCodeHash }) => deviceCodeHash },
    { name: 'created_at', kind: 'integer', fixed: true, of: ({ createdAt }) => createdAt },
    { name: 'expires_at', kind: 'integer', fixed: true, of: ({ expiresAt }) => expiresAt },
    { name: 'poll_interval', kind: 'integer', of: ({ interval }) => interval },
    { name: 'presenter', kind: 'text', fixed: true, of: ({ presenter }) => encodePresenter(presenter) },
    { name: 'resource', kind: 'text', fixed: true, of: ({ resource }) => encodeResource(resource) },
    { name: 'last_polled_at', kind: 'integer', of: ({ lastPolledAt }) => lastPolledAt ?? null },
    { name: 'failed_sign_ins', kind: 'integer', of: ({ failedSignIns }) => failedSignIns },
    { name: 'entered_by', kind: 'text', of: ({ enteredBy }) => enteredBy ?? null },
    { name: 'decision', kind: 'integer', of: ({ decision }) => DECISIONS.indexOf(decision.is) },
    { name: 'decided_by', kind: 'hex', of: ({ decision }) => ('by' in decision ? identityKey(decision.by) : null) },
    { name: 'decided_at', kind: 'integer', of: ({ decision }) => ('at' in decision ? decision.at : null) },
    {
      name: 'proof',
      kind: 'text',
      of: ({ decision }) => (decision.is === 'confirmed' ? (decision.proof ?? null) : null),
    },
  ],
  keyOf: ({ id }) => id,
  encodeKey: hexKey,
  decode: decodeDevice,
  companion: { table: identities, by: 'decided_by' },
  indexes: ['user_code_hash'],
  endsAt: 'expires_at',
};

export function byUserCode(hash: Hex): Where {
  return { column: 'user_code_hash', value: hash };
}

function decodeDevice(values: readonly Value[], decider: Identity | undefined): DeviceAuthorization {
  const [id, clientId, scope, userCodeHash, deviceCodeHash, createdAt, expiresAt, interval, presenter] = values;
  const [resource, lastPolledAt, failedSignIns, enteredBy, decision, , decidedAt, proof] = values.slice(9);
  return {
    id: id as DeviceId,
    clientId: clientId as ClientId,
    scope: scope as string,
    ...decodeResource(resource),
    userCodeHash: userCodeHash as Hex,
    deviceCodeHash: deviceCodeHash as Hex,
    createdAt: createdAt as EpochSeconds,
    expiresAt: expiresAt as EpochSeconds,
    interval: interval as Seconds,
    presenter: decodePresenter(presenter as string),
    ...(typeof lastPolledAt === 'number' && { lastPolledAt: lastPolledAt as EpochSeconds }),
    failedSignIns: failedSignIns as number,
    ...(typeof enteredBy === 'string' && { enteredBy }),
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
  if (is === 'spent') return { is, at };
  if (!by) throw new Error('the store has a decided device authorization without an identity');
  return is === 'confirmed' && proof ? { is, by, at, proof: proof as StrongProof } : { is, by, at };
}
