// The refresh of a token pair: every check in its order, and where the retry window is decided.
import type { CertificateMark } from '../certificate.ts';
import { type Grant, grantState, type RevocationReason } from '../grant.ts';
import type { Identity } from '../identity.ts';
import type { Integration } from '../integration.ts';
import type { RefusalReason } from '../refusal.ts';
import { isWithin, parseScope } from '../scope.ts';
import { type Settings, settingsFor } from '../settings.ts';
import { between, type EpochSeconds } from '../time.ts';
import { whyNotAllowed } from './identity.ts';

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
  readonly integration: Integration | undefined;
  /** Undefined where the token's text was not minted here. */
  readonly token: { readonly standing: (grant: Grant) => Standing } | undefined;
  readonly grant: Grant | undefined;
  readonly holder: Identity | undefined;
  /** The certificate and identity of the connection, where there is one. */
  readonly certificate: { readonly mark: CertificateMark; readonly identityId: string } | undefined;
  readonly settings: Settings;
  readonly now: EpochSeconds;
}

export type RefreshDecision =
  | { readonly do: 'rotate'; readonly settings: Settings }
  | { readonly do: 'repeat' }
  | { readonly do: 'refuse'; readonly reason: RefusalReason; readonly end?: RevocationReason; readonly reuse?: true };

export function decideRefresh(facts: RefreshFacts): RefreshDecision {
  const { integration, token, grant, holder, now } = facts;
  if (!integration) return no('integration-unknown');
  if (!integration.enabled) return no('integration-disabled');
  if (!token) return no('refresh-token-not-authentic');
  if (!grant) return no('grant-unknown');
  // A token shown by another integration is refused and changes nothing: a wrong client_id never revokes.
  if (grant.clientId !== integration.clientId) return no('refresh-token-of-another-integration');
  const state = grantState(grant, now);
  if (state === 'revoked') return no('grant-revoked');
  if (state === 'expired') return no('grant-expired');
  if (!grant.refreshable) return no('refresh-not-offered');
  // Before the generation: without the certificate, a stolen token may not even end the grant.
  if (!isBindingMet(facts, integration, grant)) return no('certificate-binding-unmet');

  const settings = settingsFor(integration, facts.settings);
  const turn = decideTurn(token.standing(grant), grant, settings, now);
  if (turn.do === 'refuse') return turn;
  const scope = parseScope(grant.scope);
  if (!scope || !isWithin(scope, integration.scope)) return no('scope-no-longer-allowed');
  const objection = whyNotAllowed(holder, integration);
  return objection ? no(objection) : turn;
}

/** Rotation, retry or reuse: docs/spec-gaps.md, "Refresh, exactly once". */
function decideTurn(standing: Standing, grant: Grant, settings: Settings, now: EpochSeconds): RefreshDecision {
  switch (standing) {
    case 'current':
      return { do: 'rotate', settings };
    case 'last-spent':
      return isInRetryWindow(grant, settings, now) ? { do: 'repeat' } : reuse(settings);
    case 'spent':
      return reuse(settings);
    case 'ahead':
      return { do: 'refuse', reason: 'store-rolled-back', end: 'rolled-back-store' };
    case 'foreign':
      return no('refresh-token-not-authentic');
  }
}

/** The window counts from the rotation's commit and is never extended; 0 is strict. */
function isInRetryWindow(grant: Grant, { refreshRetryWindow }: Settings, now: EpochSeconds): boolean {
  return refreshRetryWindow > 0 && between(grant.pair.issuedAt, now) <= refreshRetryWindow;
}

function reuse({ onReuse }: Settings): RefreshDecision {
  const refusal = { do: 'refuse', reason: 'refresh-token-reused', reuse: true } as const;
  return onReuse === 'revoke' ? { ...refusal, end: 'reuse' } : refusal;
}

function isBindingMet({ certificate }: RefreshFacts, { binding }: Integration, { origin, identityId }: Grant): boolean {
  if (binding === 'none' || origin.kind !== 'certificate') return true;
  if (!certificate) return false;
  if (binding === 'certificate') return isEqual(certificate.mark.key, origin.certificate.key);
  return certificate.identityId === identityId && isEqual(certificate.mark.issuerKey, origin.certificate.issuerKey);
}

// Hashes of public keys: nothing secret is compared here, so time may vary.
function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}

function no(reason: RefusalReason): RefreshDecision {
  return { do: 'refuse', reason };
}
