// What concerns people with a browser: device authorization, sign-in, and how the pages look.
import { DEFAULT_SETTINGS as usual } from '../../core/settings.ts';
import { optional } from '../../schema.ts';
import { duration, flag, path, section, text, whole } from '../setting.ts';

export const device = section('Device authorization: a person confirms in a browser.', {
  enabled: flag({
    description: 'Whether device authorization is available. An integration can switch it off for itself.',
    default: usual.deviceFlow,
  }),
  codeLifetime: duration({
    description: 'How long a device code and its user code work.',
    default: usual.deviceCodeLifetime,
  }),
  pollInterval: duration({
    description: 'How often a device may poll.',
    default: usual.pollInterval,
  }),
  wrongUserCodes: whole(1, 100, {
    description: 'How many wrong user codes an identity may enter within the lifetime of a code.',
    default: usual.wrongUserCodes,
  }),
  failedSignIns: whole(1, 100, {
    description:
      'Failed sign-ins with one user code before that code is spent. Only failures in browsers where the person signed in before count.',
    default: usual.failedSignInsPerDeviceCode,
  }),
});

export const signIn = section('Sign-in with user name and password, and the browser session after it.', {
  failedPerIdentity: whole(1, 1000, {
    description:
      'Failed sign-ins per user name and window; further attempts are refused, even with the right password. Each known browser and each open session has its own count.',
    default: usual.failedSignInsPerIdentity,
  }),
  failedPerAddress: whole(1, 100_000, {
    description: 'Failed sign-ins per network address and window, from unknown browsers.',
    default: usual.failedSignInsPerAddress,
  }),
  window: duration({ description: 'The time window of these limits.', default: usual.signInWindow }),
  knownBrowserLifetime: duration({
    description:
      'How long a browser stays known after a sign-in. A known browser can sign in even while the name or the address is locked.',
    default: usual.knownBrowserLifetime,
  }),
  sessionIdle: duration({
    description: 'A browser session ends when unused for this long.',
    default: usual.sessionIdle,
  }),
  sessionLifetime: duration({
    description: 'A browser session ends this long after sign-in, even if it is used.',
    default: usual.sessionLifetime,
  }),
});

export const pages = section('How the pages look, and which there are.', {
  name: text('a name of 1 to 60 characters', '^[^\\p{Cc}]{1,60}$', {
    description: 'The name that pages show for the service.',
    default: 'Tessera',
    example: 'Example Corp access',
  }),
  accent: text('a colour such as #0b5fff', '^#[0-9A-Fa-f]{6}$', {
    description: 'The colour of buttons and links.',
    default: '#0b5fff',
  }),
  docs: flag({
    description:
      'Whether `/docs` has the documentation of this release. If not, it leads to the API reference, `/docs/api`.',
    default: true,
  }),
  strictTransport: duration({
    description:
      'How long browsers must use https only (Strict-Transport-Security); 0 omits the header. Sent by the pages if `publicUrl` is https and not localhost.',
    default: '365d',
  }),
  logo: optional(
    path({ description: 'An SVG or PNG file that pages show next to the name.', example: '/etc/tessera/logo.svg' }),
  ),
});
