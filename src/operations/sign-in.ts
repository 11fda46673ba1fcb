import type { DeviceAuthorization } from '../core/device.ts';
import { firstHalf } from '../core/hex.ts';
import type { Identity } from '../core/identity.ts';
import { accept, type Outcome, refuse } from '../core/outcome.ts';
import { networkOf, type Presenter } from '../core/presenter.ts';
import type { Decision } from '../store/store.ts';
import { devices } from '../store/tables/devices.ts';
import { attempts, passwords } from '../store/tables/sign-in.ts';
import type { Secret } from '../tokens/secret.ts';
import { sha256 } from '../tokens/sha256.ts';
import { allowedAttempt } from './attempts.ts';
import { beginSession, endSession } from './browser-session.ts';
import { findByUserCode, type Person } from './decide-device.ts';
import type { Ports } from './ports.ts';

export interface SignInRequest {
  readonly userName: string;
  readonly password: Secret;
  readonly presenter: Presenter;
  /** The user code the person came with, if any: too many failures spend it. */
  readonly userCode?: string | undefined;
}

/** A person signs in; a session begins. */
export async function signIn(
  request: SignInRequest,
  ports: Ports,
): Promise<Outcome<{ cookie: Secret; person: Person }>> {
  const [namesake] = await ports.directory.byUserName(request.userName);
  const before = namesake && (await passwordMark(namesake, ports));
  const checked = await checkPassword(request, ports);
  if (checked.ok) return beginUnlessReset(checked.value, before, ports);
  if (checked.refusal.reason === 'sign-in-failed' && request.userCode) await countFailure(request.userCode, ports);
  return checked;
}

/** A session that begins while the password is being reset would outlive the reset. */
async function beginUnlessReset(
  identity: Identity,
  before: string | undefined,
  ports: Ports,
): Promise<Outcome<{ cookie: Secret; person: Person }>> {
  const begun = await beginSession(identity, ports);
  if ((await passwordMark(identity, ports)) === before) return accept(begun);
  await endSession(begun.person.session, ports);
  return refuse('sign-in-failed');
}

/** Changes whenever the password does. */
export async function passwordMark({ id }: Identity, { store }: Pick<Ports, 'store'>): Promise<string | undefined> {
  return (await store.load(passwords, id)).found?.row.phc;
}

/** The same answer, after the same time, for a wrong password, an unknown name and a disabled identity. */
export async function checkPassword(
  { userName, password, presenter }: Omit<SignInRequest, 'userCode'>,
  ports: Ports,
): Promise<Outcome<Identity>> {
  const { failedSignInsPerIdentity, failedSignInsPerAddress, signInWindow: within } = ports.settings;
  const fromAddress = { about: `sign-in from ${networkOf(presenter.address)}`, most: failedSignInsPerAddress, within };
  const asName = { about: `sign-in as ${nameMark(userName)}`, most: failedSignInsPerIdentity, within };
  // The address first: one that is over its limit must not use up the tries of other people's names.
  const byAddress = await allowedAttempt(fromAddress, ports);
  const byName = byAddress && (await allowedAttempt(asName, ports));
  if (byAddress && !byName) await byAddress.forgive(); // a try that was not made
  if (!byAddress || !byName) return refuse('sign-in-attempts-exhausted', { retryAfter: within });

  const identity = await ports.directory.bySignIn(userName, password);
  if (!identity?.enabled) return refuse('sign-in-failed');
  await Promise.all([byName.forgive(), byAddress.forgive()]);
  return accept(identity);
}

/** What was typed as a name is counted by its hash: people type passwords there, and names of any length and character. */
function nameMark(typed: string): string {
  return firstHalf(sha256(typed));
}

/** Spec 7.1, invalid_grant: the user ID and password of the authorization were invalid, once too often. */
async function countFailure(userCode: string, ports: Ports): Promise<void> {
  const device = await findByUserCode(userCode, ports);
  if (!device) return takeAsLong(ports);
  await ports.store.change(devices, device.id, (found, now): Decision<DeviceAuthorization, void> => {
    if (found?.row.decision.is !== 'open' || now >= found.row.expiresAt) return { outcome: undefined };
    const failedSignIns = found.row.failedSignIns + 1;
    if (failedSignIns < ports.settings.failedSignInsPerDeviceCode)
      return { outcome: undefined, next: { ...found.row, failedSignIns } };
    const { clientId, id, presenter } = found.row;
    const next: DeviceAuthorization = { ...found.row, failedSignIns, decision: { is: 'spent', at: now } };
    return { outcome: undefined, next, events: [{ type: 'spent', at: now, clientId, subjectId: id, presenter }] };
  });
}

/**
 * Nobody has signed in yet, so nobody may learn whether a code exists: a failure with an unknown code also costs one
 * durable write, of a row that says nothing.
 */
async function takeAsLong({ store, random }: Ports): Promise<void> {
  const about = `unknown code ${random(8).toString('hex')}`;
  await store.change(attempts, about, (_, now) => ({ outcome: undefined, next: { about, count: 0, endsAt: now } }));
}
