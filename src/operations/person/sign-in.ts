import { DirectoryAway, FailedAfterCheck, Overloaded } from '../../core/faults.ts';
import { firstHalf, type Hex } from '../../core/hex.ts';
import { foldCase, isLocal } from '../../core/identity.ts';
import { COMMAND_LINE } from '../../core/integration.ts';
import { accept, type Outcome, type PersonOutcome, refuse, refused } from '../../core/outcome.ts';
import type { Person } from '../../core/person.ts';
import { networkOf, type Presenter } from '../../core/presenter.ts';
import { servedCaller } from '../../core/rules/certificate.ts';
import { type Browser, countsAgainstUserCode, isKnownFor, signInLimits } from '../../core/rules/sign-in.ts';
import type { SignedIn } from '../../directory/directory.ts';
import { PASSWORD_RULES } from '../../directory/password-rules.ts';
import { addKnownBrowser, BROWSER_ID_LENGTH, readKnownBrowsers } from '../../tokens/known-browser.ts';
import type { Secret } from '../../tokens/secret.ts';
import { sha256 } from '../../tokens/sha256.ts';
import { countUnderAll } from '../attempts.ts';
import { countFailedSignIn } from '../device/decide-device.ts';
import { endSession, endSessionsOf } from '../end-sessions.ts';
import { certifyCaller, type Presentation } from '../grant/identify-caller.ts';
import { storeSeen } from '../grant/seen-identity.ts';
import type { CallerPorts, Ports } from '../ports.ts';
import { type BegunSession, beginSession } from './browser-session.ts';

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
function rememberBrowser(
  { userName, knownBrowser = '' }: Pick<SignInRequest, 'userName' | 'knownBrowser'>,
  passwordMark: Hex,
  { random, clock, keyring }: Ports,
): Secret {
  const id = random(BROWSER_ID_LENGTH).toString('hex') as Hex;
  const known = { id, nameMark: nameMark(userName), passwordMark, signedInAt: clock.now() };
  return addKnownBrowser(knownBrowser, known, keyring);
}

async function browserOf(
  { userName, person, knownBrowser = '' }: Pick<SignInRequest, 'userName' | 'person' | 'knownBrowser'>,
  { keyring, settings, clock, directories }: Ports,
): Promise<Browser> {
  const known = readKnownBrowsers(knownBrowser, keyring).find((each) =>
    isKnownFor(each, nameMark(userName), settings, clock.now()),
  );
  // Whoever asks is signed in under this name or has our cookie for it, so the time of the query reveals nothing.
  const isOwnName = person?.identity.userName === userName;
  const holder = known || isOwnName ? await directories.passwords.holderOf(userName) : undefined;
  // Another directory may have a person of the same name: what counts is whose password is checked.
  if (person && holder?.id === person.identity.id) return { is: 'in-session', session: person.session };
  const isCurrent = known && known.passwordMark === holder?.passwordMark;
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
  // Nothing was tried, so nothing is counted: the password may be right.
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
    if (fault instanceof FailedAfterCheck) throw fault.cause;
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

/** For operators, as `tessera login` by certificate: an issuer that is for other integrations only signs nobody in. */
export async function signInWithCertificate(
  presentation: Presentation,
  ports: CallerPorts,
): Promise<Outcome<BegunSession>> {
  const certified = await certifyCaller(presentation, ports);
  const caller = certified.ok ? servedCaller(certified.value, COMMAND_LINE) : certified;
  return caller.ok ? accept(await beginSession(caller.value.identity, ports, 'certificate')) : caller;
}

export type PasswordObjection =
  | NonNullable<ReturnType<typeof PASSWORD_RULES.findFlaw>>
  | 'current-wrong'
  | 'too-many-tries'
  | 'unchanged';

export interface PasswordChange {
  readonly current: Secret;
  readonly next: Secret;
  readonly presenter: Presenter;
  readonly knownBrowser?: string | undefined;
}

/** Sessions and known browsers end; the browser that did it stays signed in, and known unless an operator has set another password meanwhile. */
export async function changePassword(
  { current, next, presenter, knownBrowser }: PasswordChange,
  person: Person,
  ports: Ports,
): Promise<Outcome<BegunSession & { readonly knownBrowser: Secret | undefined }, PasswordObjection>> {
  const objection = PASSWORD_RULES.findFlaw(next) ?? (current.reveal() === next.reveal() ? 'unchanged' : undefined);
  if (objection) return refused(objection);
  const { identity } = person;
  const userName = identity.userName ?? '';
  const browser = await browserOf({ userName, person }, ports);
  const checked = await checkPassword({ userName, password: current, presenter, browser }, ports);
  if (!checked.ok) return refused(checked.refusal.reason === 'sign-in-failed' ? 'current-wrong' : 'too-many-tries');
  if (checked.value.identity.id !== identity.id) return refused('current-wrong');
  // False also where an operator set another password in the meantime: theirs stands.
  if (!(await checked.value.changePassword(next))) return refused('current-wrong');
  await endSessionsOf(identity.id, ports);
  const holder = await ports.directories.passwords.holderOf(userName);
  const remembered = holder && rememberBrowser({ userName, knownBrowser }, holder.passwordMark, ports);
  return accept({ ...(await beginSession(identity, ports)), knownBrowser: remembered });
}

/** Undefined where the person's password is not changed here. */
export function passwordRules({ identity }: Pick<Person, 'identity'>): typeof PASSWORD_RULES | undefined {
  return isLocal(identity) ? PASSWORD_RULES : undefined;
}
