import type { Hex } from './hex.ts';
import type { IdentityId } from './identity.ts';
import type { ClientId } from './integration.ts';
import type { StrongProof } from './person.ts';
import type { Presenter } from './presenter.ts';
import type { Audience } from './resource-server.ts';
import { after, type EpochSeconds, type Seconds } from './time.ts';

export type DeviceId = string & { readonly is: 'device authorization id' };

/** Device code + user code; pending → confirmed / denied → redeemed. Stores hashes of both codes, never a code. */
export interface DeviceAuthorization {
  readonly id: DeviceId;
  readonly clientId: ClientId;
  readonly scope: string;
  /** As in a grant. */
  readonly resource?: readonly Audience[];
  readonly userCodeHash: Hex;
  readonly deviceCodeHash: Hex;
  readonly createdAt: EpochSeconds;
  readonly expiresAt: EpochSeconds;
  readonly interval: Seconds;
  readonly lastPolledAt?: EpochSeconds;
  readonly failedSignIns: number;
  /** Who started it; shown to the person who confirms. */
  readonly presenter: Presenter;
  /** The browser session that entered the user code; no other session may confirm or deny. */
  readonly enteredBy?: string;
  readonly decision: Decision;
}

export type Decision =
  | { readonly is: 'open' }
  /** `proof`: set in an authorization code, if whoever confirmed it had signed in so. */
  | { readonly is: 'confirmed'; readonly by: IdentityId; readonly at: EpochSeconds; readonly proof?: StrongProof }
  | { readonly is: 'denied'; readonly by: IdentityId; readonly at: EpochSeconds }
  | { readonly is: 'redeemed'; readonly by: IdentityId; readonly at: EpochSeconds }
  /** By failed sign-ins. */
  | { readonly is: 'spent'; readonly at: EpochSeconds }
  /** With what it was for: its integration, its person, or all that they had. */
  | { readonly is: 'ended'; readonly at: EpochSeconds };

export type DeviceState = 'pending' | 'confirmed' | 'denied' | 'redeemed' | 'spent' | 'ended' | 'expired';

/** Contract 3. A redeemed code stays redeemed; every other state ends at the expiry. */
export function deviceState({ decision, expiresAt }: DeviceAuthorization, now: EpochSeconds): DeviceState {
  if (decision.is === 'redeemed') return 'redeemed';
  if (now >= expiresAt) return 'expired';
  return decision.is === 'open' ? 'pending' : decision.is;
}

/** Whether a poll comes too soon after the previous one. The first may come at once. */
export function isPolledTooFast(device: DeviceAuthorization, now: EpochSeconds): boolean {
  return device.lastPolledAt !== undefined && now < after(device.lastPolledAt, device.interval);
}
