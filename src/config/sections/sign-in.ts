import { DEFAULT_SETTINGS as usual } from '../../core/settings.ts';
import { duration, flag, section, whole } from '../setting.ts';

export const signIn = section('Sign-in with user name and password, and the browser session after it.', {
  passwords: flag({
    description:
      'Whether people may sign in with a password. If not, and there is one OpenID provider, sign-in begins there.',
    default: usual.passwords,
  }),
  failedPerIdentity: whole(1, 1000, {
    description:
      'Failed sign-ins per user name and window; further ones are refused, even with the right password. Each known browser and open session has its own count.',
    default: usual.failedSignInsPerIdentity,
  }),
  failedPerAddress: whole(1, 100_000, {
    description: 'Failed sign-ins per network address and window, from unknown browsers.',
    default: usual.failedSignInsPerAddress,
  }),
  window: duration({ description: 'The time window of these limits.', default: usual.signInWindow }),
  knownBrowserLifetime: duration({
    description:
      'How long a browser stays known after a sign-in. A known browser can sign in while the name or address is locked.',
    default: usual.knownBrowserLifetime,
  }),
  sessionIdle: duration({
    description: 'A browser session ends when unused for this long.',
    default: usual.sessionIdle,
  }),
  sessionLifetime: duration({
    description: 'A browser session ends this long after sign-in.',
    default: usual.sessionLifetime,
  }),
});
