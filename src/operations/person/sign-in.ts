import type { Hex } from '../../core/hex.ts';
import { firstHalf } from '../../core/hex.ts';
import type { Identity } from '../../core/identity.ts';
import { accept, type PersonOutcome, refuse } from '../../core/outcome.ts';
import type { Person } from '../../core/person.ts';
import { networkOf, type Presenter } from '../../core/presenter.ts';
import { type Browser, countsAgainstUserCode, isKnownFor, signInLimits } from '../../core/rules/sign-in.ts';
import { passwords } from '../../store/tables/sign-in.ts';
import { addKnownBrowser, BROWSER_ID_LENGTH, readKnownBrowsers } from '../../tokens/known-browser.ts';
import type { Secret } from '../../tokens/secret.ts';
import { sha256 } from '../../tokens/sha256.ts';
import { countUnderAll } from '../attempts.ts';
import { countFailedSignIn } from '../device/spend-device.ts';
import type { Ports, SignedIn } from '../ports.ts';
import { beginSession, endSession } from './browser-session.ts';

export interface SignInRequest {
  readonly userName: string;
  readonly password: Secret;
  readonly presenter: Presenter;
  /** The cookie of a browser that somebody signed in with before, if it has one. */
  readonly knownBrowser?: string | undefined;
  /** Who is signed in with this browser already, if anybody. */
  readonly person?: Person | undefined;
  /** The user code the person came with, if any. */
  readonly userCode?: string | undefined;
}

export interface BegunSession {
  readonly cookie: Secret;
  readonly person: Person;
}

export interface SignedInBrowser extends BegunSession {
  /** The browser's cookie from now on. */
  readonly knownBrowser: Secret;
}

/** A person signs in; a session begins, and the browser is known from now on. */
export async function signIn(request: SignInRequest, ports: Ports): Promise<PersonOutcome<SignedInBrowser>> {
  const { userName, userCode } = request;
  const browser = browserOf(request, ports);
  const checked = await checkPassword({ ...request, browser }, ports);
  if (!checked.ok) {
    const hasFailed = checked.refusal.reason === 'sign-in-failed';
    if (hasFailed && userCode && countsAgainstUserCode(browser)) await countFailedSignIn(userCode, ports);
    return checked;
  }
  const begun = await beginUnlessReset(checked.value, ports);
  if (!begun.ok) return begun;
  const id = ports.random(BROWSER_ID_LENGTH).toString('hex') as Hex;
  const known = { id, nameMark: nameMark(userName), signedInAt: ports.clock.now() };
  const knownBrowser = addKnownBrowser(request.knownBrowser ?? '', known, ports.keyring);
  return accept({ ...begun.value, knownBrowser });
}

function browserOf({ userName, person, knownBrowser = '' }: SignInRequest, ports: Ports): Browser {
  const { keyring, settings, clock } = ports;
  if (person && person.identity.userName === userName) return { is: 'in-session', session: person.session };
  const known = readKnownBrowsers(knownBrowser, keyring).find((each) =>
    isKnownFor(each, nameMark(userName), settings, clock.now()),
  );
  return known ? { is: 'known', id: known.id } : { is: 'unknown' };
}

/** A session that begins while the password is being reset would outlive the reset. */
async function beginUnlessReset(
  { identity, passwordMark }: SignedIn,
  ports: Ports,
): Promise<PersonOutcome<BegunSession>> {
  const begun = await beginSession(identity, ports);
  if ((await passwordMarkOf(identity, ports)) === passwordMark) return accept(begun);
  await endSession(begun.person.session, ports);
  return refuse('sign-in-failed');
}

async function passwordMarkOf({ id }: Identity, { store }: Pick<Ports, 'store'>): Promise<string | undefined> {
  return (await store.load(passwords, id)).found?.row.phc;
}

export interface PasswordCheck extends Pick<SignInRequest, 'userName' | 'password' | 'presenter'> {
  readonly browser: Browser;
}

/** The same answer, after the same work, for a wrong password, an unknown name and a disabled identity. */
export async function checkPassword(
  { userName, password, presenter, browser }: PasswordCheck,
  ports: Ports,
): Promise<PersonOutcome<SignedIn>> {
  const facts = { browser, nameMark: nameMark(userName), network: networkOf(presenter.address) };
  const attempt = await countUnderAll(signInLimits(facts, ports.settings), ports);
  if (!attempt.ok) {
    const { isLocked, retryAfter } = attempt.refusal;
    return refuse(isLocked ? 'sign-in-attempts-exhausted' : 'sign-in-too-soon', { retryAfter });
  }
  const signedIn = await ports.directory.bySignIn(userName, password);
  if (!signedIn?.identity.enabled) return refuse('sign-in-failed');
  await attempt.value.forgive();
  return accept(signedIn);
}

/** What was typed as a name is counted by its hash: people type passwords there, and names of any length and character. */
function nameMark(typed: string): Hex {
  return firstHalf(sha256(typed));
}
