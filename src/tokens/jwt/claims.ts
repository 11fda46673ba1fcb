// The claims of a JWT access token (RFC 9068 2.2): what the row says, and nothing else.
import { actClaim, type Grant, type GrantId, guestOf, tokenId } from '../../core/grant.ts';
import type { Hex } from '../../core/hex.ts';
import { parseObject } from '../../core/json.ts';
import { parseScope, scopeItems } from '../../core/scope.ts';
import { type EpochSeconds, epochSeconds } from '../../core/time.ts';

/** The claims of the row's current generation, as JSON. */
export function claimsOf(grant: Grant, issuer: string): string {
  const { id, clientId, identityId, scope, bindings, pair, terms } = grant;
  const { generation, issuedAt, expiresAt, jwt } = pair;
  const granted = parseScope(scope);
  if (!jwt || !granted) throw new Error(`the row of grant ${id} does not say what its JWT contains`);
  const boundTo = bindings?.[0]?.thumbprint;
  return JSON.stringify({
    iss: issuer,
    sub: identityId,
    aud: jwt.audience.length === 1 ? jwt.audience[0] : jwt.audience,
    ...clientClaims(guestOf(grant), clientId),
    scope: scopeItems(granted).join(' '),
    iat: issuedAt,
    exp: expiresAt,
    jti: tokenId(grant, generation),
    ...cnfOf(boundTo, terms?.jkt),
    ...(terms?.actor && { act: actClaim(terms.actor) }),
  });
}

/** Verifiers learn from the feed about integrations, so the token of a guest names that too. */
function clientClaims(guest: string | undefined, clientId: string): object {
  return guest === undefined ? { client_id: clientId } : { client_id: guest, integration: clientId };
}

function cnfOf(thumbprint: Hex | undefined, jkt: string | undefined) {
  if (!thumbprint && jkt === undefined) return {};
  return { cnf: { ...(thumbprint && { 'x5t#S256': thumbprintText(thumbprint) }), ...(jkt !== undefined && { jkt }) } };
}

/** A thumbprint of a certificate as RFC 8705 3.1 writes it. */
export function thumbprintText(thumbprint: Hex): string {
  return Buffer.from(thumbprint, 'hex').toString('base64url');
}

/** What our doors need of the claims. Everything else, such as the scope, they take from the row. */
export interface ReadClaims {
  readonly grantId: GrantId;
  readonly generation: number;
  readonly identityId: string;
  readonly clientId: string;
  readonly audience: readonly string[];
  readonly issuedAt: EpochSeconds;
  readonly expiresAt: EpochSeconds;
}

const TOKEN_ID = /^([0-9a-f]{32})\.(0|[1-9][0-9]{0,9})$/;

/** Undefined where the claims are not those of an access token of this issuer. */
export function readClaims(json: string, issuer: string): ReadClaims | undefined {
  const { iss, sub, aud, client_id: clientId, iat, exp, jti } = parseObject(json) ?? {};
  const [, grantId, generation] = (typeof jti === 'string' && TOKEN_ID.exec(jti)) || [];
  if (iss !== issuer || grantId === undefined) return undefined;
  if (typeof sub !== 'string' || typeof clientId !== 'string') return undefined;
  if (!Number.isSafeInteger(iat) || !Number.isSafeInteger(exp)) return undefined;
  return {
    grantId: grantId as GrantId,
    generation: Number(generation),
    identityId: sub,
    clientId,
    audience: [aud].flat().map(String),
    issuedAt: epochSeconds(iat as number),
    expiresAt: epochSeconds(exp as number),
  };
}
