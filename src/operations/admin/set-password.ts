import { acted } from '../../core/event.ts';
import { type Identity, isLocal } from '../../core/identity.ts';
import { accept } from '../../core/outcome.ts';
import { attemptsAs } from '../../core/rules/sign-in.ts';
import type { EpochSeconds } from '../../core/time.ts';
import { resetPassword } from '../../directory/local/passwords.ts';
import { PASSWORD_RULES as RULES } from '../../directory/password-rules.ts';
import { attempts } from '../../store/tables/attempts.ts';
import type { Secret } from '../../tokens/secret.ts';
import { endSessionsOf } from '../person/browser-session.ts';
import { nameMark } from '../person/sign-in.ts';
import { type AdminOutcome, type AdminPorts, decline } from './admin.ts';
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
export async function setPassword(
  name: string,
  password: Secret,
  { store, by }: AdminPorts,
): Promise<AdminOutcome<Identity>> {
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
