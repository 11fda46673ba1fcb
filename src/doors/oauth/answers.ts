// Results as this door's JSON.
import { actClaim, guestOf } from '../../core/grant.ts';
import type { ResourceServer } from '../../core/resource-server.ts';
import { scopeItems } from '../../core/scope.ts';
import type { StartedDevice } from '../../operations/device/start-device.ts';
import type { Introspection } from '../../operations/grant/check-token.ts';
import type { TokenPair } from '../../operations/grant/token-pair.ts';
import { completeUri } from '../token/obtain.ts';
import { writeScopeList } from '../token/scope-list.ts';
import type { DeviceAnswer, IntrospectionAnswer, TokenAnswer } from './schemas.ts';

export function tokenAnswer(pair: TokenPair): TokenAnswer {
  const now = pair.expiresAt - pair.expiresIn;
  return {
    access_token: pair.accessToken.reveal(),
    token_type: pair.isKeyBound ? 'DPoP' : 'Bearer',
    // A retry after an outage may get an expired one. Libraries refuse a negative number, and take 0 for no end.
    expires_in: Math.max(1, pair.expiresIn),
    scope: writeScopeList(pair.scope),
    ...(pair.refreshToken && {
      refresh_token: pair.refreshToken.reveal(),
      refresh_token_expires_in: pair.refreshUntil - now,
    }),
  };
}

export function deviceAnswer(started: StartedDevice, verificationUri: string): DeviceAnswer {
  return {
    device_code: started.deviceCode.reveal(),
    user_code: started.userCode,
    verification_uri: verificationUri,
    verification_uri_complete: completeUri(verificationUri, started),
    expires_in: started.expiresIn,
    interval: started.interval,
  };
}

/** RFC 7662 2.2: nothing more about a token that is dead, forged, or for somebody else. */
export const INACTIVE: IntrospectionAnswer = { active: false };

/** Only what concerns this resource server: `aud` names it and no other. */
export function introspectionAnswer(found: Introspection, server: ResourceServer, issuer: string): IntrospectionAnswer {
  const { grant, scope, userName, tokenId, boundTo, jkt, issuedAt, expiresAt } = found;
  return {
    active: true,
    scope: scopeItems(scope).join(' '),
    client_id: guestOf(grant) ?? grant.clientId,
    ...(guestOf(grant) && { integration: grant.clientId }),
    sub: grant.identityId,
    ...(userName !== undefined && { username: userName }),
    token_type: jkt === undefined ? 'Bearer' : 'DPoP',
    exp: expiresAt,
    iat: issuedAt,
    aud: server.audience,
    iss: issuer,
    jti: tokenId,
    ...cnfOf(boundTo, jkt),
    ...(grant.terms?.actor && { act: actClaim(grant.terms.actor) }),
  };
}

function cnfOf(boundTo: string | undefined, jkt: string | undefined): Pick<IntrospectionAnswer, 'cnf'> {
  if (boundTo === undefined && jkt === undefined) return {};
  return { cnf: { ...(boundTo !== undefined && { 'x5t#S256': boundTo }), ...(jkt !== undefined && { jkt }) } };
}
