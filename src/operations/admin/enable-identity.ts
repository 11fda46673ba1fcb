import type { Identity } from '../../core/identity.ts';
import { accept } from '../../core/outcome.ts';
import { type AdminOutcome, type AdminPorts, decline } from './admin.ts';
import { findIdentity } from './find-identity.ts';
import { ending, perform } from './perform.ts';

/** A disabled identity fails every check, refresh and sign-in from the next request on, at every node. */
export async function enableIdentity(
  name: string,
  enabled: boolean,
  ports: AdminPorts,
): Promise<AdminOutcome<Identity>> {
  const identity = await findIdentity(name, ports);
  if (!identity.ok) return identity;
  const { id } = identity.value;
  return perform('identity', id, ports, (row, at) => {
    if (!row) return decline('identity-unknown', name);
    if (!enabled) return ending('identity', row, { did: 'disabled' }, at);
    return accept({ next: { ...row, enabled }, deed: { did: 'enabled' } });
  });
}
