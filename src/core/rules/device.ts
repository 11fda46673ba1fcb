// Device authorization: start, enter the user code, confirm or deny, redeem. Every check in its order.
import { type DeviceAuthorization, deviceState, isPolledTooFast } from '../device.ts';
import type { Identity, IdentityId } from '../identity.ts';
import type { Integration } from '../integration.ts';
import { accept, type Outcome, type PersonOutcome, refuse, refuseScope } from '../outcome.ts';
import type { OverCap, Refusal, RefusalReason } from '../refusal.ts';
import type { ResourceServer } from '../resource-server.ts';
import { isWithin, parseScope } from '../scope.ts';
import type { Settings } from '../settings.ts';
import { between, type EpochSeconds, type Seconds, seconds } from '../time.ts';
import { redeemedTarget, type Target } from './audience.ts';
import { whyUnauthenticated, withFlow } from './client.ts';
import { whyNotAllowed } from './identity.ts';
import { requestedTarget, type WantedTarget } from './scope.ts';

export interface StartFacts extends WantedTarget {
  readonly clientId: string | undefined;
  /** Undefined at a door without client authentication. */
  readonly isAuthenticated?: boolean | undefined;
  readonly integration: Integration | undefined;
  readonly resourceServers: readonly ResourceServer[];
  readonly settings: Settings;
}

export function decideStart(facts: StartFacts): Outcome<Target & { integration: Integration }> {
  if (!facts.clientId) return refuse('client-id-missing');
  const served = withDeviceFlow(facts.integration, facts.settings);
  if (!served.ok) return served;
  const unproven = whyUnauthenticated(served.value, facts.isAuthenticated);
  if (unproven) return refuse(unproven);
  const target = requestedTarget(facts, served.value, facts.resourceServers);
  return target.ok ? accept({ integration: served.value, ...target.value }) : target;
}

export interface RedeemFacts {
  readonly integration: Integration;
  readonly device: DeviceAuthorization;
  readonly holder: Identity | undefined;
  /** Set if the caller is over a rate limit. */
  readonly limit: Refusal | undefined;
  /** Called last. */
  readonly overCap?: OverCap | undefined;
  /** Whether polling too fast makes the interval longer (RFC 8628 3.5). */
  readonly slowsDown?: boolean | undefined;
  /** The audiences that the request names, if any (RFC 8707). */
  readonly wantedResource?: readonly string[] | undefined;
  readonly resourceServers: readonly ResourceServer[];
  readonly now: EpochSeconds;
}

export type RedeemDecision =
  | { readonly do: 'redeem'; readonly holder: Identity; readonly target: Target }
  /** Pending: the time of the poll is stored, so that polling too fast can be detected, and the interval from now on. */
  | { readonly do: 'wait'; readonly refusal: Refusal; readonly interval: Seconds }
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
  if (decision.do === 'refuse') return decision;
  const over = facts.limit ?? (decision.do === 'redeem' ? facts.overCap?.('grants', decision.holder.id) : undefined);
  return over ? { do: 'refuse', refusal: over } : decision;
}

function decideByState(facts: RedeemFacts): RedeemDecision {
  const { integration, device, slowsDown, now } = facts;
  if (device.clientId !== integration.clientId) return no('device-code-of-another-integration');
  const state = deviceState(device, now);
  if (state === 'confirmed') return decideIssue(facts);
  if (state !== 'pending') return no(DEAD[state]);
  return slowsDown ? waitOrSlowDown(device, now) : wait(device, now);
}

const DEAD = {
  redeemed: 'device-code-redeemed',
  expired: 'device-code-expired',
  spent: 'device-code-spent',
  ended: 'code-ended',
  denied: 'device-denied',
} as const;

/** Shared with authorization codes. Never `wait`. */
export function decideIssue({
  device,
  integration,
  holder,
  wantedResource,
  resourceServers,
}: RedeemFacts): Exclude<RedeemDecision, { do: 'wait' }> {
  const scope = parseScope(device.scope);
  if (!scope || !isWithin(scope, integration.scope))
    return { do: 'refuse', refusal: refuseScope('scope-no-longer-allowed', device.scope).refusal };
  const target = redeemedTarget({ scope, resource: device.resource }, wantedResource, resourceServers);
  if (!target.ok) return { do: 'refuse', refusal: target.refusal };
  const objection = whyNotAllowed(holder, integration);
  return objection || !holder ? no(objection ?? 'identity-unknown') : { do: 'redeem', holder, target: target.value };
}

function wait(device: DeviceAuthorization, now: EpochSeconds): RedeemDecision {
  const reason = isPolledTooFast(device, now) ? 'polled-too-fast' : 'authorization-pending';
  return { do: 'wait', refusal: { reason, retryAfter: device.interval }, interval: device.interval };
}

const SLOWER_BY = 5;
/** Times are whole seconds, and a request may be faster on its way than the one before. */
const TOLERANCE = 1;
const SLOWEST = seconds(30);

/** RFC 8628 3.5. Libraries repeat a failed request at once: a poll within a second of the last does not count. */
function waitOrSlowDown(device: DeviceAuthorization, now: EpochSeconds): RedeemDecision {
  const { interval, lastPolledAt } = device;
  const isRepeated = lastPolledAt !== undefined && between(lastPolledAt, now) <= 1;
  if (isRepeated) return { do: 'refuse', refusal: { reason: 'authorization-pending', retryAfter: interval } };
  const isPatient = lastPolledAt === undefined || between(lastPolledAt, now) >= interval - TOLERANCE;
  if (isPatient) return { do: 'wait', refusal: { reason: 'authorization-pending', retryAfter: interval }, interval };
  const longer = seconds(Math.max(interval, Math.min(interval + SLOWER_BY, SLOWEST)));
  return { do: 'wait', refusal: { reason: 'polled-too-fast', retryAfter: longer }, interval: longer };
}

/** Contract 7.1 invalid_client: browser-based authentication is disabled, for the server or for the integration. */
function withDeviceFlow(
  integration: Integration | undefined,
  { deviceFlow }: Settings,
): ReturnType<typeof withFlow<'device'>> {
  const served = withFlow(integration, 'device');
  return served.ok && !deviceFlow ? refuse('device-flow-disabled') : served;
}

export interface DecideFacts {
  readonly device: DeviceAuthorization | undefined;
  readonly integration: Integration | undefined;
  readonly identity: Identity | undefined;
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
  const state = deviceState(device, now);
  if (state === 'pending') return accept(device);
  return refuse(state === 'expired' || state === 'spent' || state === 'ended' ? DEAD[state] : 'decision-final');
}

/** Which codes an ending means: all, those of an integration, or what one person has confirmed. */
export interface MeantCodes {
  readonly clientId?: string | undefined;
  readonly holder?: IdentityId | undefined;
  /** Authorization codes only. */
  readonly by?: 'code' | undefined;
  /** When they were confirmed, or else made: what is redeemed afterwards begins later still. */
  readonly since?: EpochSeconds | undefined;
  /** When they were made. */
  readonly until?: EpochSeconds | undefined;
}

/** A code that could still be redeemed ends. One that nobody has confirmed is nobody's: it ends with its integration only. */
export function decideEndCode(
  device: DeviceAuthorization,
  { clientId = device.clientId, holder, by, since = device.createdAt, until = device.createdAt }: MeantCodes,
  now: EpochSeconds,
): DeviceAuthorization | undefined {
  const { decision, createdAt } = device;
  const state = deviceState(device, now);
  if (state !== 'pending' && state !== 'confirmed') return undefined;
  if (holder !== undefined && !('by' in decision && decision.by === holder)) return undefined;
  if (by === 'code' && !isAuthorizationCode(device)) return undefined;
  const latest = 'at' in decision ? decision.at : createdAt;
  const isMeant = device.clientId === clientId && since <= latest && createdAt <= until;
  return isMeant ? { ...device, decision: { is: 'ended', at: now } } : undefined;
}

/** Its row is that of a device authorization that nobody polls for. */
function isAuthorizationCode({ interval }: DeviceAuthorization): boolean {
  return interval === 0;
}

export function secondsLeft(device: DeviceAuthorization, now: EpochSeconds): number {
  return Math.max(0, between(now, device.expiresAt));
}

function no(reason: RefusalReason): RedeemDecision & { do: 'refuse' } {
  return { do: 'refuse', refusal: { reason } };
}
