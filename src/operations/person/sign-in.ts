import { DirectoryAway, Overloaded } from '../../core/faults.ts';
import { firstHalf, type Hex } from '../../core/hex.ts';
import { foldCase, isLocal } from '../../core/identity.ts';
import { accept, type PersonOutcome, refuse } from '../../core/outcome.ts';
import type { Person } from '../../core/person.ts';
import { networkOf, type Presenter } from '../../core/presenter.ts';
import { type Browser, countsAgainstUserCode, isKnownFor, signInLimits } from '../../core/rules/sign-in.ts';
import type { SignedIn } from '../../directory/directory.ts';
import { addKnownBrowser, BROWSER_ID_LENGTH, readKnownBrowsers } from '../../tokens/known-browser.ts';
import type { Secret } from '../../tokens/secret.ts';
import { sha256 } from '../../tokens/sha256.ts';
import { countUnderAll } from '../attempts.ts';
import { countFailedSignIn } from '../device/decide-device.ts';
import { storeSeen } from '../grant/seen-identity.ts';
import type { Ports } from '../ports.ts';
import { type BegunSession, beginSession, endSession } from './browser-session.ts';

export interface SignInRequest {
  readonly userName: string;
  readonly password: Secret;
  readonly presenter: Presenter;
  /** The cookie that a browser keeps after somebody signed in with it. */
  readonly knownBrowser?: string | undefined;
  /** Who is already signed in with this browser. */
  readonly person?: Person | undefined;
  /** The user code that the person is about to confirm. */
  readonly userCode?: string | undefined;
}

export interface SignedInBrowser extends BegunSession {
  /** The browser's cookie from now on. */
  readonly knownBrowser: Secret;
}

/** A person signs in; a session begins, and the browser is known from now on. */
export async function signIn(request: SignInRequest, ports: Ports): Promise<PersonOutcome<SignedInBrowser>> {
  const { userCode } = request;
  const browser = await browserOf(request, ports);
  const checked = await checkPassword({ ...request, browser }, ports);
  if (!checked.ok) {
    const hasFailed = checked.refusal.reason === 'sign-in-failed';
    if (hasFailed && userCode && countsAgainstUserCode(browser)) await countFailedSignIn(userCode, ports);
    return checked;
  }
  const begun = await beginUnlessReset(checked.value, ports);
  if (!begun.ok) return begun;
  const knownBrowser = rememberBrowser(request, checked.value.passwordMark, ports);
  return accept({ ...begun.value, knownBrowser });
}

/** The cookie with which this browser is known for this name, until the password is changed. */
export function rememberBrowser(
  { userName, knownBrowser = '' }: Pick<SignInRequest, 'userName' | 'knownBrowser'>,
  passwordMark: Hex,
  { random, clock, keyring }: Ports,
): Secret {
  const id = random(BROWSER_ID_LENGTH).toString('hex') as Hex;
  const known = { id, nameMark: nameMark(userName), passwordMark, signedInAt: clock.now() };
  return addKnownBrowser(knownBrowser, known, keyring);
}

async function browserOf({ userName, person, knownBrowser = '' }: SignInRequest, ports: Ports): Promise<Browser> {
  const { keyring, settings, clock } = ports;
  if (person && person.identity.userName === userName) return { is: 'in-session', session: person.session };
  const known = readKnownBrowsers(knownBrowser, keyring).find((each) =>
    isKnownFor(each, nameMark(userName), settings, clock.now()),
  );
  if (!known) return { is: 'unknown' };
  // We signed a cookie for this name, so its holder learns nothing from the time of this query.
  const isCurrent = known.passwordMark === (await ports.directories.passwords.markOf(userName));
  return isCurrent ? { is: 'known', id: known.id } : { is: 'unknown' };
}

/** A reset ends the sessions it finds. One that begins during the reset would survive it, so check again afterwards. */
async function beginUnlessReset(signedIn: SignedIn, ports: Ports): Promise<PersonOutcome<BegunSession>> {
  const begun = await beginSession(signedIn.identity, ports);
  if (await signedIn.stillHolds()) return accept(begun);
  await endSession(begun.person.session, ports);
  return refuse('sign-in-failed');
}

export interface PasswordCheck extends Pick<SignInRequest, 'userName' | 'password' | 'presenter'> {
  readonly browser: Browser;
}

/** The same answer, after the same work, for a wrong password, an unknown name and a disabled identity. */
export async function checkPassword(
  { userName, password, presenter, browser }: PasswordCheck,
  ports: Ports,
): Promise<PersonOutcome<SignedIn>> {
  // Nothing was tried, so nothing is counted: whoever is refused here may have the right password.
  const isKnown = browser.is !== 'unknown';
  const { passwords } = ports.directories;
  if (passwords.isBusy(isKnown)) throw new Overloaded('too many sign-ins at once');
  const facts = { browser, nameMark: nameMark(userName), network: networkOf(presenter.address) };
  const attempt = await countUnderAll(signInLimits(facts, ports.settings), ports);
  if (!attempt.ok) {
    const { isLocked, retryAfter } = attempt.refusal;
    return refuse(isLocked ? 'sign-in-attempts-exhausted' : 'sign-in-too-soon', { retryAfter });
  }
  const checked = await passwords.check(userName, password, isKnown).catch(async (fault: unknown) => {
    if (fault instanceof Overloaded || fault instanceof DirectoryAway) await attempt.value.forgive();
    throw fault;
  });
  const signedIn = checked && (await withRow(checked, ports));
  if (!signedIn?.identity.enabled) return refuse('sign-in-failed');
  await attempt.value.forgive();
  return accept(signedIn);
}

/** The session refers to the row. It may be disabled although the directory lets the person in. */
async function withRow(signedIn: SignedIn, ports: Ports): Promise<SignedIn> {
  if (isLocal(signedIn.identity)) return signedIn;
  return { ...signedIn, identity: await storeSeen(signedIn.identity, ports) };
}

/** A hash, since people type passwords there. Directories may ignore case: another spelling gives no further attempts. */
export function nameMark(typed: string): Hex {
  return firstHalf(sha256(foldCase(typed)));
}
