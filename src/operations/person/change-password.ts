import { accept, type Outcome, refused } from '../../core/outcome.ts';
import type { Person } from '../../core/person.ts';
import type { Presenter } from '../../core/presenter.ts';
import type { PasswordFlaw, PasswordRules } from '../../directory/directory.ts';
import type { Secret } from '../../tokens/secret.ts';
import type { Ports } from '../ports.ts';
import { beginSession, endSessionsOf } from './browser-session.ts';
import { type BegunSession, checkPassword } from './sign-in.ts';

export type PasswordObjection = PasswordFlaw | 'current-wrong' | 'too-many-tries' | 'unchanged';

export interface PasswordChange {
  readonly current: Secret;
  readonly next: Secret;
  readonly presenter: Presenter;
}

/** A person changes their own password. Every session ends; the browser that did it gets a new one. */
export async function changePassword(
  { current, next, presenter }: PasswordChange,
  { identity, session }: Person,
  ports: Ports,
): Promise<Outcome<BegunSession, PasswordObjection>> {
  const objection =
    passwordRules({ identity }, ports)?.findFlaw(next) ?? (isSame(current, next) ? 'unchanged' : undefined);
  if (objection) return refused(objection);
  const userName = identity.userName ?? '';
  const browser = { is: 'in-session', session } as const;
  const checked = await checkPassword({ userName, password: current, presenter, browser }, ports);
  if (!checked.ok) return refused(checked.refusal.reason === 'sign-in-failed' ? 'current-wrong' : 'too-many-tries');
  if (checked.value.identity.id !== identity.id) return refused('current-wrong');
  // False also where an operator set another password in the meantime: theirs stands.
  if (!(await checked.value.changePassword?.(next))) return refused('current-wrong');
  await endSessionsOf(identity.id, ports);
  return accept(await beginSession(identity, ports));
}

/** Undefined where the person's password is not changed here. */
export function passwordRules(
  { identity }: Pick<Person, 'identity'>,
  { directory }: Pick<Ports, 'directory'>,
): PasswordRules | undefined {
  return directory.passwordRules(identity);
}

function isSame(current: Secret, next: Secret): boolean {
  return current.reveal() === next.reveal();
}
