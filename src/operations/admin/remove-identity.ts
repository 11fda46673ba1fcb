import { type Identity, isLocal } from '../../core/identity.ts';
import { accept } from '../../core/outcome.ts';
import { type AdminOutcome, type AdminPorts, decline } from './admin.ts';
import { endGrants } from './end-grants.ts';
import { findIdentity } from './find-identity.ts';
import { ending, perform } from './perform.ts';

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
  const identity = await perform('identity', id, ports, (row, at) =>
    row
      ? ending('identity', row, { did: 'removed', userName: row.userName ?? '' }, at)
      : decline('identity-unknown', id),
  );
  if (!identity.ok) return identity;
  const ended = await endGrants({ filter: { identity: id }, isConfirmed }, ports);
  return ended.ok ? accept({ identity: identity.value, grants: ended.value.grants }) : ended;
}
