// Named set-up for tests: valid objects, with the difference a test needs.
import type { Author } from '../src/core/act.ts';
import type { DeviceAuthorization, DeviceId } from '../src/core/device.ts';
import type { Grant, GrantId } from '../src/core/grant.ts';
import type { Hex } from '../src/core/hex.ts';
import type { Identity, IdentityId } from '../src/core/identity.ts';
import type { ClientId, Integration } from '../src/core/integration.ts';
import type { Passkey } from '../src/core/passkey.ts';
import type { Proof } from '../src/core/person.ts';
import { presenter } from '../src/core/presenter.ts';
import type { Audience, ResourceServer, ResourceServerId } from '../src/core/resource-server.ts';
import { parseScope, type Scope } from '../src/core/scope.ts';
import { epochSeconds, seconds } from '../src/core/time.ts';

export const NOW = epochSeconds(1_800_000_000);
export const OPERATOR: Author = { as: 'command', user: 'test' };
/** Of somebody who has just signed in. */
export const PASSWORD_PROOF: Proof = { by: 'password', at: NOW };
export const ADA = 'local:{0a1b2c3d-0000-4000-8000-00000000ada0}' as IdentityId;
export const CLIENT = 'orders-sync' as ClientId;

export function scopeOf(text: string): Scope {
  const scope = parseScope(text);
  if (!scope) throw new Error(`not a scope: ${text}`);
  return scope;
}

export function anIntegration(difference: Partial<Integration> = {}): Integration {
  return {
    clientId: CLIENT,
    name: 'Orders sync',
    description: 'Copies orders every night',
    vendor: 'Example',
    scope: scopeOf('orders:read,write;stock:read'),
    enabled: true,
    confidential: false,
    flows: { device: true, certificate: true },
    access: { to: 'everyone' },
    binding: 'none',
    accessTokenFormat: 'opaque',
    overrides: {},
    ...difference,
  };
}

export const ORDERS_AUDIENCE = 'https://orders.example' as Audience;

export function aResourceServer(difference: Partial<ResourceServer> = {}): ResourceServer {
  return {
    id: 'orders-api' as ResourceServerId,
    audience: ORDERS_AUDIENCE,
    name: 'Orders',
    resources: ['orders'],
    enabled: true,
    secrets: [],
    ...difference,
  };
}

export function anIdentity(difference: Partial<Identity> = {}): Identity {
  return { id: ADA, enabled: true, mayUseApi: true, groups: ['staff'], userName: 'ada', ...difference };
}

export function aPasskey(id = 'aa', difference: Partial<Passkey> = {}): Passkey {
  const key = { credentialId: 'AA', publicKey: 'AA', counter: 0, name: 'phone', createdAt: NOW };
  return { id: id as Hex, ...key, ...difference };
}

export function aGrant(difference: Partial<Grant> = {}): Grant {
  return {
    id: '018f00000000000000000000000000aa' as GrantId,
    clientId: CLIENT,
    identityId: ADA,
    scope: 'orders:read',
    origin: { kind: 'device' },
    createdAt: NOW,
    refreshUntil: epochSeconds(NOW + 1000),
    format: 'opaque',
    accessHash: hexOf(32),
    refreshable: true,
    pair: {
      generation: 3,
      keyId: 1,
      refreshHash: hexOf(32),
      nonce: hexOf(16),
      issuedAt: NOW,
      expiresAt: epochSeconds(NOW + 100),
      presenter: presenter('192.0.2.7', 'curl/8'),
    },
    ...difference,
  };
}

/** This many bytes of one value. */
export function hexOf(length: number, value = 0): Hex {
  return Buffer.alloc(length, value).toString('hex') as Hex;
}

export function aDevice(difference: Partial<DeviceAuthorization> = {}): DeviceAuthorization {
  return {
    id: '018f00000000000000000000000000dd' as DeviceId,
    clientId: CLIENT,
    scope: 'orders:read',
    userCodeHash: hexOf(16),
    deviceCodeHash: hexOf(32),
    createdAt: NOW,
    expiresAt: epochSeconds(NOW + 300),
    interval: seconds(5),
    failedSignIns: 0,
    presenter: presenter('192.0.2.7', 'curl/8'),
    decision: { is: 'open' },
    ...difference,
  };
}
