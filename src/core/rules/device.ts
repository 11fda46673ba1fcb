// Device authorization: start, enter the user code, confirm or deny, redeem. Every check in its order.
import { type DeviceAuthorization, deviceState, isPolledTooFast } from '../device.ts';
import type { Identity } from '../identity.ts';
import type { Integration } from '../integration.ts';
import { accept, type Outcome, type PersonOutcome, refuse } from '../outcome.ts';
import type { Refusal, RefusalReason, SharedReason } from '../refusal.ts';
import { isWithin, parseScope, type Scope } from '../scope.ts';
import type { Settings } from '../settings.ts';
import { between, type EpochSeconds } from '../time.ts';
import { whyNotAllowed } from './identity.ts';
import { requestedScope } from './scope.ts';

export interface StartFacts {
  readonly clientId: string | undefined;
  readonly integration: Integration | undefined;
  readonly scope: string | undefined;
  readonly settings: Settings;
}

export function decideStart({
  clientId,
  integration,
  scope,
  settings,
}: StartFacts): Outcome<{ integration: Integration; scope: Scope }> {
  if (!clientId) return refuse('client-id-missing');
  const served = withDeviceFlow(integration, settings);
  if (!served.ok) return served;
  const wanted = requestedScope(scope, served.value);
  return wanted.ok ? accept({ integration: served.value, scope: wanted.value }) : wanted;
}

export interface RedeemFacts {
  readonly integration: Integration;
  readonly device: DeviceAuthorization;
  readonly holder: Identity | undefined;
  /** Set if the caller is over a rate limit. */
  readonly limit: Refusal | undefined;
  readonly now: EpochSeconds;
}

export type RedeemDecision =
  | { readonly do: 'redeem'; readonly holder: Identity }
  /** Pending: the time of the poll is stored, so that polling too fast can be detected. */
  | { readonly do: 'wait'; readonly refusal: Refusal }
  | { readonly do: 'refuse'; readonly refusal: Refusal };

/** The first checks, which need no row. `code`: undefined if this service did not mint it. */
export function checkRedeemRequest<Code>(
  integration: Integration | undefined,
  code: Code | undefined,
  settings: Settings,
): Outcome<{ integration: Integration; code: Code }> {
  const served = withDeviceFlow(integration, settings);
  if (!served.ok) return served;
  return code ? accept({ integration: served.value, code }) : refuse('device-code-not-authentic');
}

/** The checks that need the row. The limit comes last: a dead code gets its own error, not a 429. */
export function decideRedeem(facts: RedeemFacts): RedeemDecision {
  const decision = decideByState(facts);
  return facts.limit && decision.do !== 'refuse' ? { do: 'refuse', refusal: facts.limit } : decision;
}

function decideByState({ integration, device, holder, now }: RedeemFacts): RedeemDecision {
  if (device.clientId !== integration.clientId) return no('device-code-of-another-integration');
  switch (deviceState(device, now)) {
    case 'redeemed':
      return no('device-code-redeemed');
    case 'expired':
      return no('device-code-expired');
    case 'spent':
      return no('device-code-spent');
    case 'denied':
      return no('device-denied');
    case 'pending':
      return wait(device, now);
    case 'confirmed':
      return decideIssue(device, integration, holder);
  }
}

function decideIssue(
  device: DeviceAuthorization,
  integration: Integration,
  holder: Identity | undefined,
): RedeemDecision {
  const scope = parseScope(device.scope);
  if (!scope || !isWithin(scope, integration.scope)) return no('scope-no-longer-allowed');
  const objection = whyNotAllowed(holder, integration);
  return objection || !holder ? no(objection ?? 'identity-unknown') : { do: 'redeem', holder };
}

function wait(device: DeviceAuthorization, now: EpochSeconds): RedeemDecision {
  const reason = isPolledTooFast(device, now) ? 'polled-too-fast' : 'authorization-pending';
  return { do: 'wait', refusal: { reason, retryAfter: device.interval } };
}

/** Contract 7.1 invalid_client: browser-based authentication is disabled, for the server or for the integration. */
function withDeviceFlow(
  integration: Integration | undefined,
  settings: Settings,
): Outcome<Integration, Refusal<SharedReason>> {
  if (!integration) return refuse('integration-unknown');
  if (!integration.enabled) return refuse('integration-disabled');
  if (!settings.deviceFlow || !integration.flows.device) return refuse('device-flow-disabled');
  return accept(integration);
}

export interface DecideFacts {
  readonly device: DeviceAuthorization | undefined;
  readonly integration: Integration | undefined;
  readonly identity: Identity | undefined;
  /** The browser session of the request. */
  readonly session: string;
  readonly settings: Settings;
  readonly now: EpochSeconds;
}

/** A signed-in person enters a user code. Only the session that entered it may confirm or deny. */
export function decideEnter(facts: DecideFacts): PersonOutcome<DeviceAuthorization> {
  const open = openDevice(facts);
  if (!open.ok) return open;
  const taken = open.value.enteredBy !== undefined && open.value.enteredBy !== facts.session;
  return taken ? refuse('decision-elsewhere') : open;
}

/** Counts a failed sign-in against a pending authorization; too many spend it. */
export function decideFailedSignIn(
  device: DeviceAuthorization,
  settings: Settings,
  now: EpochSeconds,
): DeviceAuthorization | undefined {
  if (deviceState(device, now) !== 'pending') return undefined;
  const failedSignIns = device.failedSignIns + 1;
  const isSpent = failedSignIns >= settings.failedSignInsPerDeviceCode;
  return { ...device, failedSignIns, ...(isSpent && { decision: { is: 'spent', at: now } }) };
}

/** A person confirms. A decision is final, and only the session that entered the code can make it. */
export function decideConfirm(facts: DecideFacts): PersonOutcome<DeviceAuthorization> {
  const entered = decideDeny(facts);
  if (!entered.ok) return entered;
  const served = withDeviceFlow(facts.integration, facts.settings);
  if (!served.ok) return served;
  const objection = whyNotAllowed(facts.identity, served.value);
  return objection ? refuse(objection) : entered;
}

/** Denying needs no permission: it can only reduce power. */
export function decideDeny(facts: DecideFacts): PersonOutcome<DeviceAuthorization> {
  const open = openDevice(facts);
  if (!open.ok) return open;
  return open.value.enteredBy === facts.session ? open : refuse('decision-elsewhere');
}

function openDevice({ device, now }: DecideFacts): PersonOutcome<DeviceAuthorization> {
  if (!device) return refuse('user-code-unknown');
  switch (deviceState(device, now)) {
    case 'pending':
      return accept(device);
    case 'expired':
      return refuse('device-code-expired');
    case 'spent':
      return refuse('device-code-spent');
    case 'confirmed':
    case 'denied':
    case 'redeemed':
      return refuse('decision-final');
  }
}

export function secondsLeft(device: DeviceAuthorization, now: EpochSeconds): number {
  return Math.max(0, between(now, device.expiresAt));
}

function no(reason: RefusalReason): RedeemDecision {
  return { do: 'refuse', refusal: { reason } };
}
