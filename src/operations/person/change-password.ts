import { isLocal } from '../../core/identity.ts';
import { accept, type Outcome, refused } from '../../core/outcome.ts';
import type { Person } from '../../core/person.ts';
import type { Presenter } from '../../core/presenter.ts';
import { PASSWORD_RULES } from '../../directory/password-rules.ts';
import type { Secret } from '../../tokens/secret.ts';
import type { Ports } from '../ports.ts';
import { type BegunSession, beginSession, endSessionsOf } from './browser-session.ts';
import { checkPassword, rememberBrowser } from './sign-in.ts';

export type PasswordObjection =
  | NonNullable<ReturnType<typeof PASSWORD_RULES.findFlaw>>
  | 'current-wrong'
  | 'too-many-tries'
  | 'unchanged';

export interface PasswordChange {
  readonly current: Secret;
  readonly next: Secret;
  readonly presenter: Presenter;
  readonly knownBrowser?: string | undefined;
}

/** Sessions and known browsers end; the browser that did it stays signed in, and known unless an operator has set another password meanwhile. */
export async function changePassword(
  { current, next, presenter, knownBrowser }: PasswordChange,
  { identity, session }: Person,
  ports: Ports,
): Promise<Outcome<BegunSession & { readonly knownBrowser: Secret | undefined }, PasswordObjection>> {
  const objection = PASSWORD_RULES.findFlaw(next) ?? (current.reveal() === next.reveal() ? 'unchanged' : undefined);
  if (objection) return refused(objection);
  const userName = identity.userName ?? '';
  const browser = { is: 'in-session', session } as const;
  const checked = await checkPassword({ userName, password: current, presenter, browser }, ports);
  if (!checked.ok) return refused(checked.refusal.reason === 'sign-in-failed' ? 'current-wrong' : 'too-many-tries');
  if (checked.value.identity.id !== identity.id) return refused('current-wrong');
  // False also where an operator set another password in the meantime: theirs stands.
  if (!(await checked.value.changePassword(next))) return refused('current-wrong');
  await endSessionsOf(identity.id, ports);
  const mark = await ports.directories.passwords.markOf(userName);
  const remembered = mark && rememberBrowser({ userName, knownBrowser }, mark, ports);
  return accept({ ...(await beginSession(identity, ports)), knownBrowser: remembered });
}

/** Undefined where the person's password is not changed here. */
export function passwordRules({ identity }: Pick<Person, 'identity'>): typeof PASSWORD_RULES | undefined {
  return isLocal(identity) ? PASSWORD_RULES : undefined;
}
