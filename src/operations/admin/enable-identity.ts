import type { Identity } from '../../core/identity.ts';
import { accept } from '../../core/outcome.ts';
import type { Decision } from '../../store/store.ts';
import { identities } from '../../store/tables/identities.ts';
import { type AdminOutcome, type AdminPorts, administered, decline } from './admin.ts';
import { findIdentity } from './find-identity.ts';

/** A disabled identity fails every check, refresh and sign-in from the next request on, at every node. */
export async function enableIdentity(
  name: string,
  enabled: boolean,
  { store, by }: AdminPorts,
): Promise<AdminOutcome<Identity>> {
  const identity = await findIdentity(name, { store });
  if (!identity.ok) return identity;
  const { id } = identity.value;
  return store.change(identities, id, (found, at): Decision<Identity, AdminOutcome<Identity>> => {
    if (!found) return { outcome: decline('identity-unknown', name) };
    const next: Identity = { ...found.row, enabled };
    const event = administered(enabled ? 'identity enabled' : 'identity disabled', { at, by, identityId: id });
    return { outcome: accept(next), next, events: [event] };
  });
}
