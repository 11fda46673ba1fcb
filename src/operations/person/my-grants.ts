// What acts in a person's name, seen and ended by that person.
import { type Grant, type GrantId, grantState } from '../../core/grant.ts';
import type { Integration } from '../../core/integration.ts';
import type { Person } from '../../core/person.ts';
import { rows } from '../../store/pages.ts';
import { grants, grantsOf } from '../../store/tables/grants.ts';
import { revokeAll, revokeById } from '../grant/revoke-grant.ts';
import type { Ports } from '../ports.ts';

export interface MyGrant {
  readonly grant: Grant;
  /** Undefined where the integration was removed since. */
  readonly integration: Integration | undefined;
}

/** The live grants of a person, newest first. */
export async function myGrants({ identity }: Person, { store, registry }: Ports): Promise<readonly MyGrant[]> {
  const now = await store.now();
  const live: Grant[] = [];
  for await (const grant of rows(store, grants, { where: grantsOf.holder(identity.id) })) {
    if (grantState(grant, now) === 'live') live.push(grant);
  }
  // Ids begin with the time of creation, so the order of keys is the order of age.
  return live.toReversed().map((grant) => ({ grant, integration: registry.integration(grant.clientId) }));
}

/** False where there is no such grant of this person, or it had ended before. */
export async function revokeMyGrant(id: GrantId, { identity }: Person, { store }: Ports): Promise<boolean> {
  const { found } = await store.load(grants, id);
  // The holder of a grant never changes, so checking before the change is as good as checking in it.
  return found?.row.identityId === identity.id && revokeById(id, 'by-holder', { store });
}

export function revokeMyGrants({ identity }: Person, { store }: Ports): Promise<number> {
  return revokeAll(grantsOf.holder(identity.id), 'by-holder', { store });
}
