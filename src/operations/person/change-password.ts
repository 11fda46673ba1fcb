import { isLocal } from '../../core/identity.ts';
import { accept, type Outcome, refused } from '../../core/outcome.ts';
import type { Person } from '../../core/person.ts';
import type { Presenter } from '../../core/presenter.ts';
import { passwords } from '../../store/tables/sign-in.ts';
import { hashPassword, whyUnfit } from '../../tokens/password.ts';
import type { Secret } from '../../tokens/secret.ts';
import type { Ports } from '../ports.ts';
import { beginSession, endSessionsOf } from './browser-session.ts';
import { type BegunSession, checkPassword } from './sign-in.ts';

export type PasswordObjection = 'current-wrong' | 'too-many-tries' | 'too-short' | 'too-long' | 'unchanged';

export interface PasswordChange {
  readonly current: Secret;
  readonly next: Secret;
  readonly presenter: Presenter;
}

/** A person changes the own password: every session ends, and the browser that did it gets a new one. */
export async function changePassword(
  { current, next, presenter }: PasswordChange,
  { identity, session }: Person,
  ports: Ports,
): Promise<Outcome<BegunSession, PasswordObjection>> {
  const objection = objectionTo(current, next);
  if (objection) return refused(objection);
  const userName = identity.userName ?? '';
  const browser = { is: 'in-session', session } as const;
  const checked = await checkPassword({ userName, password: current, presenter, browser }, ports);
  if (!checked.ok) return refused(checked.refusal.reason === 'sign-in-failed' ? 'current-wrong' : 'too-many-tries');
  if (checked.value.identity.id !== identity.id) return refused('current-wrong');
  const { passwordMark } = checked.value;
  const phc = await hashPassword(next);
  // An operator may have set another password meanwhile: theirs stands.
  const isChanged = await ports.store.change(passwords, identity.id, (found) =>
    found?.row.phc === passwordMark ? { outcome: true, next: { identityId: identity.id, phc } } : { outcome: false },
  );
  if (!isChanged) return refused('current-wrong');
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
