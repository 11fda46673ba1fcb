// Signing in and out. /account/provider/LABEL: sign-in at an OpenID provider begins here, and the browser returns here.
import { labelOf } from '../../../core/identity.ts';
import { type PersonOutcome, refuse } from '../../../core/outcome.ts';
import { PROVIDER_LIFETIME } from '../../../core/rules/sign-in.ts';
import { endSession, endSessionsOf } from '../../../operations/end-sessions.ts';
import type { BegunSession } from '../../../operations/person/browser-session.ts';
import { signInWithPasskey } from '../../../operations/person/passkeys.ts';
import { beginProviderSignIn, finishProviderSignIn } from '../../../operations/person/provider-sign-in.ts';
import { type SignedInBrowser, signIn } from '../../../operations/person/sign-in.ts';
import { Secret } from '../../../tokens/secret.ts';
import { queryTextOf } from '../../http/methods.ts';
import { recordOf } from '../../http/request-record.ts';
import { enterCode, readUserCode } from '../device/enter-code.ts';
import type { Answer } from '../parts/answer.ts';
import { dropCookie, readCookie, writeCookie, writeLastingCookie } from '../parts/cookies.ts';
import { recordProblem, refusalPage } from '../parts/refusal-page.ts';
import { type Form, forPerson, type PageRoute, show, take } from '../parts/route.ts';
import { isSecure, type PersonVisit, paramOf, queryOf, type Site, signedIn, type Visit } from '../parts/visit.ts';
import { answerOf, drawOptions, relyingParty } from './passkey-parts.ts';
import { goOnOf, PASSKEY_OPTIONS, providerPath, type SignInForm, signInPage } from './sign-in-page.ts';

async function showSignIn(visit: Visit): Promise<Answer> {
  const code = readUserCode(queryOf(visit, 'user_code'));
  if (visit.person) return { goTo: code ? `/device?user_code=${code}` : '/account' };
  return askToSignIn(visit, { code });
}

/** Straight to the provider where people sign in nowhere else; not with a user code, which must be seen on our page, nor right after signing out. */
export async function askToSignIn(visit: Visit, form: SignInForm): Promise<Answer> {
  const { settings, directories } = visit.site.ports;
  const [only, ...others] = directories.providers;
  const isStraight = !settings.passwords && others.length === 0 && !form.code && queryOf(visit, 'done') === undefined;
  return only && isStraight ? beginAt(visit, only.label, form) : signInPage(visit, form);
}

/** Sends the browser to the provider. What the person goes on with is in a cookie meanwhile. */
async function beginAt(visit: Visit, label: string, going: GoingOn): Promise<Answer> {
  const { site, person } = visit;
  const asked = { label, redirectUri: redirectUri(label, site), isAgain: person !== undefined, ...going };
  const begun = await beginProviderSignIn(asked, site.ports);
  if (!begun.ok) return refusalPage(visit, begun.refusal);
  const { url, cookie } = begun.value;
  const kept = writeLastingCookie('provider', cookie.reveal(), PROVIDER_LIFETIME, isSecure(site));
  return { leaveTo: url, cookies: [kept] };
}

function redirectUri(label: string, { publicUrl }: Site): string {
  return publicUrl + providerPath(label);
}

/** What a passkey signs to sign in. Any passkey of any account may answer, so that nothing is said about accounts (WebAuthn 14.6.2). */
async function showPasskeyOptions(visit: Visit): Promise<Answer> {
  const party = relyingParty(visit.site);
  if (!party) return refusalPage(visit, { reason: 'not-found' });
  return { json: { ...drawOptions(visit), rpId: party.id, userVerification: 'required' } };
}

/** Begins a session. With a user code, the next page shows the request to confirm. */
async function takeSignIn(visit: Visit, form: Form): Promise<Answer> {
  const going = goingOnOf(form);
  const userName = printable(form['user_name'] ?? '');
  const outcome = await (form['credential'] ? byPasskey(visit, userName, form) : byPassword(visit, userName, form));
  if (outcome.ok) return goOn(visit, outcome.value, going);
  const problem = recordProblem(visit, outcome.refusal);
  return signInPage(visit, { ...going, asks: form['asks'], userName, problem });
}

function goingOnOf(form: Form): GoingOn {
  return { code: readUserCode(form['user_code']), request: form['request'], goOn: goOnOf(form['go_on']) };
}

async function byPassword(visit: Visit, userName: string, form: Form): ReturnType<typeof signIn> {
  if (!visit.site.ports.settings.passwords) return refuse('sign-in-failed');
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

type GoingOn = Pick<SignInForm, 'code' | 'request' | 'goOn'>;

/** Signing in again replaces the session that was there. */
export async function goOn(visit: Visit, begun: SignedInBy, to: GoingOn): Promise<Answer> {
  const { site } = visit;
  const { person } = begun;
  recordOf(visit.request).identityId = person.identity.id;
  if (visit.person) await endSession(visit.person.session, site.ports);
  const next: Answer = to.code ? await enterCode(signedIn(visit, person), to.code) : { goTo: pageAfter(to, site) };
  return { ...next, cookies: cookiesOf(begun, site) };
}

/** A browser is known by the password that was typed there. */
type SignedInBy = BegunSession & Partial<Pick<SignedInBrowser, 'knownBrowser'>>;

/** On with the authorization request, which is checked again there. */
function pageAfter({ request, goOn: page }: GoingOn, { oauthMount }: Site): string {
  if (page) return page === 'passkeys' ? '/account/passkeys' : page;
  return request && oauthMount !== undefined ? `${oauthMount}/authorize?${new URLSearchParams(request)}` : '/account';
}

function cookiesOf({ cookie, knownBrowser }: SignedInBy, site: Site): string[] {
  return [
    writeCookie('session', cookie.reveal(), isSecure(site)),
    dropCookie('visitor', isSecure(site)),
    ...(knownBrowser ? [writeKnown(knownBrowser, site)] : []),
  ];
}

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

async function takeSignOut({ site, person }: PersonVisit): Promise<Answer> {
  await endSession(person.session, site.ports);
  return signedOut(site, person);
}

async function takeSignOutEverywhere({ site, person }: PersonVisit): Promise<Answer> {
  await endSessionsOf(person.identity.id, site.ports);
  return signedOut(site, person);
}

/** The session at the provider goes on: the next page offers to end it. */
function signedOut({ ports, ...site }: Site, { identity }: PersonVisit['person']): Answer {
  const there = ports.directories.providers.find(({ label }) => label === labelOf(identity));
  const goTo = there ? `${SIGNED_OUT}&provider=${there.label}` : SIGNED_OUT;
  return { goTo, cookies: [dropCookie('session', isSecure(site))] };
}

const SIGNED_OUT = '/account/sign-in?done=signed-out';

type Provider = Site['ports']['directories']['providers'][number];

function atProvider(handle: (visit: Visit, provider: Provider, form: Form) => Promise<Answer>) {
  return async (visit: Visit, form: Form): Promise<Answer> => {
    const label = paramOf(visit, 'label');
    const found = visit.site.ports.directories.providers.find((provider) => provider.label === label);
    return found ? handle(visit, found, form) : refusalPage(visit, { reason: 'not-found' });
  };
}

const takeProvider = atProvider((visit, { label }, form) => beginAt(visit, label, goingOnOf(form)));

const showReturn = atProvider(async (visit, { label }) => {
  const { site, request } = visit;
  const finished = await finishProviderSignIn(
    {
      label,
      redirectUri: redirectUri(label, site),
      response: new URLSearchParams(queryTextOf(request.url)),
      cookie: readCookie(request, 'provider', isSecure(site)) ?? '',
      presenter: site.readConnection(request).presenter,
    },
    site.ports,
  );
  if (!finished.ok) return refusalPage(visit, finished.refusal);
  const { attempt, ...begun } = finished.value;
  const next = await goOn(visit, begun, { ...attempt, goOn: goOnOf(attempt.goOn) });
  return { ...next, cookies: [...(next.cookies ?? []), dropCookie('provider', isSecure(site))] };
});

const showSignOutThere = atProvider(async ({ site }, { provider }) => {
  const leaveTo = await provider.signOutUrl(site.publicUrl + SIGNED_OUT);
  return leaveTo === undefined ? { goTo: SIGNED_OUT } : { leaveTo };
});

const GOING_ON = ['user_code', 'request', 'asks', 'go_on'];

export const SIGN_IN_ROUTES: readonly PageRoute[] = [
  show('/account/sign-in', 'page-sign-in', showSignIn),
  take('/account/sign-in', 'sign-in', ['user_name', 'password', 'credential', ...GOING_ON], takeSignIn),
  show(PASSKEY_OPTIONS, 'sign-in-options', showPasskeyOptions),
  take(providerPath(':label'), 'begin-provider-sign-in', GOING_ON, takeProvider),
  show(providerPath(':label'), 'provider-sign-in', showReturn),
  show(`${providerPath(':label')}/sign-out`, 'provider-sign-out', showSignOutThere),
  take('/account/sign-out', 'sign-out', [], forPerson(takeSignOut)),
  take('/account/sign-out-everywhere', 'sign-out-everywhere', [], forPerson(takeSignOutEverywhere)),
];
