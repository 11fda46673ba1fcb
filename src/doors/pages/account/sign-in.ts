// Signing in and out.
import { type PersonOutcome, refuse } from '../../../core/outcome.ts';
import { type BegunSession, endSession, endSessionsOf } from '../../../operations/person/browser-session.ts';
import { signInWithPasskey } from '../../../operations/person/passkeys.ts';
import { type SignedInBrowser, signIn } from '../../../operations/person/sign-in.ts';
import { Secret } from '../../../tokens/secret.ts';
import { storyOf } from '../../http/story.ts';
import { enterCode, readUserCode } from '../device/enter-code.ts';
import type { Answer } from '../parts/answer.ts';
import { dropCookie, readCookie, writeCookie, writeLastingCookie } from '../parts/cookies.ts';
import { refusalPage, wordRefusal } from '../parts/refusal-page.ts';
import type { Form } from '../parts/route.ts';
import { isSecure, type PersonVisit, queryOf, type Site, signedIn, type Visit } from '../parts/visit.ts';
import { PAGE_WORDING } from '../parts/wording.ts';
import { answerOf, drawOptions, relyingParty } from './passkey-parts.ts';
import { consolePath, signInPage } from './sign-in-page.ts';

export async function showSignIn(visit: Visit): Promise<Answer> {
  const code = readUserCode(queryOf(visit, 'user_code'));
  if (visit.person) return { goTo: code ? `/device?user_code=${code}` : '/account' };
  return signInPage(visit, { code });
}

/** What a passkey signs to sign in. Any passkey of any account may answer, so that nothing is said about accounts (WebAuthn 14.6.2). */
export async function showPasskeyOptions(visit: Visit): Promise<Answer> {
  const party = relyingParty(visit.site);
  if (!party) return refusalPage(visit, { reason: 'not-found' });
  return { json: { ...drawOptions(visit), rpId: party.id, userVerification: 'required' } };
}

/** Begins a session. With a user code, the next page shows the request to confirm. */
export async function takeSignIn(visit: Visit, form: Form): Promise<Answer> {
  const { site, request } = visit;
  const code = readUserCode(form['user_code']);
  const userName = printable(form['user_name'] ?? '');
  const outcome = await (form['credential'] ? byPasskey(visit, userName, form) : byPassword(visit, userName, form));
  if (!outcome.ok) {
    const { status } = PAGE_WORDING[outcome.refusal.reason];
    const said = wordRefusal(visit, outcome.refusal);
    const { request: asked, asks, go_on: goOn } = form;
    return signInPage(visit, {
      code,
      request: asked,
      asks,
      goOn: goOn === 'passkeys' ? goOn : consolePath(goOn),
      userName,
      problem: { status, said, retryAfter: outcome.refusal.retryAfter },
    });
  }
  const { person } = outcome.value;
  storyOf(request).identityId = person.identity.id;
  // Signing in again replaces the session that was there.
  if (visit.person) await endSession(visit.person.session, site.ports);
  const next: Answer = code ? await enterCode(signedIn(visit, person), code) : { goTo: pageAfter(form, site) };
  return { ...next, cookies: cookiesOf(outcome.value, site) };
}

function byPassword(visit: Visit, userName: string, form: Form): ReturnType<typeof signIn> {
  const { presenter } = visit.site.readConnection(visit.request);
  const password = new Secret(form['password'] ?? '');
  const userCode = readUserCode(form['user_code']);
  const { person } = visit;
  const attempt = { userName, password, presenter, knownBrowser: readKnown(visit), person, userCode };
  return signIn(attempt, visit.site.ports);
}

async function byPasskey(
  visit: Visit,
  userName: string,
  { credential = '' }: Form,
): Promise<PersonOutcome<SignedInBy>> {
  const party = relyingParty(visit.site);
  if (!party) return refuse('passkey-refused');
  return signInWithPasskey({ ...answerOf(visit, credential, party), userName }, visit.site.ports);
}

/** A browser is known by the password that was typed there. */
type SignedInBy = BegunSession & Partial<Pick<SignedInBrowser, 'knownBrowser'>>;

/** On with the authorization request, which is checked again there. */
function pageAfter({ request, go_on: goOn }: Form, { oauthMount }: Site): string {
  if (goOn === 'passkeys') return '/account/passkeys';
  const page = consolePath(goOn);
  if (page) return page;
  return request && oauthMount !== undefined ? `${oauthMount}/authorize?${new URLSearchParams(request)}` : '/account';
}

function cookiesOf({ cookie, knownBrowser }: SignedInBy, site: Site): string[] {
  return [
    writeCookie('session', cookie.reveal(), isSecure(site)),
    dropCookie('visitor', isSecure(site)),
    ...(knownBrowser ? [writeKnown(knownBrowser, site)] : []),
  ];
}

/** The cookie by which a browser is known after a sign-in. */
export function readKnown({ request, site }: Visit): string | undefined {
  return readCookie(request, 'known', isSecure(site));
}

export function writeKnown(cookie: Secret, site: Site): string {
  return writeLastingCookie('known', cookie.reveal(), site.ports.settings.knownBrowserLifetime, isSecure(site));
}

/** No user name has control characters. They are replaced so that they reach no row and no log. */
function printable(name: string): string {
  return name.replace(/\p{Cc}/gu, '\ufffd').slice(0, 128);
}

export async function takeSignOut({ site, person }: PersonVisit): Promise<Answer> {
  await endSession(person.session, site.ports);
  return signedOut(site);
}

export async function takeSignOutEverywhere({ site, person }: PersonVisit): Promise<Answer> {
  await endSessionsOf(person.identity.id, site.ports);
  return signedOut(site);
}

function signedOut(site: Visit['site']): Answer {
  return { goTo: '/account/sign-in?done=signed-out', cookies: [dropCookie('session', isSecure(site))] };
}
