import type { DeviceAuthorization, DeviceId } from '../../core/device.ts';
import { accept, type Outcome, refused } from '../../core/outcome.ts';
import type { Presenter } from '../../core/presenter.ts';
import type { Refusal } from '../../core/refusal.ts';
import { decideStart } from '../../core/rules/device.ts';
import type { WantedTarget } from '../../core/rules/scope.ts';
import { after, type EpochSeconds, type Seconds } from '../../core/time.ts';
import { devices } from '../../store/tables/devices.ts';
import { DEVICE_SECRET_LENGTH, mintCode } from '../../tokens/opaque/token-text.ts';
import type { Secret } from '../../tokens/secret.ts';
import { drawUserCode, normalizeUserCode, userCodeHash } from '../../tokens/user-code.ts';
import { namedResourceServers } from '../grant/issue-grant.ts';
import { newId, type Ports } from '../ports.ts';
import { deviceCodeHash } from './redeem-device.ts';

export interface StartRequest extends WantedTarget {
  readonly clientId: string | undefined;
  readonly presenter: Presenter;
  /** Undefined at a door without client authentication. */
  readonly isAuthenticated?: boolean | undefined;
  /** The refusal for an integration over its limit, if it is. Asked once the request is good: others are not charged to it. */
  readonly overLimit?: ((clientId: string) => Refusal | undefined) | undefined;
}

export interface StartedDevice {
  readonly deviceCode: Secret;
  /** Shown to the person; typed in a browser. */
  readonly userCode: string;
  readonly expiresIn: Seconds;
  readonly expiresAt: EpochSeconds;
  readonly interval: Seconds;
}

export async function startDevice(request: StartRequest, ports: Ports): Promise<Outcome<StartedDevice>> {
  const { keyring, settings, random, store } = ports;
  const integration = request.clientId ? await ports.registry.findIntegration(request.clientId) : undefined;
  const resourceServers = await namedResourceServers(request.resource, ports);
  const decision = decideStart({ ...request, integration, resourceServers, settings });
  if (!decision.ok) return decision;
  const limited = request.overLimit?.(decision.value.integration.clientId);
  if (limited) return refused(limited);
  const { scope, resource } = decision.value;
  const id = newId(ports) as DeviceId;
  const secret = random(DEVICE_SECRET_LENGTH);
  return store.create(devices, id, (now) => {
    // Drawn anew for every attempt: a commit can only fail because the user code is taken.
    const userCode = drawUserCode(random);
    const expiresAt = after(now, settings.deviceCodeLifetime);
    const next: DeviceAuthorization = {
      id,
      clientId: decision.value.integration.clientId,
      scope: scope.text,
      ...(resource && { resource }),
      userCodeHash: userCodeHash(normalizeUserCode(userCode) ?? '', keyring.minting),
      deviceCodeHash: deviceCodeHash(secret, decision.value.integration),
      createdAt: now,
      expiresAt,
      interval: settings.pollInterval,
      failedSignIns: 0,
      presenter: request.presenter,
      decision: { is: 'open' },
    };
    const deviceCode = mintCode('device', { deviceId: id, expiresAt, secret }, keyring.minting);
    const outcome = accept({
      deviceCode,
      userCode,
      expiresIn: settings.deviceCodeLifetime,
      expiresAt,
      interval: settings.pollInterval,
    });
    return { outcome, next };
  });
}
