// The refresh of a token pair: every check in its order, and where the retry window is decided.
import type { CertificateMark } from '../certificate.ts';
import { type Grant, grantState, type RevocationReason } from '../grant.ts';
import type { Identity } from '../identity.ts';
import type { Integration } from '../integration.ts';
import { accept, type Outcome, refuse } from '../outcome.ts';
import type { Refusal, RefusalReason } from '../refusal.ts';
import { isWithin, parseScope } from '../scope.ts';
import type { Outage } from '../service-times.ts';
import { type Settings, settingsFor } from '../settings.ts';
import { between, type EpochSeconds } from '../time.ts';
import { whyNotAllowed } from './identity.ts';
import { windowStart } from './outage.ts';

/** How an authentic refresh token relates to the grant's current one. */
export type Standing =
  | 'current'
  /** The token that the last rotation spent: its derived successor is the current one. */
  | 'last-spent'
  | 'spent'
  /** A later generation than the store knows: the store was rolled back. */
  | 'ahead'
  /** The generation is current, the secret is not: minted by someone who holds the keys but never held the token. */
  | 'foreign';

export interface RefreshFacts {
  readonly integration: Integration;
  readonly grant: Grant;
  /** Of the token that was presented. */
  readonly standing: () => Standing;
  readonly holder: Identity | undefined;
  /** The certificate and identity of the connection, where there is one. */
  readonly certificate: { readonly mark: CertificateMark; readonly identityId: string } | undefined;
  readonly settings: Settings;
  /** The last outage; `not-loaded` until a decision needs it. */
  readonly outage: Outage | undefined | 'not-loaded';
  readonly now: EpochSeconds;
}

export type RefreshDecision =
  /** Load the last outage and decide again: only a token that looks reused needs it. */
  | { readonly do: 'load-outage' }
  | { readonly do: 'rotate'; readonly settings: Settings }
  | { readonly do: 'repeat' }
  | { readonly do: 'refuse'; readonly refusal: Refusal; readonly end?: RevocationReason; readonly reuse?: true };

/** The first checks, which need no row. `token`: undefined where its text was not minted here. */
export function askToRefresh<Token>(
  integration: Integration | undefined,
  token: Token | undefined,
): Outcome<{ integration: Integration; token: Token }> {
  if (!integration) return refuse('integration-unknown');
  if (!integration.enabled) return refuse('integration-disabled');
  return token ? accept({ integration, token }) : refuse('refresh-token-not-authentic');
}

/** The checks that follow, in their order. */
export function decideRefresh(facts: RefreshFacts): RefreshDecision {
  const { integration, grant, standing, holder, now } = facts;
  // A token shown by another integration is refused and changes nothing: a wrong client id never revokes.
  if (grant.clientId !== integration.clientId) return no('refresh-token-of-another-integration');
  const state = grantState(grant, now);
  if (state === 'revoked') return no('grant-revoked');
  if (state === 'expired') return no('grant-expired');
  if (!grant.refreshable) return no('refresh-not-offered');
  // Before the generation: without the certificate, a stolen token may not even end the grant.
  if (!isBindingMet(facts, integration, grant)) return no('certificate-binding-unmet');

  const settings = settingsFor(integration, facts.settings);
  const turn = decideTurn(standing(), grant, settings, facts);
  if (turn.do === 'refuse' || turn.do === 'load-outage') return turn;
  const scope = parseScope(grant.scope);
  if (!scope || !isWithin(scope, integration.scope)) return no('scope-no-longer-allowed');
  const objection = whyNotAllowed(holder, integration);
  return objection ? no(objection) : turn;
}

/** Rotation, retry or reuse: docs/spec-gaps.md, "Refresh, exactly once". */
function decideTurn(standing: Standing, grant: Grant, settings: Settings, facts: RefreshFacts): RefreshDecision {
  switch (standing) {
    case 'current':
      return { do: 'rotate', settings };
    case 'last-spent':
      return decideRetry(grant, settings, facts);
    case 'spent':
      return reuse(settings);
    case 'ahead':
      return { ...no('store-rolled-back'), end: 'rolled-back-store' };
    case 'foreign':
      return no('refresh-token-not-authentic');
  }
}

function decideRetry(grant: Grant, settings: Settings, { outage, now }: RefreshFacts): RefreshDecision {
  const isLoaded = outage !== 'not-loaded';
  if (isInRetryWindow(grant, settings, isLoaded ? outage : undefined, now)) return { do: 'repeat' };
  return isLoaded || settings.refreshRetryWindow === 0 ? reuse(settings) : { do: 'load-outage' };
}

/**
 * The window counts from the rotation's commit or, where the service could not answer then, from the moment it answered
 * again. Use never extends it; 0 is strict.
 */
function isInRetryWindow(
  grant: Grant,
  { refreshRetryWindow: window }: Settings,
  outage: Outage | undefined,
  now: EpochSeconds,
): boolean {
  return window > 0 && between(windowStart(grant.pair.issuedAt, window, outage), now) <= window;
}

function reuse({ onReuse }: Settings): RefreshDecision {
  const told = { ...no('refresh-token-reused'), reuse: true } as const;
  return onReuse === 'revoke' ? { ...told, end: 'reuse' } : told;
}

function isBindingMet({ certificate }: RefreshFacts, { binding }: Integration, { origin, identityId }: Grant): boolean {
  if (binding === 'none' || origin.kind !== 'certificate') return true;
  if (!certificate) return false;
  // Hashes of public keys: nothing secret is compared here, so time may vary.
  if (binding === 'certificate') return certificate.mark.key === origin.certificate.key;
  return certificate.identityId === identityId && certificate.mark.issuerKey === origin.certificate.issuerKey;
}

function no(reason: RefusalReason): { readonly do: 'refuse'; readonly refusal: Refusal } {
  return { do: 'refuse', refusal: { reason } };
}
