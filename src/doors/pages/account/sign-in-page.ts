import type { Shown } from '../parts/answer.ts';
import { type Html, html } from '../parts/html.ts';
import { faultBox, hiddenFields, inputField, noticeBox, postForm } from '../parts/layout.ts';
import type { Problem } from '../parts/refusal-page.ts';
import { queryOf, type Visit } from '../parts/visit.ts';
import { passkeyButton, relyingParty } from './passkey-parts.ts';

export const PASSKEY_OPTIONS = '/account/sign-in/passkey';

/** A page of the console that a sign-in may lead to. */
export type ConsolePath = `/console${string}`;

const CONSOLE_PATH = /^(\/console(?:\/[\w.~%-]+){0,3})(?:\?[\w.~%&=+:,-]{1,500})?$/;

/** Never anything else that a request names. */
export function consolePath(text: string | undefined): ConsolePath | undefined {
  const [, path] = CONSOLE_PATH.exec(text ?? '') ?? [];
  const isPlain = path !== undefined && new URL(path, 'https://a.example').pathname === path;
  return isPlain ? (text as ConsolePath) : undefined;
}

export function goOnOf(text: string | undefined): SignInForm['goOn'] {
  return text === 'passkeys' ? text : consolePath(text);
}

export interface SignInForm {
  /** The user code that the person is about to confirm. */
  readonly code?: string | undefined;
  /** The query of the authorization request to go on with, and the name of the program that sent it. */
  readonly request?: string | undefined;
  readonly asks?: string | undefined;
  /** The page to go on with instead, which asks a signed-in person to sign in again. */
  readonly goOn?: 'passkeys' | ConsolePath | undefined;
  readonly userName?: string | undefined;
  /** Where the certificate of this connection signs in, and the text of the button. */
  readonly certificate?: { readonly path: string; readonly text: string } | undefined;
  readonly problem?: Problem;
}

/** Where a provider's sign-in begins, and where the browser returns. */
export function providerPath(label: string): string {
  return `/account/provider/${label}`;
}

/** The cursor is in the first field that is still empty: the password after a failed attempt. */
export function signInPage(visit: Visit, form: SignInForm): Shown {
  const { code, request, asks, goOn, userName = '', certificate, problem } = form;
  const { signIn: words } = visit.language.texts;
  const { settings, directories } = visit.site.ports;
  const { providers } = directories;
  const hasScript = relyingParty(visit.site) !== undefined;
  const goingOn = hiddenFields({ user_code: code, request, asks: request && (asks ?? ''), go_on: goOn });
  // Which of the two is wrong is not said.
  const isWrong = settings.passwords && problem?.reason === 'sign-in-failed';
  const empty = userName === '' ? 'user_name' : 'password';
  const name = html` value="${userName}" required maxlength="128" autocomplete="username" autocapitalize="none" spellcheck="false"${empty === 'user_name' && html` autofocus`}`;
  const password = html` type="password" required maxlength="1024" autocomplete="current-password"${empty === 'password' && html` autofocus`}`;
  const fields = html`${goingOn}
${inputField({ id: 'user_name', label: words.userName, input: name, isWrong })}
${inputField({ id: 'password', label: words.password, input: password, isWrong })}
<button class="button">${words.title}</button>
${hasScript && passkeyButton({ label: words.passkey, ceremony: 'get', options: PASSKEY_OPTIONS, failed: words.passkeyFailed })}`;
  const body = html`<div class="card">
${noticeBox(visit)}
${problem && faultBox(problem.said.title, problem.said.text, isWrong ? empty : undefined)}
<h1>${words.title}</h1>
<p class="lead">${leadOf(visit, { code, asks, goOn })}</p>
${settings.passwords && postForm(visit, '/account/sign-in', fields)}
${providers.map(({ label, provider }) => postForm(visit, providerPath(label), html`${goingOn}<button class="button${settings.passwords && ' quiet'}">${words.atProvider(provider.name)}</button>`))}
${certificate && postForm(visit, certificate.path, html`${goingOn}<button class="button quiet">${certificate.text}</button>`)}
${signedOutOf(visit)}
</div>`;
  return {
    page: { title: words.title, body, hasScript },
    leadsToProgram: Boolean(request) || providers.length > 0,
    ...(problem && { status: problem.status, retryAfter: problem.retryAfter }),
  };
}

function leadOf({ language }: Visit, { code, asks, goOn }: SignInForm): string {
  const { signIn: words } = language.texts;
  if (code) return words.forDevice(code);
  if (asks) return words.forProgram(asks);
  if (goOn === 'passkeys') return words.forPasskeys;
  return goOn ? words.forConsole : words.forAccount;
}

/** The session at the provider goes on until the person ends it there. */
function signedOutOf(visit: Visit): Html | undefined {
  const { providers } = visit.site.ports.directories;
  const left = providers.find(({ label }) => label === queryOf(visit, 'provider'));
  if (!left) return undefined;
  const words = visit.language.texts.signIn.signOutThere(left.provider.name);
  return html`<p class="aside"><a href="${providerPath(left.label)}/sign-out">${words}</a></p>`;
}
