import type { Decision, DeviceAuthorization, DeviceId } from '../../core/device.ts';
import type { Identity, IdentityId } from '../../core/identity.ts';
import type { ClientId } from '../../core/integration.ts';
import type { EpochSeconds, Seconds } from '../../core/time.ts';
import type { Table, Value, Where } from '../table.ts';
import { identities, identityKey } from './identities.ts';
import { decodePresenter, encodePresenter } from './presenter-text.ts';

const DECISIONS = ['open', 'confirmed', 'denied', 'redeemed', 'spent'] as const;

/** Device authorizations, with the identity that decided, once one has. */
export const devices: Table<DeviceAuthorization, Identity> = {
  name: 'device_authorizations',
  columns: [
    { name: 'id', kind: 'bytes', fixed: true },
    { name: 'client_id', kind: 'text', fixed: true },
    { name: 'scope', kind: 'text', fixed: true },
    { name: 'user_code_hash', kind: 'bytes', fixed: true },
    { name: 'device_code_hash', kind: 'bytes', fixed: true },
    { name: 'created_at', kind: 'integer', fixed: true },
    { name: 'expires_at', kind: 'integer', fixed: true },
    { name: 'poll_interval', kind: 'integer', fixed: true },
    { name: 'presenter', kind: 'text', fixed: true },
    { name: 'last_polled_at', kind: 'integer' },
    { name: 'failed_sign_ins', kind: 'integer' },
    { name: 'entered_by', kind: 'text' },
    { name: 'decision', kind: 'integer' },
    { name: 'decided_by', kind: 'bytes' },
    { name: 'decided_at', kind: 'integer' },
  ],
  keyOf: ({ id }) => id,
  encodeKey: (id) => Buffer.from(id, 'hex'),
  encode: encodeDevice,
  decode: decodeDevice,
  companion: { table: identities, by: 'decided_by' },
  indexes: ['user_code_hash'],
  endsAt: 'expires_at',
};

export function byUserCode(hash: Uint8Array): Where {
  return { column: 'user_code_hash', value: hash };
}

function encodeDevice(device: DeviceAuthorization): readonly Value[] {
  const { decision } = device;
  return [
    Buffer.from(device.id, 'hex'),
    device.clientId,
    device.scope,
    device.userCodeHash,
    device.deviceCodeHash,
    device.createdAt,
    device.expiresAt,
    device.interval,
    encodePresenter(device.presenter),
    device.lastPolledAt ?? null,
    device.failedSignIns,
    device.enteredBy ?? null,
    DECISIONS.indexOf(decision.is),
    'by' in decision ? identityKey(decision.by) : null,
    'at' in decision ? decision.at : null,
  ];
}

function decodeDevice(values: readonly Value[], decider: Identity | undefined): DeviceAuthorization {
  const [id, clientId, scope, userCodeHash, deviceCodeHash, createdAt, expiresAt, interval, presenter] = values;
  const [lastPolledAt, failedSignIns, enteredBy, decision, , decidedAt] = values.slice(9);
  return {
    id: Buffer.from(id as Uint8Array).toString('hex') as DeviceId,
    clientId: clientId as ClientId,
    scope: scope as string,
    userCodeHash: userCodeHash as Uint8Array,
    deviceCodeHash: deviceCodeHash as Uint8Array,
    createdAt: createdAt as EpochSeconds,
    expiresAt: expiresAt as EpochSeconds,
    interval: interval as Seconds,
    presenter: decodePresenter(presenter as string),
    ...(typeof lastPolledAt === 'number' && { lastPolledAt: lastPolledAt as EpochSeconds }),
    failedSignIns: failedSignIns as number,
    ...(typeof enteredBy === 'string' && { enteredBy }),
    decision: decisionOf(DECISIONS[decision as number] ?? 'spent', decider?.id, decidedAt as EpochSeconds),
  };
}

function decisionOf(is: (typeof DECISIONS)[number], by: IdentityId | undefined, at: EpochSeconds): Decision {
  if (is === 'open') return { is };
  if (is === 'spent') return { is, at };
  if (!by) throw new Error('a device authorization decided by nobody');
  return { is, by, at };
}
