import type { CertificateMark } from '../../core/certificate.ts';
import type { ClientUrl } from '../../core/client-document.ts';
import {
  type Binding,
  type Grant,
  type GrantId,
  type Origin,
  type Pair,
  REVOCATION_REASONS,
  type Siblings,
  type Terms,
} from '../../core/grant.ts';
import type { Hex } from '../../core/hex.ts';
import type { Identity } from '../../core/identity.ts';
import { type ClientId, ACCESS_TOKEN_FORMATS as FORMATS } from '../../core/integration.ts';
import { STRONG_PROOFS } from '../../core/person.ts';
import { type EpochSeconds, seconds } from '../../core/time.ts';
import { DAY, hexKey, placesOf, type Table, type TableColumn, type Value, type Where } from '../table.ts';
import { decodePresenter, decodeResource, encodePresenter, encodeResource } from './column-texts.ts';
import { identities, identityKey } from './identities.ts';

const COLUMNS = [
  { name: 'id', kind: 'hex', fixed: true, of: ({ id }) => id },
  { name: 'client_id', kind: 'text', fixed: true, of: ({ clientId }) => clientId },
  { name: 'holder', kind: 'hex', fixed: true, unread: true, of: ({ identityId }) => identityKey(identityId) },
  { name: 'scope', kind: 'text', fixed: true, of: ({ scope }) => scope },
  {
    name: 'certificate',
    kind: 'hex',
    fixed: true,
    optional: true,
    of: ({ origin }) => markOf(origin)?.certificate ?? null,
  },
  {
    name: 'issuer_key',
    kind: 'hex',
    fixed: true,
    optional: true,
    of: ({ origin }) => markOf(origin)?.issuerKey ?? null,
  },
  {
    name: 'certificate_key',
    kind: 'hex',
    fixed: true,
    optional: true,
    of: ({ origin }) => markOf(origin)?.key ?? null,
  },
  { name: 'created_at', kind: 'integer', fixed: true, of: ({ createdAt }) => createdAt },
  { name: 'refresh_until', kind: 'integer', fixed: true, of: ({ refreshUntil }) => refreshUntil },
  { name: 'format', kind: 'small', fixed: true, of: ({ format }) => FORMATS.indexOf(format) },
  { name: 'refreshable', kind: 'small', fixed: true, of: ({ refreshable }) => Number(refreshable) },
  { name: 'access_hash', kind: 'hex', fixed: true, of: ({ accessHash }) => accessHash },
  { name: 'generation', kind: 'counter', of: ({ pair }) => pair.generation },
  { name: 'key_id', kind: 'small', of: ({ pair }) => pair.keyId },
  { name: 'refresh_hash', kind: 'hex', of: ({ pair }) => pair.refreshHash },
  { name: 'nonce', kind: 'hex', of: ({ pair }) => pair.nonce },
  { name: 'issued_at', kind: 'integer', of: ({ pair }) => pair.issuedAt },
  { name: 'expires_at', kind: 'integer', of: ({ pair }) => pair.expiresAt },
  { name: 'presenter', kind: 'text', of: ({ pair }) => encodePresenter(pair.presenter) },
  { name: 'resource', kind: 'text', fixed: true, rare: true, of: ({ resource }) => encodeResource(resource) },
  { name: 'bound_to', kind: 'hex', rare: true, of: ({ bindings }) => bindings?.[0]?.thumbprint ?? null },
  { name: 'audience', kind: 'text', rare: true, of: ({ pair }) => pair.jwt?.audience.join(' ') ?? null },
  { name: 'signing_key', kind: 'text', rare: true, of: ({ pair }) => pair.jwt?.signingKey ?? null },
  { name: 'revoked_at', kind: 'integer', rare: true, of: ({ revoked }) => revoked?.at ?? null },
  {
    name: 'revoked_for',
    kind: 'small',
    rare: true,
    of: ({ revoked }) => (revoked ? REVOCATION_REASONS.indexOf(revoked.reason) : null),
  },
  { name: 'assertion', kind: 'text', fixed: true, rare: true, of: assertionText },
  { name: 'bindings', kind: 'json', rare: true, of: ({ bindings }) => bindingsText(bindings) },
  { name: 'code', kind: 'text', fixed: true, rare: true, of: ({ origin }) => codeText(origin) },
  { name: 'terms', kind: 'json', fixed: true, rare: true, of: ({ terms }) => (terms ? JSON.stringify(terms) : null) },
  {
    name: 'siblings',
    kind: 'json',
    rare: true,
    since: 19,
    of: ({ siblings }) => (siblings ? JSON.stringify(siblings) : null),
  },
] as const satisfies readonly TableColumn<Grant>[];

/** One row per grant, however often it is refreshed. No column that a refresh changes has an index. */
export const grants: Table<Grant, Identity> = {
  name: 'grants',
  rows: 'busy',
  columns: COLUMNS,
  keyOf: ({ id }) => id,
  encodeKey: hexKey,
  decode: decodeGrant,
  companion: { table: identities, by: 'holder' },
  indexes: ['client_id', 'holder', 'certificate'],
  // A swept grant cannot be restored.
  ends: { at: 'refresh_until', early: 'revoked_at', kept: seconds(7 * DAY) },
};

export const grantsOf = {
  holder: (identityId: string): Where => ({ column: 'holder', value: identityKey(identityId) }),
  holderKey: (value: Value): Where => ({ column: GRANTS_BY_HOLDER, value }),
  integration: (clientId: string): Where => ({ column: 'client_id', value: clientId }),
  certificate: (mark: Hex): Where => ({ column: 'certificate', value: mark }),
};

/** For `count`: by identity, and by the key that made the pair. */
export const GRANTS_BY_HOLDER = 'holder';
export const GRANTS_BY_KEY = 'key_id';

// In rows that 0.3.0 to 0.3.4 wrote, some formats are this much higher, and their hash is reversed. Those releases read both forms.
const GUARDED_FORMAT = FORMATS.length;

function reversed(hex: Hex): Hex {
  return hex.split('').reverse().join('') as Hex;
}

const AT = placesOf(COLUMNS);

// What most grants lack is added at the end: this runs for every request with a token, and a spread for each optional field takes
// three times as long.
function decodeGrant(values: readonly Value[], holder: Identity | undefined): Grant {
  if (!holder) throw new Error('the store has a grant whose identity is missing');
  const grant: Grant = {
    id: values[AT.id] as GrantId,
    clientId: values[AT.client_id] as ClientId,
    identityId: holder.id,
    scope: values[AT.scope] as string,
    origin: originOf(values),
    createdAt: values[AT.created_at] as EpochSeconds,
    refreshUntil: values[AT.refresh_until] as EpochSeconds,
    format: FORMATS[(values[AT.format] as number) % GUARDED_FORMAT] ?? 'opaque',
    refreshable: values[AT.refreshable] !== 0,
    accessHash:
      (values[AT.format] as number) < GUARDED_FORMAT
        ? (values[AT.access_hash] as Hex)
        : reversed(values[AT.access_hash] as Hex),
    pair: pairOf(values),
  };
  const [resource, boundTo, revokedAt, bindings, terms, siblings] = [
    values[AT.resource],
    values[AT.bound_to],
    values[AT.revoked_at],
    values[AT.bindings],
    values[AT.terms],
    values[AT.siblings],
  ];
  if (resource === null && boundTo === null && revokedAt === null && bindings === null && terms === null && !siblings)
    return grant;
  return {
    ...grant,
    ...decodeResource(resource),
    ...bindingsOf(boundTo as Hex | null, bindings as string | null),
    ...(typeof terms === 'string' && { terms: JSON.parse(terms) as Terms }),
    ...(typeof siblings === 'string' && { siblings: JSON.parse(siblings) as Siblings }),
    ...(typeof revokedAt === 'number' && {
      revoked: {
        at: revokedAt as EpochSeconds,
        reason: REVOCATION_REASONS[values[AT.revoked_for] as number] ?? 'by-operator',
      },
    }),
  };
}

function pairOf(values: readonly Value[]): Pair {
  const pair: Pair = {
    generation: values[AT.generation] as number,
    keyId: values[AT.key_id] as number,
    refreshHash: values[AT.refresh_hash] as Hex,
    nonce: values[AT.nonce] as Hex,
    issuedAt: values[AT.issued_at] as EpochSeconds,
    expiresAt: values[AT.expires_at] as EpochSeconds,
    presenter: decodePresenter(values[AT.presenter] as string),
  };
  const audience = values[AT.audience];
  if (typeof audience !== 'string') return pair;
  return { ...pair, jwt: { audience: audience.split(' '), signingKey: values[AT.signing_key] as string } };
}

function originOf(values: readonly Value[]): Origin {
  const [certificate, assertion, code] = [values[AT.certificate], values[AT.assertion], values[AT.code]];
  if (typeof assertion === 'string') return assertionOrigin(assertion);
  if (typeof code === 'string') return codeOrigin(code);
  if (typeof certificate !== 'string') return { kind: 'device' };
  return {
    kind: 'certificate',
    certificate: {
      certificate: certificate as Hex,
      issuerKey: values[AT.issuer_key] as Hex,
      key: values[AT.certificate_key] as Hex,
    },
  };
}

/** The guest, or the strong proof; empty if there is neither. After a guest that authenticated: earlier releases refuse its tokens. */
const WITH_KEY = ' key';

function codeText(origin: Origin): string | null {
  if (origin.kind !== 'code') return null;
  return origin.guest === undefined ? (origin.proof ?? '') : origin.guest + (origin.withKey ? WITH_KEY : '');
}

function codeOrigin(text: string): Origin {
  const proof = STRONG_PROOFS.find((strong) => strong === text);
  if (proof) return { kind: 'code', proof };
  if (text.endsWith(WITH_KEY))
    return { kind: 'code', guest: text.slice(0, -WITH_KEY.length) as ClientUrl, withKey: true };
  return { kind: 'code', ...(text !== '' && { guest: text as ClientUrl }) };
}

/** The label of the token issuer, which has no space, and the subject. An integration, or an exchange, adds a third word. */
function assertionText({ origin, identityId }: Grant): string | null {
  switch (origin.kind) {
    case 'assertion':
      return `${origin.assertion.tokenIssuer} ${origin.assertion.subject}`;
    case 'client':
      return `${identityId.replace(':', ' ')} ${origin.proof}`;
    case 'exchange':
      return `${identityId.replace(':', ' ')} exchange`;
    case 'device':
    case 'code':
    case 'certificate':
      return null;
  }
}

function assertionOrigin(text: string): Origin {
  const [tokenIssuer = '', subject = '', third] = text.split(' ');
  if (third === 'exchange') return { kind: 'exchange' };
  if (third === 'key' || third === 'secret') return { kind: 'client', proof: third };
  return { kind: 'assertion', assertion: { tokenIssuer, subject: subject as Hex } };
}

/** Null if `bound_to`, which also earlier releases read, says it all. */
function bindingsText(bindings: Grant['bindings']): string | null {
  return !bindings || bindings[0]?.since === 0 ? null : JSON.stringify(bindings);
}

function bindingsOf(boundTo: Hex | null, bindings: string | null): Pick<Grant, 'bindings'> {
  if (bindings !== null) return { bindings: JSON.parse(bindings) as Binding[] };
  return boundTo === null ? {} : { bindings: [{ since: 0, thumbprint: boundTo }] };
}

function markOf(origin: Origin): CertificateMark | undefined {
  return origin.kind === 'certificate' ? origin.certificate : undefined;
}
