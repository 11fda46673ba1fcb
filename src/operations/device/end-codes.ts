import { type DeviceAuthorization, deviceState } from '../../core/device.ts';
import type { IdentityId } from '../../core/identity.ts';
import { CODE_LIFETIME } from '../../core/rules/code.ts';
import { rows } from '../../store/pages.ts';
import { devices } from '../../store/tables/devices.ts';
import type { Ports } from '../ports.ts';

export interface ConfirmedCodes {
  /** Confirmed by this person. Undefined: by anybody. */
  readonly by?: IdentityId | undefined;
  /** Of this integration. Undefined: of any. */
  readonly clientId?: string | undefined;
  readonly which?: 'all' | 'authorization';
}

/** Ends confirmed codes that nobody has redeemed; returns how many. Grants are ended afterwards, with those of codes redeemed meanwhile. */
export async function endConfirmedCodes(
  { by, clientId, which = 'all' }: ConfirmedCodes,
  { store, settings }: Pick<Ports, 'store'> & Partial<Pick<Ports, 'settings'>>,
): Promise<number> {
  const longest = settings?.deviceCodeLifetime ?? Number.POSITIVE_INFINITY;
  const lifetime = which === 'all' ? Math.max(longest, CODE_LIFETIME) : CODE_LIFETIME;
  const now = await store.now();
  const isMeant = (device: DeviceAuthorization) =>
    deviceState(device, now) === 'confirmed' &&
    'by' in device.decision &&
    (by === undefined || device.decision.by === by) &&
    (clientId === undefined || device.clientId === clientId) &&
    (which === 'all' || device.interval === 0); // nobody polls for those
  let ended = 0;
  for await (const device of rows(store, devices, { isDescending: true })) {
    // Keys begin with the time of creation, by the clocks of several nodes. Whatever is older has expired.
    if (device.createdAt < now - 2 * lifetime) break;
    if (!isMeant(device)) continue;
    ended += await store.change(devices, device.id, (found, at) =>
      found && isMeant(found.row)
        ? { outcome: 1, next: { ...found.row, decision: { is: 'spent', at } as const } }
        : { outcome: 0 },
    );
  }
  return ended;
}
