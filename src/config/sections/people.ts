// What concerns people with a browser: device authorization, sign-in, and how the pages look.
import Type from 'typebox';
import { duration, flag, path, section, text, whole } from '../setting.ts';

export const device = section('Device authorization: a person confirms in a browser.', {
  enabled: flag({
    description: 'Whether device authorization is offered at all. An integration may turn it off for itself.',
    default: true,
  }),
  codeLifetime: duration({ description: 'How long a device code and its user code work.', default: '5m' }),
  pollInterval: duration({ description: 'How often a device may ask whether it was confirmed.', default: '5s' }),
  wrongUserCodes: whole(1, 100, {
    description: 'Wrong user codes that an identity may enter in the lifetime of a code.',
    default: 5,
  }),
  failedSignIns: whole(1, 100, {
    description: 'Failed sign-ins with one user code before that code is spent.',
    default: 5,
  }),
});

export const signIn = section('Sign-in with user name and password, and the browser session after it.', {
  failedPerIdentity: whole(1, 1000, {
    description: 'Failed sign-ins per user name and window; further ones are refused, right or wrong.',
    default: 10,
  }),
  failedPerAddress: whole(1, 100_000, {
    description: 'Failed sign-ins per network address and window.',
    default: 100,
  }),
  window: duration({ description: 'The window of both limits.', default: '15m' }),
  sessionIdle: duration({ description: 'A browser session ends when unused for this long.', default: '15m' }),
  sessionLifetime: duration({ description: 'And this long after sign-in, whatever happens.', default: '8h' }),
});

export const pages = section('How the pages look.', {
  name: text('a name of 1 to 60 characters', '^[^\\p{Cc}]{1,60}$', {
    description: 'The name that pages show for the service.',
    default: 'Tessera',
    example: 'Example Corp access',
  }),
  accent: text('a colour such as #0b5fff', '^#[0-9A-Fa-f]{6}$', {
    description: 'The colour of buttons and links.',
    default: '#0b5fff',
  }),
  logo: Type.Optional(
    path({ description: 'An SVG or PNG file that pages show beside the name.', example: '/etc/tessera/logo.svg' }),
  ),
});
