import { acted } from '../../core/event.ts';
import { type Identity, isLocal } from '../../core/identity.ts';
import { accept } from '../../core/outcome.ts';
import type { Passkey } from '../../core/passkey.ts';
import { attemptsAs } from '../../core/rules/sign-in.ts';
import { type EpochSeconds, isoTime } from '../../core/time.ts';
import { resetPassword } from '../../directory/local/passwords.ts';
import { PASSWORD_RULES as RULES } from '../../directory/password-rules.ts';
import type { StorePort } from '../../store/store.ts';
import { attempts } from '../../store/tables/attempts.ts';
import type { Secret } from '../../tokens/secret.ts';
import { endSessionsOf } from '../person/browser-session.ts';
import { invitePasskey, passkeysOf, removePasskeys } from '../person/passkeys.ts';
import { nameMark } from '../person/sign-in.ts';
import type { Random } from '../ports.ts';
import { type Acted, type AdminPorts, decline } from './admin.ts';
import { findIdentity } from './find-identity.ts';

export function declinePassword(password: Secret) {
  switch (RULES.findFlaw(password)) {
    case 'too-short':
      return decline('password-too-short', `${RULES.minLength}`);
    case 'too-long':
      return decline('text-malformed', 'password');
    case undefined:
      return undefined;
  }
}

/** Sessions of the old one end. No browser is known for the new one, so failures that others caused would lock the person out. */
export async function setPassword(name: string, password: Secret, { store, by }: AdminPorts): Acted<Identity> {
  const objection = declinePassword(password);
  if (objection) return objection;
  const identity = await findIdentity(name, { store });
  if (!identity.ok) return identity;
  const { id } = identity.value;
  if (!isLocal(identity.value)) return decline('identity-not-local', id);
  const event = (at: EpochSeconds) => acted({ kind: 'identity', id, did: 'password-set' }, { at, by });
  await resetPassword(id, { next: password, event }, store);
  await endSessionsOf(id, { store });
  await forgetFailures(identity.value, store);
  return accept(identity.value);
}

async function forgetFailures({ userName = '' }: Identity, store: AdminPorts['store']): Promise<void> {
  await store.change(attempts, attemptsAs(nameMark(userName)), (found) => ({
    outcome: undefined,
    ...(found && { next: { ...found.row, count: 0 } }),
  }));
}

// The passkeys of a local identity, for operators: somebody lost one, or it was stolen.

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
