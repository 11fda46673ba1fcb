import { type Grant, grantState } from '../../core/grant.ts';
import type { Identity } from '../../core/identity.ts';
import { accept } from '../../core/outcome.ts';
import { type EpochSeconds, isoTime } from '../../core/time.ts';
import { grants } from '../../store/tables/grants.ts';
import { identities } from '../../store/tables/identities.ts';
import { type AdminOutcome, decline, type StorePort } from './admin.ts';
import { type FoundGrants, findGrantId } from './find-grants.ts';

export type ShownGrant = ReturnType<typeof shownGrant>;

/** Grants with the user names of their holders. */
export async function shownGrants(
  { grants: found, now }: FoundGrants,
  { store }: StorePort,
): Promise<readonly ShownGrant[]> {
  const names = await userNames(
    found.map(({ identityId }) => identityId),
    { store },
  );
  return found.map((grant) => shownGrant(grant, now, names.get(grant.identityId)));
}

/** Of those that have one, by id. */
export async function userNames(
  ids: readonly (string | undefined)[],
  { store }: StorePort,
): Promise<ReadonlyMap<string | undefined, string>> {
  const found = await identitiesWith(ids, store);
  return new Map(found.flatMap(({ id, userName }) => (userName === undefined ? [] : [[id, userName]])));
}

export async function disabledIdentities(ids: readonly string[], { store }: StorePort): Promise<ReadonlySet<string>> {
  const found = await identitiesWith(ids, store);
  return new Set(found.flatMap(({ id, enabled }) => (enabled ? [] : [id])));
}

async function identitiesWith(ids: readonly (string | undefined)[], store: StorePort['store']): Promise<Identity[]> {
  const wanted = [...new Set(ids)].filter((id) => id !== undefined && id !== '') as string[];
  const loaded = await Promise.all(wanted.map((id) => store.load(identities, id)));
  return loaded.flatMap(({ found }) => (found ? [found.row] : []));
}

/** One grant, ended or not, as long as it has not been swept. */
export async function showGrant(text: string, { store }: StorePort): Promise<AdminOutcome<ShownGrant>> {
  const id = await findGrantId(text, { store });
  if (!id.ok) return id;
  const { found, now } = await store.load(grants, id.value);
  return found ? accept(shownGrant(found.row, now, found.companion?.userName)) : decline('grant-unknown', text);
}

/** A grant as operators see it: everything except hashes and the nonce. */
export function shownGrant(grant: Grant, now: EpochSeconds, userName: string | undefined) {
  const { id, clientId, identityId, scope, resource, origin, createdAt, refreshUntil, refreshable } = grant;
  const { pair, revoked, terms } = grant;
  return {
    id,
    state: grantState(grant, now),
    clientId,
    identityId,
    ...(userName !== undefined && { userName }),
    scope,
    ...(resource && { resource: resource.join(' ') }),
    origin: origin.kind,
    ...(origin.kind === 'code' && origin.guest && { guest: origin.guest }),
    ...(origin.kind === 'assertion' && { tokenIssuer: origin.assertion.tokenIssuer }),
    ...(origin.kind === 'certificate' && {
      certificate: origin.certificate.certificate,
      certificateKey: origin.certificate.key,
    }),
    ...((origin.kind === 'client' || origin.kind === 'code') && origin.proof && { proof: origin.proof }),
    ...(terms?.parent && { parent: terms.parent.grantId }),
    ...(terms?.actor && { exchangedBy: terms.actor.clientId }),
    ...(terms?.jkt !== undefined && { boundToKey: terms.jkt }),
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
