// The passkeys of a local identity, for operators: a person who lost one, or whose key was stolen.

import { accept } from '../../core/outcome.ts';
import type { Passkey } from '../../core/passkey.ts';
import { passkeysOf, removePasskeys } from '../person/passkeys.ts';
import { type AdminOutcome, type AdminPorts, decline } from './admin.ts';
import { findIdentity } from './find-identity.ts';

export async function listPasskeys(
  name: string,
  { store }: Pick<AdminPorts, 'store'>,
): Promise<AdminOutcome<readonly Passkey[]>> {
  const identity = await findIdentity(name, { store });
  return identity.ok ? accept(await passkeysOf(identity.value.id, { store })) : identity;
}

/** `which`: the name or the id of one; all if it is undefined. Browser sessions of the identity end. */
export async function removePasskey(
  name: string,
  which: string | undefined,
  ports: AdminPorts,
): Promise<AdminOutcome<readonly Passkey[]>> {
  const identity = await findIdentity(name, ports);
  if (!identity.ok) return identity;
  const isMeant = (key: Passkey) => which === undefined || key.id === which || key.name === which;
  const removed = await removePasskeys(identity.value.id, isMeant, ports);
  return removed.length > 0 ? accept(removed) : decline('passkey-unknown', which ?? '');
}
