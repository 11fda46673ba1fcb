import { type Grant, type GrantId, type Origin, REVOCATION_REASONS } from '../../core/grant.ts';
import type { Identity } from '../../core/identity.ts';
import type { AccessTokenFormat, ClientId } from '../../core/integration.ts';
import type { EpochSeconds } from '../../core/time.ts';
import type { Table, Value, Where } from '../table.ts';
import { identities, identityKey } from './identities.ts';
import { decodePresenter, encodePresenter } from './presenter-text.ts';

/** One row per grant, whatever number of refreshes. No column that a refresh changes has an index. */
export const grants: Table<Grant, Identity> = {
  name: 'grants',
  columns: [
    { name: 'id', kind: 'bytes', fixed: true },
    { name: 'client_id', kind: 'text', fixed: true },
    { name: 'holder', kind: 'bytes', fixed: true },
    { name: 'scope', kind: 'text', fixed: true },
    { name: 'certificate', kind: 'bytes', fixed: true },
    { name: 'issuer_key', kind: 'bytes', fixed: true },
    { name: 'certificate_key', kind: 'bytes', fixed: true },
    { name: 'created_at', kind: 'integer', fixed: true },
    { name: 'refresh_until', kind: 'integer', fixed: true },
    { name: 'format', kind: 'integer', fixed: true },
    { name: 'refreshable', kind: 'integer', fixed: true },
    { name: 'access_hash', kind: 'bytes', fixed: true },
    { name: 'generation', kind: 'counter' },
    { name: 'key_id', kind: 'integer' },
    { name: 'refresh_hash', kind: 'bytes' },
    { name: 'nonce', kind: 'bytes' },
    { name: 'issued_at', kind: 'integer' },
    { name: 'expires_at', kind: 'integer' },
    { name: 'presenter', kind: 'text' },
    { name: 'revoked_at', kind: 'integer' },
    { name: 'revoked_for', kind: 'integer' },
  ],
  keyOf: ({ id }) => id,
  encodeKey: (id) => Buffer.from(id, 'hex'),
  encode: encodeGrant,
  decode: decodeGrant,
  companion: { table: identities, by: 'holder' },
  indexes: ['client_id', 'holder', 'certificate'],
  endsAt: 'refresh_until',
};

/** Whose grants: for `page` and `find`. */
export const grantsOf = {
  holder: (identityId: string): Where => ({ column: 'holder', value: identityKey(identityId) }),
  integration: (clientId: string): Where => ({ column: 'client_id', value: clientId }),
  certificate: (mark: Uint8Array): Where => ({ column: 'certificate', value: mark }),
};

/** For `count`: by the key that made the pair. */
export const GRANTS_BY_KEY = 'key_id';

const FORMATS: readonly AccessTokenFormat[] = ['opaque'];

function encodeGrant(grant: Grant): readonly Value[] {
  const { origin, pair, revoked } = grant;
  const mark = origin.kind === 'certificate' ? origin.certificate : undefined;
  return [
    Buffer.from(grant.id, 'hex'),
    grant.clientId,
    identityKey(grant.identityId),
    grant.scope,
    mark?.certificate ?? null,
    mark?.issuerKey ?? null,
    mark?.key ?? null,
    grant.createdAt,
    grant.refreshUntil,
    FORMATS.indexOf(grant.format),
    Number(grant.refreshable),
    grant.accessHash,
    pair.generation,
    pair.keyId,
    pair.refreshHash,
    pair.nonce,
    pair.issuedAt,
    pair.expiresAt,
    encodePresenter(pair.presenter),
    revoked?.at ?? null,
    revoked ? REVOCATION_REASONS.indexOf(revoked.reason) : null,
  ];
}

function decodeGrant(values: readonly Value[], holder: Identity | undefined): Grant {
  if (!holder) throw new Error('a grant without the identity that holds it');
  const [id, clientId, , scope, certificate, issuerKey, key, createdAt, refreshUntil, format, refreshable, accessHash] =
    values;
  const [generation, keyId, refreshHash, nonce, issuedAt, expiresAt, presenter, revokedAt, revokedFor] =
    values.slice(12);
  return {
    id: Buffer.from(id as Uint8Array).toString('hex') as GrantId,
    clientId: clientId as ClientId,
    identityId: holder.id,
    scope: scope as string,
    origin: originOf(certificate, issuerKey, key),
    createdAt: createdAt as EpochSeconds,
    refreshUntil: refreshUntil as EpochSeconds,
    format: FORMATS[format as number] ?? 'opaque',
    refreshable: refreshable === 1,
    accessHash: accessHash as Uint8Array,
    pair: {
      generation: generation as number,
      keyId: keyId as number,
      refreshHash: refreshHash as Uint8Array,
      nonce: nonce as Uint8Array,
      issuedAt: issuedAt as EpochSeconds,
      expiresAt: expiresAt as EpochSeconds,
      presenter: decodePresenter(presenter as string),
    },
    ...(typeof revokedAt === 'number' && {
      revoked: { at: revokedAt as EpochSeconds, reason: REVOCATION_REASONS[revokedFor as number] ?? 'by-operator' },
    }),
  };
}

function originOf(certificate: Value | undefined, issuerKey: Value | undefined, key: Value | undefined): Origin {
  if (!(certificate instanceof Uint8Array)) return { kind: 'device' };
  return {
    kind: 'certificate',
    certificate: { certificate, issuerKey: issuerKey as Uint8Array, key: key as Uint8Array },
  };
}
