import { DEFAULT_SETTINGS as usual } from '../../core/settings.ts';
import { duration, flag, NOT_ZERO, section, whole } from '../setting.ts';

export const signIn = section('Sign-in with user name and password, and the browser session after it.', {
  passwords: flag('Whether people may sign in with a password.', usual.passwords),
  failedPerIdentity: whole(
    [1, 1000],
    'Failed sign-ins per user name and window. Each known browser and open session has its own count.',
    usual.failedSignInsPerIdentity,
  ),
  failedPerAddress: whole(
    [1, 100_000],
    'Failed sign-ins per network address and window, from unknown browsers.',
    usual.failedSignInsPerAddress,
  ),
  window: duration('The time window of these limits.', usual.signInWindow, NOT_ZERO),
  knownBrowserLifetime: duration('How long a browser stays known after a sign-in.', usual.knownBrowserLifetime),
  sessionIdle: duration('A browser session ends when unused for this long.', usual.sessionIdle, NOT_ZERO),
  sessionLifetime: duration('A browser session ends this long after sign-in.', usual.sessionLifetime, NOT_ZERO),
});
