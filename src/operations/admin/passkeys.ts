// The passkeys of a local identity, for operators: somebody lost one, or it was stolen.
import { isLocal } from '../../core/identity.ts';
import { accept } from '../../core/outcome.ts';
import type { Passkey } from '../../core/passkey.ts';
import { isoTime } from '../../core/time.ts';
import { invitePasskey, passkeysOf, removePasskeys } from '../person/passkeys.ts';
import type { Random } from '../ports.ts';
import { type AdminPorts, decline, type StorePort } from './admin.ts';
import { findIdentity } from './find-identity.ts';

export async function listPasskeys(name: string, { store }: StorePort) {
  const identity = await findIdentity(name, { store });
  return identity.ok ? accept((await passkeysOf(identity.value.id, { store })).map(shown)) : identity;
}

/** Whoever signs in as this identity adds one passkey with it, with which they administer the service if they may. */
export async function inviteToPasskey(name: string, ports: AdminPorts & { readonly random: Random }) {
  const identity = await findIdentity(name, ports);
  if (!identity.ok) return identity;
  const { id } = identity.value;
  if (!isLocal(identity.value)) return decline('identity-not-local', id);
  const { code, until } = await invitePasskey(id, ports);
  return accept({ invitation: code.reveal(), endsAt: isoTime(until) });
}

/** `passkey`: the name or the id of one. Browser sessions of the identity end. */
export async function removePasskey(
  name: string,
  { passkey = '', all = false }: { readonly passkey?: string; readonly all?: boolean },
  ports: AdminPorts,
) {
  const identity = await findIdentity(name, ports);
  if (!identity.ok) return identity;
  const isMeant = (key: Passkey) => all || key.id === passkey || key.name === passkey;
  const removed = await removePasskeys(identity.value.id, isMeant, ports);
  return removed.length > 0
    ? accept(removed.map(shown))
    : decline('passkey-unknown', passkey === '' ? 'at all' : passkey);
}

function shown({ id, name, createdAt, usedAt }: Passkey) {
  return { id, name, createdAt: isoTime(createdAt), ...(usedAt !== undefined && { usedAt: isoTime(usedAt) }) };
}
