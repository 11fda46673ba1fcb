import { type Grant, grantState } from '../../core/grant.ts';
import type { EpochSeconds } from '../../core/time.ts';
import { moment } from './output.ts';

/** A grant as operators see it: everything but the hashes and the nonce. */
export function shownGrant(grant: Grant, now: EpochSeconds) {
  const { id, clientId, identityId, scope, origin, createdAt, refreshUntil, refreshable, pair, revoked } = grant;
  return {
    id,
    state: grantState(grant, now),
    clientId,
    identityId,
    scope,
    origin: origin.kind,
    createdAt: moment(createdAt),
    refreshUntil: moment(refreshUntil),
    refreshable,
    generation: pair.generation,
    keyId: pair.keyId,
    lastIssuedAt: moment(pair.issuedAt),
    accessTokenExpiresAt: moment(pair.expiresAt),
    lastAddress: pair.presenter.address,
    lastAgent: pair.presenter.agent,
    ...(revoked && { revokedAt: moment(revoked.at), revokedFor: revoked.reason }),
  };
}
