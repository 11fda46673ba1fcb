// The grants of a person, for that person to see and end.
import { type Grant, type GrantId, grantState } from '../../core/grant.ts';
import type { Integration } from '../../core/integration.ts';
import type { Person } from '../../core/person.ts';
import { rows } from '../../store/pages.ts';
import { grants, grantsOf } from '../../store/tables/grants.ts';
import { revokeAll, revokeById } from '../grant/revoke-grant.ts';
import type { Ports } from '../ports.ts';

export interface MyGrant {
  readonly grant: Grant;
  /** Undefined if the integration has been removed. */
  readonly integration: Integration | undefined;
}

/** The live grants of a person, newest first. */
export async function myGrants({ identity }: Person, { store, registry }: Ports): Promise<readonly MyGrant[]> {
  const now = await store.now();
  const live: Grant[] = [];
  for await (const grant of rows(store, grants, { where: grantsOf.holder(identity.id) })) {
    if (grantState(grant, now) === 'live') live.push(grant);
  }
  // Ids begin with the time of creation, so rows come oldest first.
  return live.toReversed().map((grant) => ({ grant, integration: registry.integration(grant.clientId) }));
}

/** False if this person has no such grant, or it had already ended. */
export async function revokeMyGrant(id: GrantId, { identity }: Person, { store }: Ports): Promise<boolean> {
  const { found } = await store.load(grants, id);
  // The holder of a grant never changes, so it can be checked before the change.
  return found?.row.identityId === identity.id && revokeById(id, 'by-holder', { store });
}

export function revokeMyGrants({ identity }: Person, { store }: Ports): Promise<number> {
  return revokeAll(grantsOf.holder(identity.id), 'by-holder', { store });
}
