import { forPerson, type PageRoute, show, take } from '../parts/route.ts';
import { showAccount, takeRevoke, takeRevokeAll, takeSignOutAgents } from './account-page.ts';
import { PASSKEY_ROUTES } from './passkeys-page.ts';
import { showPassword, takePassword } from './password-page.ts';
import {
  showPasskeyOptions,
  showReturn,
  showSignIn,
  showSignOutThere,
  takeProvider,
  takeSignIn,
  takeSignOut,
  takeSignOutEverywhere,
} from './sign-in.ts';
import { PASSKEY_OPTIONS, providerPath } from './sign-in-page.ts';

const GOING_ON = ['user_code', 'request', 'asks', 'go_on'];

export const ACCOUNT_ROUTES: readonly PageRoute[] = [
  show('/account', 'page-account', forPerson(showAccount)),
  show('/account/sign-in', 'page-sign-in', showSignIn),
  take('/account/sign-in', 'sign-in', ['user_name', 'password', 'credential', ...GOING_ON], takeSignIn),
  show(PASSKEY_OPTIONS, 'sign-in-options', showPasskeyOptions),
  take(providerPath(':label'), 'begin-provider-sign-in', GOING_ON, takeProvider),
  show(providerPath(':label'), 'provider-sign-in', showReturn),
  show(`${providerPath(':label')}/sign-out`, 'provider-sign-out', showSignOutThere),
  take('/account/sign-out', 'sign-out', [], forPerson(takeSignOut)),
  take('/account/sign-out-everywhere', 'sign-out-everywhere', [], forPerson(takeSignOutEverywhere)),
  show('/account/password', 'page-password', forPerson(showPassword)),
  take('/account/password', 'change-password', ['current', 'next', 'repeated'], forPerson(takePassword)),
  ...PASSKEY_ROUTES,
  take('/account/grants/:id/revoke', 'revoke-my-grant', [], forPerson(takeRevoke)),
  take('/account/grants/revoke', 'revoke-my-grants', [], forPerson(takeRevokeAll)),
  take('/account/sign-out-agents', 'sign-out-agents', [], forPerson(takeSignOutAgents)),
];
