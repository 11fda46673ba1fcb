// What a person does in the browser: enter a user code, then confirm or deny.
import { type DeviceAuthorization, type DeviceId, type DeviceState, deviceState } from '../../core/device.ts';
import type { Integration } from '../../core/integration.ts';
import { accept, type PersonOutcome, refuse } from '../../core/outcome.ts';
import type { Person } from '../../core/person.ts';
import type { PersonReason, Refusal } from '../../core/refusal.ts';
import {
  type DecideFacts,
  decideConfirm,
  decideDeny,
  decideEnter,
  decideFailedSignIn,
} from '../../core/rules/device.ts';
import type { EpochSeconds } from '../../core/time.ts';
import { type Decision, writeRow } from '../../store/store.ts';
import { attempts } from '../../store/tables/attempts.ts';
import { byUserCode, devices } from '../../store/tables/devices.ts';
import { normalizeUserCode, userCodeHashes } from '../../tokens/user-code.ts';
import { countAttempt } from '../attempts.ts';
import type { Ports } from '../ports.ts';

export interface DeviceOnScreen {
  readonly device: DeviceAuthorization;
  readonly integration: Integration;
}

/** For the person who typed a user code. Every attempt is counted before the lookup; the count of a right code is taken back. */
export async function enterUserCode(
  typed: string,
  person: Person,
  ports: Ports,
): Promise<PersonOutcome<DeviceOnScreen>> {
  const { wrongUserCodes: most, deviceCodeLifetime: within } = ports.settings;
  // RFC 8628 5.1: 5 wrong codes per identity per code lifetime, across addresses and nodes.
  const limit = { about: `user-code ${person.identity.id}`, most, within };
  const attempt = await countAttempt(limit, ports);
  if (!attempt.ok) return refuse('user-code-attempts-exhausted');
  const device = await findByUserCode(typed, ports);
  if (!device) return refuse('user-code-unknown');
  await attempt.value.forgive();
  await ports.registry.findIntegration(device.clientId); // it may have been added a moment ago
  return decide(device.id, person, ports, decideEnter, (row) => ({ ...row, enteredBy: person.session }));
}

export interface DeviceStanding extends DeviceOnScreen {
  readonly state: DeviceState;
  /** Set if this person may not confirm. */
  readonly objection?: Refusal<PersonReason>;
  readonly now: EpochSeconds;
}

/** The state of a device authorization, for the browser session that entered its code only. Changes nothing. */
export async function showDevice(id: DeviceId, person: Person, ports: Ports): Promise<PersonOutcome<DeviceStanding>> {
  const { identity, session } = person;
  const { found, now } = await ports.store.load(devices, id);
  const device = found?.row;
  if (!device) return refuse('user-code-unknown');
  if (device.enteredBy !== session) return refuse('decision-elsewhere');
  const integration = await ports.registry.findIntegration(device.clientId);
  if (!integration) return refuse('integration-unknown');
  const wouldConfirm = decideConfirm({ device, integration, identity, session, settings: ports.settings, now });
  const state = deviceState(device, now);
  return accept({ device, integration, state, now, ...(!wouldConfirm.ok && { objection: wouldConfirm.refusal }) });
}

export const confirmDevice = deciding('confirmed', decideConfirm);
export const denyDevice = deciding('denied', decideDeny);

function deciding(is: 'confirmed' | 'denied', rule: typeof decideEnter) {
  return (id: DeviceId, person: Person, ports: Ports): Promise<PersonOutcome<DeviceOnScreen>> => {
    const by = person.identity.id;
    return decide(id, person, ports, rule, (row, at) => ({ ...row, decision: { is, by, at } }), is);
  };
}

type NextRow = (row: DeviceAuthorization, at: DecideFacts['now']) => DeviceAuthorization;

async function decide(
  id: DeviceId,
  person: Person,
  ports: Ports,
  rule: typeof decideEnter,
  nextRow: NextRow,
  type?: 'confirmed' | 'denied',
): Promise<PersonOutcome<DeviceOnScreen>> {
  const { identity, session } = person;
  return ports.store.change(devices, id, (found, now): Decision<DeviceAuthorization, PersonOutcome<DeviceOnScreen>> => {
    const integration = found && ports.registry.integration(found.row.clientId);
    const allowed = rule({ device: found?.row, integration, identity, session, settings: ports.settings, now });
    if (!allowed.ok) return { outcome: allowed };
    if (!integration) return { outcome: refuse('integration-unknown') };
    const next = nextRow(allowed.value, now);
    const { clientId, presenter } = next;
    const events = type ? [{ type, at: now, clientId, identityId: identity.id, subjectId: id, presenter }] : [];
    return { outcome: accept({ device: next, integration }), next, events };
  });
}

async function findByUserCode(typed: string, { store, keyring }: Ports): Promise<DeviceAuthorization | undefined> {
  const letters = normalizeUserCode(typed);
  if (!letters) return undefined;
  for (const hash of userCodeHashes(letters, keyring)) {
    const [device] = await store.find(devices, byUserCode(hash), 1);
    if (device) return device;
  }
  return undefined;
}

/** Contract 7.1, invalid_grant: counts a wrong user ID or password against the device authorization. */
export async function countFailedSignIn(userCode: string, ports: Ports): Promise<void> {
  const device = await findByUserCode(userCode, ports);
  if (!device) return writeDecoy(ports);
  await ports.store.change(devices, device.id, (found, now): Decision<DeviceAuthorization, void> => {
    const next = found && decideFailedSignIn(found.row, ports.settings, now);
    if (!next) return { outcome: undefined };
    const { clientId, id, presenter, decision } = next;
    if (decision.is !== 'spent') return { outcome: undefined, next };
    return { outcome: undefined, next, events: [{ type: 'spent', at: now, clientId, subjectId: id, presenter }] };
  });
}

/** Timing must not reveal whether a code exists: an unknown one also costs a durable write, of a row without meaning. */
async function writeDecoy({ store, random }: Ports): Promise<void> {
  const about = `unknown code ${random(8).toString('hex')}`;
  await writeRow(store, attempts, about, (_, now) => ({ about, count: 0, endsAt: now }));
}
