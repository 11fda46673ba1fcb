// The refresh of a token pair: every check in its order, and where the retry window is decided.
import type { ClientUrl } from '../client-document.ts';
import { accessTokenExpiry, type Grant, grantState, guestOf, isOfContract } from '../grant.ts';
import type { Hex } from '../hex.ts';
import type { Identity } from '../identity.ts';
import type { Integration } from '../integration.ts';
import { accept, type Outcome, refuse, refuseScope } from '../outcome.ts';
import type { OverCap, Refusal, RefusalReason } from '../refusal.ts';
import { isWithin, parseScope } from '../scope.ts';
import type { Outage } from '../service-times.ts';
import { type Settings, settingsFor } from '../settings.ts';
import { between, type EpochSeconds, type Seconds, seconds } from '../time.ts';
import { isSameTarget } from './audience.ts';
import type { CertifiedCaller } from './certificate.ts';
import { type Proven, whyUnprovenRefresh } from './client.ts';
import { whyNotAllowed } from './identity.ts';
import { windowStart } from './outage.ts';
import { checkScopeOfRefresh } from './scope.ts';
import { siblingWindow, supersededAt } from './siblings.ts';

/** How an authentic refresh token relates to the grant's current one. */
export type Standing =
  | 'current'
  /** The device code that the grant was made for, while its first refresh token is the current one, and afterwards. */
  | 'redeemed-code'
  | 'used-code'
  /** The token that the last rotation spent, or one before it: with the row, it gives the current one. */
  | 'last-spent'
  | 'ancestor'
  /** Spent, and the current one cannot be derived from it: a release up to 0.3.4 made that. */
  | 'spent'
  /** Of this grant, but of a later generation than the store knows, or another token of the current one: the store was rolled back. */
  | 'ahead'
  /** Not of this grant: forged with our keys by someone who never had one of its tokens. */
  | 'foreign';

export interface RefreshFacts {
  readonly integration: Integration;
  /** Set if the caller is a guest of the integration. */
  readonly guest?: ClientUrl | undefined;
  readonly grant: Grant;
  /** Of the presented token. Called after the cheaper checks: it derives a secret, and throws if the key is missing. */
  readonly standing: () => Standing;
  /** Of the presented token. */
  readonly generation: number;
  readonly holder: Identity | undefined;
  /** Who the presented certificate identifies; undefined if the integration binds no refresh to a certificate. */
  readonly caller: Outcome<CertifiedCaller> | undefined;
  /** Undefined at a door that takes no such proof. */
  readonly proven?: Proven | undefined;
  /** Set if the caller is over a rate limit. */
  readonly limit: Refusal | undefined;
  /** Called last. */
  readonly overCap?: OverCap | undefined;
  /** The scope that the request names, if any. */
  readonly wantedScope?: string | undefined;
  /** The audiences that the request names, if any (RFC 8707). */
  readonly wantedResource?: readonly string[] | undefined;
  readonly settings: Settings;
  /** The last outages; `not-loaded` until a decision needs them. */
  readonly outages: readonly Outage[] | 'not-loaded';
  /** Whether a rollback that was accepted explains a token that is newer than its row; `not-checked` until a decision needs it. */
  readonly loss: 'explained' | 'not-checked';
  /** When the last rollback was accepted, or a copy restored. */
  readonly lossAcceptedAt?: EpochSeconds | undefined;
  /** While a node of 0.3.4 runs: pairs are derived from the current token, so a rotation by a spent one could not be repeated to it. */
  readonly isUpgrading?: boolean;
  readonly now: EpochSeconds;
}

export type RefreshDecision =
  /** Load the last outages and decide again: only a token that looks reused needs them. */
  | { readonly do: 'load-outages' }
  /** Find out whether an accepted rollback explains the loss of this token's refresh, and decide again. If none does, nothing is decided. */
  | { readonly do: 'explain-loss' }
  /** `bindTo`: the certificate that the new access token is bound to, if it is. `window`: for siblings. `spent`: for a token that is not the current one. */
  | {
      readonly do: 'rotate';
      readonly settings: Settings;
      readonly bindTo: Hex | undefined;
      readonly window: Seconds;
      readonly spent?: Spent;
      /** How many generations of the grant the store has lost: the row takes that of the token first. */
      readonly healed?: number;
    }
  | { readonly do: 'repeat'; readonly spent: Spent }
  /** Nothing changes. */
  | { readonly do: 'refuse'; readonly refusal: Refusal }
  /** A reuse that is logged as an event; the grant lives on (`onReuse: report`). */
  | { readonly do: 'report-reuse'; readonly refusal: Refusal }
  | { readonly do: 'end'; readonly why: 'reuse' | 'rolled-back-store'; readonly refusal: Refusal };

/** Why a spent token is answered: a retry in its window, or a program that shares the login, by its key or within a window. */
export interface Spent {
  readonly isRetry: boolean;
  readonly sibling?: 'by-key' | 'in-window' | undefined;
}

/** The first checks, which need no row. `token`: undefined if this service did not mint it. */
export function checkRefreshRequest<Token>(
  integration: Integration | undefined,
  token: Token | undefined,
): Outcome<{ integration: Integration; token: Token }> {
  if (!integration) return refuse('integration-unknown');
  if (!integration.enabled) return refuse('integration-disabled');
  return token ? accept({ integration, token }) : refuse('refresh-token-not-authentic');
}

/** The checks that need the row, in order. The limit comes last: a dead token gets its own error, not a 429. */
export function decideRefresh(facts: RefreshFacts): RefreshDecision {
  const { integration, grant, standing, holder, limit, now } = facts;
  // A token presented by another integration is refused and changes nothing: a wrong client id never revokes.
  if (grant.clientId !== integration.clientId || guestOf(grant) !== facts.guest)
    return no('refresh-token-of-another-integration');
  const state = grantState(grant, now);
  if (state === 'revoked') return no('grant-revoked');
  if (state === 'expired') return no('grant-expired');
  if (!grant.refreshable) return no('refresh-not-offered');
  if (grant.pair.generation >= LAST_GENERATION) return no('grant-expired');
  // Before the generation: without its proof, a stolen token may not even end the grant.
  const unproven = whyUnprovenRefresh(grant, integration, facts.proven);
  if (unproven) return no(unproven);
  if (!isBindingMet(facts, integration, grant)) return { do: 'refuse', refusal: whyUnbound(facts) };

  const settings = settingsFor(integration, facts.settings, {
    format: grant.format,
    isOfOauth: !isOfContract(grant.origin),
  });
  const turn = decideTurn(standing(), grant, settings, facts);
  if (turn.do !== 'rotate' && turn.do !== 'repeat') return turn;
  const scope = parseScope(grant.scope);
  if (!scope || !isWithin(scope, integration.scope))
    return { do: 'refuse', refusal: refuseScope('scope-no-longer-allowed', grant.scope).refusal };
  const wanted =
    facts.wantedScope === undefined ? undefined : checkScopeOfRefresh(facts.wantedScope, scope, integration);
  if (wanted?.ok === false) return { do: 'refuse', refusal: wanted.refusal };
  if (!isSameTarget(facts.wantedResource, grant.resource)) return no('resource-differs-from-grant');
  const objection = whyNotAllowed(holder, integration);
  if (objection) return no(objection);
  const over = limit ?? facts.overCap?.('refreshes', grant.identityId, grant.id);
  return over ? { do: 'refuse', refusal: over } : turn;
}

/** Rotation, retry or reuse: docs/spec-gaps.md, "Refresh, exactly once". */
function decideTurn(standing: Standing, grant: Grant, settings: Settings, facts: RefreshFacts): RefreshDecision {
  switch (standing) {
    case 'current':
      return rotation(grant, settings, facts);
    case 'last-spent':
    case 'ancestor':
      return decideSpent(standing, grant, settings, facts);
    case 'redeemed-code':
      return decideRedeemedAgain(grant, settings, facts);
    case 'used-code':
      return no('device-code-redeemed');
    case 'spent':
      return reuse(settings, facts);
    case 'ahead':
      return decideAhead(grant, settings, facts);
    case 'foreign':
      return no('refresh-token-not-authentic');
  }
}

/** Tokens have 32 bits for it. */
const LAST_GENERATION = 2 ** 32 - 1;
/** No loss spans more refreshes of one grant: such a token was forged with a server key, and would use up the generations. */
const MOST_LOST = 1_000_000;

/**
 * The store has lost a refresh. Until that is accepted the caller tries again: the commits may be recovered. Then the newest token
 * is current again, unless the grant was refreshed since: the older token may be in other hands.
 */
function decideAhead(grant: Grant, settings: Settings, facts: RefreshFacts): RefreshDecision {
  const { loss, lossAcceptedAt, generation } = facts;
  if (loss === 'not-checked') return { do: 'explain-loss' };
  const healed = generation - grant.pair.generation;
  const isNewest = healed > 0 && lossAcceptedAt !== undefined && grant.pair.issuedAt < lossAcceptedAt;
  const isPlausible = healed <= MOST_LOST && generation < LAST_GENERATION;
  if (isNewest && isPlausible) return { ...rotation(grant, settings, facts), healed };
  return { do: 'end', why: 'rolled-back-store', refusal: { reason: 'store-rolled-back' } };
}

function rotation(
  grant: Grant,
  settings: Settings,
  facts: RefreshFacts,
  spent?: Spent,
): RefreshDecision & { do: 'rotate' } {
  const window = siblingWindow(grant, facts.integration, settings);
  return { do: 'rotate', settings, bindTo: presentedBinding(facts, grant), window, ...(spent && { spent }) };
}

/** The answer to a redemption may have been lost. A code that is sent too late ends nothing. */
function decideRedeemedAgain(grant: Grant, settings: Settings, facts: RefreshFacts): RefreshDecision {
  const { refreshRetryWindow: window } = settings;
  if (isWithinWindow(window, grant.pair.issuedAt, grant, facts)) return { do: 'repeat', spent: { isRetry: true } };
  return window > 0 && facts.outages === 'not-loaded' ? { do: 'load-outages' } : no('device-code-redeemed');
}

/** Windows count from a commit or, after an outage, the first answer. A retry never extends one; 0 means none. */
function decideSpent(
  standing: 'last-spent' | 'ancestor',
  grant: Grant,
  settings: Settings,
  facts: RefreshFacts,
): RefreshDecision {
  const { outages, generation, integration } = facts;
  const retryWindow = standing === 'last-spent' ? settings.refreshRetryWindow : seconds(0);
  const window = siblingWindow(grant, integration, settings);
  const isRetry = isWithinWindow(retryWindow, grant.pair.issuedAt, grant, facts);
  const isInWindow = isWithinWindow(window, supersededAt(generation, grant), grant, facts);
  const sibling = provesKey(facts, grant) ? 'by-key' : isInWindow ? 'in-window' : undefined;
  // A retry gets the same pair, whichever certificate it presents.
  const isDue = !isRetry && !facts.isUpgrading && isDueAnew(grant, settings, facts);
  if (sibling && isDue) return rotation(grant, settings, facts, { isRetry, sibling });
  if (sibling || isRetry) return { do: 'repeat', spent: { isRetry, sibling } };
  const mayBeLonger = outages === 'not-loaded' && (retryWindow > 0 || window > 0);
  return mayBeLonger ? { do: 'load-outages' } : reuse(settings, facts);
}

function isWithinWindow(
  window: Seconds,
  from: EpochSeconds | undefined,
  { id }: Grant,
  { outages, now }: RefreshFacts,
): boolean {
  if (window <= 0 || from === undefined) return false;
  return between(windowStart(id, from, window, outages === 'not-loaded' ? [] : outages), now) <= window;
}

/** Whether this refresh was made with a key, which a thief of its token lacks. A confidential integration alone proves none. */
function provesKey({ integration, proven }: RefreshFacts, { origin }: Grant): boolean {
  const byCertificate = asksForCertificate(integration.binding) && origin.kind === 'certificate';
  return byCertificate || proven?.isAuthenticated === true || proven?.jkt !== undefined;
}

/** A program that gets an access token with less than this part of a life would be back at once. */
const LEAST_LEFT = 1 / 4;

/** Whether today's access token is of little use to this program: it ends soon, or is bound to the certificate of another. */
function isDueAnew(grant: Grant, settings: Settings, facts: RefreshFacts): boolean {
  const { pair, bindings } = grant;
  const isEnding =
    between(facts.now, pair.expiresAt) < LEAST_LEFT * between(facts.now, accessTokenExpiry(grant, facts.now, settings));
  return isEnding || presentedBinding(facts, grant) !== bindings?.[0]?.thumbprint;
}

function reuse({ onReuse }: Settings, { overCap, grant }: RefreshFacts): RefreshDecision {
  const refusal = { reason: 'refresh-token-reused' } as const;
  switch (onReuse) {
    case 'revoke':
      return { do: 'end', why: 'reuse', refusal };
    case 'report':
      return overCap?.('reports', grant.identityId) ? { do: 'refuse', refusal } : { do: 'report-reuse', refusal };
  }
}

function isBindingMet({ caller }: RefreshFacts, { binding }: Integration, { origin, identityId }: Grant): boolean {
  if (!asksForCertificate(binding) || origin.kind !== 'certificate') return true;
  if (!caller?.ok) return false;
  const { mark, identity } = caller.value;
  // Hashes of public keys are not secret, so a comparison that takes varying time is safe.
  if (binding === 'certificate') return mark.key === origin.certificate.key;
  return identity.id === identityId && mark.issuerKey === origin.certificate.issuerKey;
}

export function asksForCertificate(binding: Integration['binding']): boolean {
  return binding === 'identity' || binding === 'certificate';
}

/** RFC 8705 3: a certificate that was renewed with the same key binds the tokens that it is presented for. */
function presentedBinding({ integration, caller }: RefreshFacts, { origin, bindings }: Grant): Hex | undefined {
  if (!asksForCertificate(integration.binding)) return undefined;
  const isBound = bindings?.[0]?.thumbprint !== undefined;
  const binds = integration.binding === 'certificate' && origin.kind === 'certificate';
  return (isBound || binds) && caller?.ok ? caller.value.thumbprint : undefined;
}

const RETRY_AFTER = seconds(5);

/** If only the revocation status could not be fetched, the caller shall retry and keep its grant. */
function whyUnbound({ caller }: RefreshFacts): Refusal {
  const isUnknown = caller?.ok === false && caller.refusal.reason === 'certificate-revocation-unknown';
  return isUnknown
    ? { reason: 'revocation-unavailable', retryAfter: RETRY_AFTER }
    : { reason: 'certificate-binding-unmet' };
}

function no(reason: RefusalReason): RefreshDecision {
  return { do: 'refuse', refusal: { reason } };
}
