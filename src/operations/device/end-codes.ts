import { type DeviceAuthorization, deviceState } from '../../core/device.ts';
import type { IdentityId } from '../../core/identity.ts';
import { CODE_LIFETIME } from '../../core/rules/code.ts';
import { rows } from '../../store/pages.ts';
import { devices } from '../../store/tables/devices.ts';
import type { Ports } from '../ports.ts';

/**
 * Ends the codes that a person has confirmed and no program has redeemed yet: all, or authorization codes only. Grants are ended
 * afterwards, so that those of codes redeemed meanwhile are included.
 */
export async function endConfirmedCodes(
  by: IdentityId,
  which: 'all' | 'authorization',
  { store, settings }: Pick<Ports, 'store' | 'settings'>,
): Promise<void> {
  const lifetime = which === 'all' ? Math.max(settings.deviceCodeLifetime, CODE_LIFETIME) : CODE_LIFETIME;
  const now = await store.now();
  const isMeant = (device: DeviceAuthorization) =>
    deviceState(device, now) === 'confirmed' &&
    'by' in device.decision &&
    device.decision.by === by &&
    (which === 'all' || device.interval === 0); // nobody polls for those
  for await (const device of rows(store, devices, { isDescending: true })) {
    // Keys begin with the time of creation, by the clocks of several nodes. Whatever is older has expired.
    if (device.createdAt < now - 2 * lifetime) return;
    if (!isMeant(device)) continue;
    await store.change(devices, device.id, (found, at) => ({
      outcome: undefined,
      ...(found && isMeant(found.row) && { next: { ...found.row, decision: { is: 'spent', at } as const } }),
    }));
  }
}
