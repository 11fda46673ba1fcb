import type { GrantId } from '../../core/grant.ts';
import { accept } from '../../core/outcome.ts';
import { revokeById } from '../grant/revoke-grant.ts';
import { type AdminOutcome, type AdminPorts, decline } from './admin.ts';
import { parseGrantId } from './grant-id.ts';

/** Revokes one grant. A grant that is revoked already is refused, so that a typing error does not look like success. */
export async function endGrant(text: string, ports: AdminPorts): Promise<AdminOutcome<GrantId>> {
  const id = parseGrantId(text);
  if (!id) return decline('grant-unknown', text);
  return (await revokeById(id, 'by-operator', ports)) ? accept(id) : decline('grant-not-live', text);
}
