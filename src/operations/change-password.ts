import { isLocal } from '../core/identity.ts';
import { accept, type Outcome, refused } from '../core/outcome.ts';
import type { Presenter } from '../core/presenter.ts';
import { passwords } from '../store/tables/sign-in.ts';
import { hashPassword, whyUnfit } from '../tokens/password.ts';
import type { Secret } from '../tokens/secret.ts';
import { beginSession, endSessionsOf } from './browser-session.ts';
import type { Person } from './decide-device.ts';
import type { Ports } from './ports.ts';
import { checkPassword } from './sign-in.ts';

export type PasswordObjection = 'current-wrong' | 'too-many-tries' | 'too-short' | 'too-long' | 'unchanged';

export interface PasswordChange {
  readonly current: Secret;
  readonly next: Secret;
  readonly presenter: Presenter;
}

/** A person changes the own password: every session ends, and the browser that did it gets a new one. */
export async function changePassword(
  { current, next, presenter }: PasswordChange,
  { identity }: Person,
  ports: Ports,
): Promise<Outcome<{ cookie: Secret; person: Person }, PasswordObjection>> {
  const objection = objectionTo(current, next);
  if (objection) return refused(objection);
  const checked = await checkPassword({ userName: identity.userName ?? '', password: current, presenter }, ports);
  if (!checked.ok) return refused(checked.refusal.reason === 'sign-in-failed' ? 'current-wrong' : 'too-many-tries');
  if (checked.value.id !== identity.id) return refused('current-wrong');
  const phc = await hashPassword(next);
  await ports.store.change(passwords, identity.id, () => ({
    outcome: undefined,
    next: { identityId: identity.id, phc },
  }));
  await endSessionsOf(identity.id, ports);
  return accept(await beginSession(identity, ports));
}

/** Identities of other directories have no password here. */
export function hasPassword({ identity }: Person): boolean {
  return isLocal(identity);
}

function objectionTo(current: Secret, next: Secret): PasswordObjection | undefined {
  return whyUnfit(next) ?? (current.reveal() === next.reveal() ? 'unchanged' : undefined);
}
