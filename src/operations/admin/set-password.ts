import type { Identity } from '../../core/identity.ts';
import { accept } from '../../core/outcome.ts';
import { hashPassword } from '../../directory/local.ts';
import { passwords } from '../../store/tables/sign-in.ts';
import type { Secret } from '../../tokens/secret.ts';
import { endSessionsOf } from '../browser-session.ts';
import { type AdminOutcome, type AdminPorts, administered, decline } from './admin.ts';
import { findIdentity } from './find-identity.ts';

export const PASSWORD_MIN_LENGTH = 12;

export function isLongEnough(password: Secret): boolean {
  return Array.from(password.reveal()).length >= PASSWORD_MIN_LENGTH;
}

/** A new password ends the browser sessions that the old one began. */
export async function setPassword(
  name: string,
  password: Secret,
  { store, by }: AdminPorts,
): Promise<AdminOutcome<Identity>> {
  if (!isLongEnough(password)) return decline('password-too-short', `${PASSWORD_MIN_LENGTH}`);
  const identity = await findIdentity(name, { store });
  if (!identity.ok) return identity;
  const { id } = identity.value;
  if (!id.startsWith('local:')) return decline('identity-not-local', id);
  const phc = await hashPassword(password);
  await store.change(passwords, id, (_, at) => ({
    outcome: undefined,
    next: { identityId: id, phc },
    events: [administered('password set', { at, by, identityId: id })],
  }));
  await endSessionsOf(id, { store });
  return accept(identity.value);
}
