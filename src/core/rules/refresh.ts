// The refresh of a token pair: every check in its order, and where the retry window is decided.
import type { ClientUrl } from '../client-document.ts';
import { type Grant, grantState, guestOf } from '../grant.ts';
import type { Hex } from '../hex.ts';
import type { Identity } from '../identity.ts';
import type { Integration } from '../integration.ts';
import { accept, type Outcome, refuse, refuseScope } from '../outcome.ts';
import { isSamePresenter } from '../presenter.ts';
import type { OverCap, Refusal, RefusalReason } from '../refusal.ts';
import { isWithin, parseScope } from '../scope.ts';
import type { Outage } from '../service-times.ts';
import { type Settings, settingsFor } from '../settings.ts';
import { between, type EpochSeconds, seconds } from '../time.ts';
import { isSameTarget } from './audience.ts';
import type { CertifiedCaller } from './certificate.ts';
import { type Proven, whyUnprovenRefresh } from './client.ts';
import { whyNotAllowed } from './identity.ts';
import { windowStart } from './outage.ts';
import { checkScopeOfRefresh } from './scope.ts';

/** How an authentic refresh token relates to the grant's current one. */
export type Standing =
  | 'current'
  /** The token that the last rotation spent: its derived successor is the current one. */
  | 'last-spent'
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
  readonly now: EpochSeconds;
}

export type RefreshDecision =
  /** Load the last outages and decide again: only a token that looks reused needs them. */
  | { readonly do: 'load-outages' }
  /** Find out whether an accepted rollback explains the loss of this token's refresh, and decide again. If none does, nothing is decided. */
  | { readonly do: 'explain-loss' }
  /** `bindTo`: the certificate that the new access token is bound to, if it is. */
  | { readonly do: 'rotate'; readonly settings: Settings; readonly bindTo: Hex | undefined }
  | { readonly do: 'repeat' }
  /** Nothing changes. */
  | { readonly do: 'refuse'; readonly refusal: Refusal }
  /** A reuse that is logged as an event; the grant lives on (`onReuse: report`). */
  | { readonly do: 'report-reuse'; readonly refusal: Refusal }
  | { readonly do: 'end'; readonly why: 'reuse' | 'rolled-back-store'; readonly refusal: Refusal };

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
  // Before the generation: without its proof, a stolen token may not even end the grant.
  const unproven = whyUnprovenRefresh(grant, integration, facts.proven);
  if (unproven) return no(unproven);
  if (!isBindingMet(facts, integration, grant)) return { do: 'refuse', refusal: whyUnbound(facts) };

  const settings = settingsFor(integration, facts.settings, grant.format);
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
      return { do: 'rotate', settings, bindTo: presentedBinding(facts, grant) };
    case 'last-spent':
      return decideRetry(grant, settings, facts);
    case 'spent':
      return reuse(settings, facts);
    case 'ahead':
      return decideAhead(facts);
    case 'foreign':
      return no('refresh-token-not-authentic');
  }
}

/**
 * The store has lost a refresh. Until that is accepted the caller tries again: the commits may be recovered. Then the
 * newer token ends the grant, since the older one may be in other hands. The older one, if it comes first, is current.
 */
function decideAhead({ loss }: RefreshFacts): RefreshDecision {
  if (loss === 'not-checked') return { do: 'explain-loss' };
  return { do: 'end', why: 'rolled-back-store', refusal: { reason: 'store-rolled-back' } };
}

function decideRetry(grant: Grant, settings: Settings, facts: RefreshFacts): RefreshDecision {
  const { outages, now } = facts;
  const isLoaded = outages !== 'not-loaded';
  if (isInRetryWindow(grant, settings, isLoaded ? outages : [], now)) return { do: 'repeat' };
  return isLoaded || settings.refreshRetryWindow === 0 ? reuse(settings, facts) : { do: 'load-outages' };
}

/** From the rotation's commit or, after an outage, the first answer. A retry never extends it; 0 means no retry. */
function isInRetryWindow(
  grant: Grant,
  { refreshRetryWindow: window }: Settings,
  outages: readonly Outage[],
  now: EpochSeconds,
): boolean {
  return window > 0 && between(windowStart(grant, window, outages), now) <= window;
}

export function isRefreshLogged({ refreshesLogged }: Settings, before: Grant, next: Grant): boolean {
  switch (refreshesLogged) {
    case 'all':
      return true;
    case 'changes':
      return (
        before.bindings?.[0]?.thumbprint !== next.bindings?.[0]?.thumbprint ||
        !isSamePresenter(before.pair.presenter, next.pair.presenter)
      );
    case 'none':
      return false;
  }
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
