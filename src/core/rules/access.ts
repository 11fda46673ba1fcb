// What an access token allows: the check by a resource server, and the revocation of its grant.
import type { ClientUrl } from '../client-document.ts';
import { authenticatedGuest, type Binding, bindingOf, type Grant, grantState, guestOf } from '../grant.ts';
import type { Identity } from '../identity.ts';
import type { Integration } from '../integration.ts';
import { accept, type Outcome, refuse, refuseScope } from '../outcome.ts';
import { narrow, parseScope, type Scope } from '../scope.ts';
import type { Settings } from '../settings.ts';
import { after, type EpochSeconds } from '../time.ts';
import { whyUnauthenticated } from './client.ts';
import { whyNotAllowed } from './identity.ts';

export interface AccessFacts {
  /** Undefined if this service did not mint the token. */
  readonly token: { readonly generation: number; readonly expiresAt: EpochSeconds } | undefined;
  /** Also undefined if the token's secret is not the grant's. */
  readonly grant: Grant | undefined;
  readonly holder: Identity | undefined;
  readonly integration: Integration | undefined;
  readonly settings: Settings;
  readonly now: EpochSeconds;
}

export interface CheckedAccess {
  readonly grant: Grant;
  readonly integration: Integration;
  readonly holder: Identity;
  /** Of this token. */
  readonly binding: Binding;
  /** The grant's scope, narrowed to what the integration still allows. */
  readonly scope: Scope;
}

export function decideCheck(facts: AccessFacts): Outcome<CheckedAccess> {
  const { token, grant, holder, integration, now } = facts;
  if (!token || !grant) return refuse('access-token-not-authentic');
  if (grantState(grant, now) === 'revoked') return refuse('grant-revoked');
  // Contract 1.2: an access token works until its own expiry, whatever refreshes follow.
  if (now >= token.expiresAt || grantState(grant, now) === 'expired') return refuse('access-token-expired');
  if (token.generation > grant.pair.generation) return refuse('access-token-not-authentic');
  if (isSuperseded(facts, token.generation, grant)) return refuse('access-token-superseded');
  const binding = bindingOf(grant, token.generation);
  if (!binding) return refuse('access-token-superseded');
  if (!integration) return refuse('integration-unknown');
  if (!integration.enabled) return refuse('integration-disabled');
  const objection = whyNotAllowed(holder, integration);
  if (objection || !holder) return refuse(objection ?? 'identity-unknown');
  const granted = parseScope(grant.scope);
  const scope = granted && narrow(granted, integration.scope);
  if (!scope) return refuseScope('scope-no-longer-allowed', grant.scope);
  return accept({ grant, integration, holder, binding, scope });
}

function isSuperseded({ settings, now }: AccessFacts, generation: number, { pair }: Grant): boolean {
  if (settings.accessTokenOverlap === undefined || generation === pair.generation) return false;
  // Earlier generations were superseded by an earlier refresh.
  if (generation < pair.generation - 1) return true;
  return now >= after(pair.issuedAt, settings.accessTokenOverlap);
}

/** Any authentic access token revokes its grant, even an old or expired one: revoking can only reduce access. */
export function decideRevoke({ token, grant }: Pick<AccessFacts, 'token' | 'grant'>): Outcome<Grant> {
  if (!token || !grant) return refuse('access-token-not-authentic');
  return grant.revoked ? refuse('grant-revoked') : accept(grant);
}

export interface RevokeFacts {
  readonly integration: Integration | undefined;
  /** Set if the caller is a guest of the integration. */
  readonly guest?: ClientUrl | undefined;
  readonly isAuthenticated?: boolean | undefined;
  readonly token: 'access' | 'refresh' | undefined;
  /** Also undefined if the token's secret is not the grant's. */
  readonly grant: Grant | undefined;
}

/** RFC 7009 2.1, 2.2: an integration ends its own grants. The value is undefined if there is nothing left to end. */
export function decideRevokeByIntegration(facts: RevokeFacts): Outcome<Grant | undefined> {
  const { integration, guest, isAuthenticated, token, grant } = facts;
  if (!integration) return refuse('integration-unknown');
  if (!integration.enabled) return refuse('integration-disabled');
  const unproven = whyUnauthenticated(integration, isAuthenticated);
  if (unproven) return refuse(unproven);
  if (!token || !grant) return accept(undefined);
  if (grant.clientId !== integration.clientId || guestOf(grant) !== guest)
    return refuse(`${token}-token-of-another-integration`);
  if (grant.revoked) return accept(undefined);
  return authenticatedGuest(grant) && !isAuthenticated ? refuse('client-authentication-required') : accept(grant);
}
