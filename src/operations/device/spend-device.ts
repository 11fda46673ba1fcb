import type { DeviceAuthorization } from '../../core/device.ts';
import { decideFailedSignIn } from '../../core/rules/device.ts';
import type { Decision } from '../../store/store.ts';
import { devices } from '../../store/tables/devices.ts';
import { attempts } from '../../store/tables/sign-in.ts';
import type { Ports } from '../ports.ts';
import { findByUserCode } from './decide-device.ts';

/** Contract 7.1, invalid_grant: the user ID and password of the authorization were invalid, once too often. */
export async function countFailedSignIn(userCode: string, ports: Ports): Promise<void> {
  const device = await findByUserCode(userCode, ports);
  if (!device) return takeAsLong(ports);
  await ports.store.change(devices, device.id, (found, now): Decision<DeviceAuthorization, void> => {
    const next = found && decideFailedSignIn(found.row, ports.settings, now);
    if (!next) return { outcome: undefined };
    const { clientId, id, presenter, decision } = next;
    if (decision.is !== 'spent') return { outcome: undefined, next };
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
