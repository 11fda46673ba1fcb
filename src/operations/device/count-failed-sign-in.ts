import type { DeviceAuthorization } from '../../core/device.ts';
import { decideFailedSignIn } from '../../core/rules/device.ts';
import type { Decision } from '../../store/store.ts';
import { attempts } from '../../store/tables/attempts.ts';
import { devices } from '../../store/tables/devices.ts';
import type { Ports } from '../ports.ts';
import { findByUserCode } from './decide-device.ts';

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

/**
 * Before sign-in, timing must not reveal whether a code exists: an unknown code also costs one durable write, of a row
 * without meaning.
 */
async function writeDecoy({ store, random }: Ports): Promise<void> {
  const about = `unknown code ${random(8).toString('hex')}`;
  await store.change(attempts, about, (_, now) => ({ outcome: undefined, next: { about, count: 0, endsAt: now } }));
}
