import { type Grant, grantState } from '../../core/grant.ts';
import { accept } from '../../core/outcome.ts';
import type { EpochSeconds } from '../../core/time.ts';
import { grants } from '../../store/tables/grants.ts';
import { type AdminOutcome, type AdminPorts, decline } from './admin.ts';
import { parseGrantId } from './grant-id.ts';
import { isoTime } from './iso-time.ts';

export type ShownGrant = ReturnType<typeof shownGrant>;

/** One grant, ended or not, as long as it has not been swept. */
export async function showGrant(text: string, { store }: Pick<AdminPorts, 'store'>): Promise<AdminOutcome<ShownGrant>> {
  const id = parseGrantId(text);
  if (!id) return decline('grant-unknown', text);
  const { found, now } = await store.load(grants, id);
  return found ? accept(shownGrant(found.row, now)) : decline('grant-unknown', text);
}

/** A grant as operators see it: everything except hashes and the nonce. */
export function shownGrant(grant: Grant, now: EpochSeconds) {
  const { id, clientId, identityId, scope, origin, createdAt, refreshUntil, refreshable, pair, revoked } = grant;
  return {
    id,
    state: grantState(grant, now),
    clientId,
    identityId,
    scope,
    origin: origin.kind,
    createdAt: isoTime(createdAt),
    refreshUntil: isoTime(refreshUntil),
    refreshable,
    generation: pair.generation,
    keyId: pair.keyId,
    lastIssuedAt: isoTime(pair.issuedAt),
    accessTokenExpiresAt: isoTime(pair.expiresAt),
    lastAddress: pair.presenter.address,
    lastAgent: pair.presenter.agent,
    ...(revoked && { revokedAt: isoTime(revoked.at), revokedFor: revoked.reason }),
  };
}
