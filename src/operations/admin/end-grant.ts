import type { GrantId } from '../../core/grant.ts';
import { revokeById } from '../grant/revoke-grant.ts';
import { type AdminOutcome, type AdminPorts, decline } from './admin.ts';
import { checkClock } from './check-clock.ts';
import { findGrantId } from './find-grant-id.ts';

/** Revokes one grant. A grant that is revoked already is refused, so that a typing error does not look like success. */
export async function endGrant(text: string, ports: AdminPorts): Promise<AdminOutcome<GrantId>> {
  const id = await findGrantId(text, ports);
  if (!id.ok) return id;
  const clock = await checkClock(ports.store, 'notes');
  if (!clock.ok) return clock;
  return (await revokeById(id.value, 'by-operator', ports)) ? id : decline('grant-not-live', text);
}
