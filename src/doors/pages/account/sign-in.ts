// Signing in and out.
import { endSession, endSessionsOf } from '../../../operations/person/browser-session.ts';
import { type SignedInBrowser, signIn } from '../../../operations/person/sign-in.ts';
import { Secret } from '../../../tokens/secret.ts';
import { storyOf } from '../../http/story.ts';
import { enterCode, readUserCode } from '../device/enter-code.ts';
import type { Answer } from '../parts/answer.ts';
import { dropCookie, readCookie, writeCookie, writeLastingCookie } from '../parts/cookies.ts';
import { wordRefusal } from '../parts/refusal-page.ts';
import type { Form } from '../parts/route.ts';
import { isSecure, type PersonVisit, queryOf, type Site, signedIn, type Visit } from '../parts/visit.ts';
import { PAGE_WORDING } from '../parts/wording.ts';
import { signInPage } from './sign-in-page.ts';

export async function showSignIn(visit: Visit): Promise<Answer> {
  const code = readUserCode(queryOf(visit, 'user_code'));
  if (visit.person) return { goTo: code ? `/device?user_code=${code}` : '/account' };
  return signInPage(visit, { code });
}

/** Begins a session. With a user code, the next page shows the request to confirm. */
export async function takeSignIn(visit: Visit, form: Form): Promise<Answer> {
  const { site, request } = visit;
  const code = readUserCode(form['user_code']);
  const userName = printable(form['user_name'] ?? '');
  const password = new Secret(form['password'] ?? '');
  const { presenter } = site.readConnection(request);
  const knownBrowser = readKnown(visit);
  const { person: signedInPerson } = visit;
  const attempt = { userName, password, presenter, knownBrowser, person: signedInPerson, userCode: code };
  const outcome = await signIn(attempt, site.ports);
  if (!outcome.ok) {
    const { status } = PAGE_WORDING[outcome.refusal.reason];
    const said = wordRefusal(visit, outcome.refusal);
    const { request: asked, asks } = form;
    return signInPage(visit, {
      code,
      request: asked,
      asks,
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

/** On with the authorization request, which is checked again there. */
function pageAfter({ request }: Form, { oauthMount }: Site): string {
  return request && oauthMount !== undefined ? `${oauthMount}/authorize?${new URLSearchParams(request)}` : '/account';
}

function cookiesOf({ cookie, knownBrowser }: SignedInBrowser, site: Site): string[] {
  return [
    writeCookie('session', cookie.reveal(), isSecure(site)),
    dropCookie('visitor', isSecure(site)),
    writeKnown(knownBrowser, site),
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
