import { DEFAULT_SETTINGS as usual } from '../../core/settings.ts';
import { duration, flag, section, whole } from '../setting.ts';

export const signIn = section('Sign-in with user name and password, and the browser session after it.', {
  passwords: flag({
    description: 'Whether people may sign in with a password.',
    default: usual.passwords,
  }),
  failedPerIdentity: whole(1, 1000, {
    description: 'Failed sign-ins per user name and window. Each known browser and open session has its own count.',
    default: usual.failedSignInsPerIdentity,
  }),
  failedPerAddress: whole(1, 100_000, {
    description: 'Failed sign-ins per network address and window, from unknown browsers.',
    default: usual.failedSignInsPerAddress,
  }),
  window: duration({ description: 'The time window of these limits.', default: usual.signInWindow }),
  knownBrowserLifetime: duration({
    description: 'How long a browser stays known after a sign-in.',
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
