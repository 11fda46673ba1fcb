// The grants of a person, for that person to see and end.
import { type Grant, type GrantId, grantState } from '../../core/grant.ts';
import type { Integration } from '../../core/integration.ts';
import type { Person } from '../../core/person.ts';
import { rows } from '../../store/pages.ts';
import type { LoggedEvent, StorePort } from '../../store/store.ts';
import { grants, grantsOf } from '../../store/tables/grants.ts';
import { endAll } from '../grant/end-all.ts';
import { revokeById } from '../grant/revoke-grant.ts';
import type { Ports } from '../ports.ts';

export interface MyGrant {
  readonly grant: Grant;
  /** Undefined if the integration has been removed. */
  readonly integration: Integration | undefined;
}

export interface MyGrants {
  /** Newest first. */
  readonly newest: readonly MyGrant[];
  readonly isComplete: boolean;
}

/** Somebody can have any number of grants, and each that is read costs time: the page that shows them must not stop the service. */
const MOST_LIVE = 200;
const MOST_READ = 1_000;

export async function myGrants({ identity }: Person, { store, registry }: Ports): Promise<MyGrants> {
  const now = await store.now();
  const newest: MyGrant[] = [];
  let read = 0;
  for await (const grant of rows(store, grants, { where: grantsOf.holder(identity.id), isDescending: true })) {
    if (newest.length >= MOST_LIVE || read >= MOST_READ) return { newest, isComplete: false };
    read += 1;
    if (grantState(grant, now) === 'live') newest.push({ grant, integration: registry.integration(grant.clientId) });
  }
  return { newest, isComplete: true };
}

/** False if this person has no such grant, or it had already ended. */
export async function revokeMyGrant(id: GrantId, { identity }: Person, { store }: Ports): Promise<boolean> {
  const { found } = await store.load(grants, id);
  // The holder of a grant never changes, so it can be checked before the change.
  return found?.row.identityId === identity.id && revokeById(id, 'by-holder', { store });
}

/** `code`: what programs obtained by authorization code: agents, apps and command lines that the person signed in with a browser. */
export async function revokeMyGrants({ identity }: Person, { store }: StorePort, by?: 'code'): Promise<number> {
  return (await endAll({ holder: identity.id }, 'by-holder', { store }, { by })).grants;
}

export async function myEvents(
  { identity }: Person,
  count: number,
  { store }: StorePort,
): Promise<readonly LoggedEvent[]> {
  return (await store.newestEvents({ count, identityId: identity.id })).toReversed();
}
