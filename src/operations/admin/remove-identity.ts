import { type Identity, isLocal } from '../../core/identity.ts';
import { accept } from '../../core/outcome.ts';
import type { Decision } from '../../store/store.ts';
import { identities } from '../../store/tables/identities.ts';
import { type AdminOutcome, type AdminPorts, administered, decline } from './admin.ts';
import { endGrants } from './end-grants.ts';
import { findIdentity } from './find-identity.ts';

export interface Removed {
  readonly identity: Identity;
  /** How many grants ended. */
  readonly grants: number;
}

/**
 * Removes an identity of the local directory: it is disabled, its grants end, and its names are free for others. A row with
 * its id stays, since ended grants and events name it.
 */
export async function removeIdentity(
  name: string,
  { isConfirmed }: { readonly isConfirmed: boolean },
  ports: AdminPorts,
): Promise<AdminOutcome<Removed>> {
  const known = await findIdentity(name, ports);
  if (!known.ok) return known;
  const { id } = known.value;
  if (!isLocal(known.value)) return decline('identity-derived', id);
  if (!isConfirmed) return decline('removal-unconfirmed', known.value.userName ?? id);
  // First disabled, so that no grant begins while the others are ended.
  const identity = await stripIdentity(id, ports);
  if (!identity.ok) return identity;
  const ended = await endGrants({ filter: { identity: id }, isConfirmed }, ports);
  return ended.ok ? accept({ identity: identity.value, grants: ended.value }) : ended;
}

/** Disables it and frees its names. */
export function stripIdentity(id: Identity['id'], { store, by }: AdminPorts): Promise<AdminOutcome<Identity>> {
  return store.change(identities, id, (found, at): Decision<Identity, AdminOutcome<Identity>> => {
    if (!found) return { outcome: decline('identity-unknown', id) };
    const { userName = '' } = found.row;
    const next: Identity = { id, enabled: false, mayUseApi: false, groups: [] };
    return {
      outcome: accept(next),
      next,
      events: [administered('identity removed', { at, by, identityId: id, detail: { userName } })],
    };
  });
}

/** Whether an identity of the local directory was removed: all others have a user name. */
export function isRemoved(identity: Identity): boolean {
  return isLocal(identity) && identity.userName === undefined;
}
