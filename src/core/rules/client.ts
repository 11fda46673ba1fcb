// Integrations that authenticate: with their own keys (private_key_jwt, RFC 7523 2.2), or with a generated secret.
import type { ClientDocument } from '../client-document.ts';
import { authenticatedGuest, type Grant, isOfContract } from '../grant.ts';
import { type Identity, INTEGRATION_LABEL } from '../identity.ts';
import type { ClientSecret, Integration } from '../integration.ts';
import { oncePer } from '../once-per.ts';
import { accept, type Outcome, refuse } from '../outcome.ts';
import type { Refusal, RefusalReason } from '../refusal.ts';
import type { ResourceServer } from '../resource-server.ts';
import { hasOpaqueItems } from '../scope.ts';
import { type EpochSeconds, seconds } from '../time.ts';
import { ASSERTION_ALGORITHMS, type TokenIssuer } from '../token-issuer.ts';
import type { Target } from './audience.ts';
import { validityState } from './expiry.ts';
import { whyNotAllowed } from './identity.ts';
import { requestedTarget, type WantedTarget } from './scope.ts';

export type ClientProof = 'key' | 'secret';

const LONGEST_ASSERTION = seconds(3600);

/** An integration as the token issuer of its client assertions: `iss` and `sub` are its client id. Undefined: it has no keys. */
export const clientIssuer = oncePer((integration: Integration): TokenIssuer | undefined => {
  const { clientId, keys, tokenEndpointAudience = false } = integration;
  const settings = { algorithms: ASSERTION_ALGORITHMS, tokenEndpointAudience };
  return keys && { label: INTEGRATION_LABEL, issuer: clientId, keys, ...settings, ...ofClient(clientId) };
});

/** The same of a guest. The integration that it is a guest of says which audiences are accepted. */
export function guestIssuer(
  { url, keys, algorithms }: ClientDocument,
  { tokenEndpointAudience = false }: Pick<Integration, 'tokenEndpointAudience'>,
): TokenIssuer | undefined {
  return keys && { label: url, issuer: url, keys, algorithms, tokenEndpointAudience, ...ofClient(url) };
}

function ofClient(clientId: string) {
  return {
    kind: 'client',
    assertions: 'once',
    maxAssertionLifetime: LONGEST_ASSERTION,
    rules: [{ conditions: [{ claim: '/sub', test: { is: clientId } }], identity: '{/sub}', identities: 'derived' }],
    enabled: true,
  } as const;
}

type Unserved = 'integration-unknown' | 'integration-disabled';

export function checkClient(integration: Integration | undefined): Outcome<Integration, Refusal<Unserved>> {
  if (!integration) return refuse('integration-unknown');
  return integration.enabled ? accept(integration) : refuse('integration-disabled');
}

/** Whether the integration is enabled and may be used in this way. */
export function withFlow<Flow extends 'device' | 'code' | 'certificate' | 'assertion'>(
  integration: Integration | undefined,
  flow: Flow,
): Outcome<Integration, Refusal<Unserved | `${Flow}-flow-disabled`>> {
  const client = checkClient(integration);
  return client.ok && !client.value.flows[flow] ? refuse(`${flow}-flow-disabled`) : client;
}

export function liveSecrets({ flows, secrets = [] }: Integration, now: EpochSeconds): readonly ClientSecret[] {
  return flows.secret ? secrets.filter(({ endsAt }) => now < endsAt) : [];
}

/** RFC 6749 3.2.1, 6: its grants then need more than a client id. `isAuthenticated`: undefined at a door without client authentication. */
export function whyUnauthenticated(
  integration: Integration,
  isAuthenticated: boolean | undefined,
): 'client-authentication-required' | undefined {
  return isAuthenticated === false && integration.confidential ? 'client-authentication-required' : undefined;
}

/** As answers show an integration. */
interface Shown {
  readonly confidential?: boolean | undefined;
  readonly flows?: { readonly secret?: boolean | undefined } | undefined;
  readonly keys?: readonly string[] | undefined;
  readonly secrets?: readonly { readonly endsAt?: string | undefined }[] | undefined;
}

/** Whether it is confidential, and has nothing to authenticate with at this time. */
export function isLocked({ confidential, flows, keys = [], secrets = [] }: Shown, milliseconds: number): boolean {
  const isLive = ({ endsAt = '' }) => flows?.secret === true && Date.parse(endsAt) > milliseconds;
  return confidential === true && keys.length === 0 && !secrets.some(isLive);
}

/** Enabled integrations whose last secret has ended or ends soon. */
export function endingSecrets(integrations: readonly Integration[], now: EpochSeconds) {
  return integrations.flatMap(({ clientId, enabled, flows, secrets = [] }) => {
    const last = secrets.toSorted((a, b) => a.endsAt - b.endsAt).at(-1);
    if (!enabled || !flows.secret || !last) return [];
    const { createdAt: from, endsAt } = last;
    return validityState({ from, to: endsAt }, now) === 'valid' ? [] : [{ clientId, endsAt }];
  });
}

/** RFC 6749 4.4: the integration itself is the identity. */
export function decideClient(
  integration: Integration,
  identity: Identity,
  wanted: WantedTarget & { readonly jkt?: string | undefined },
  resourceServers: readonly ResourceServer[],
): Outcome<Target> {
  const { jkt } = wanted;
  const target = requestedTarget(wanted, integration, resourceServers);
  if (!target.ok) return target;
  const objection = whyNotAllowed(identity, integration) ?? whyUnbound(integration, jkt);
  return objection ? refuse(objection) : target;
}

/** Whether a new grant needs a DPoP proof that was not sent. `jkt`: the key of the proof. */
export function whyUnbound({ binding }: Integration, jkt: string | undefined): 'dpop-proof-missing' | undefined {
  return binding === 'dpop' && jkt === undefined ? 'dpop-proof-missing' : undefined;
}

/** What a request at the oauth door proves besides its refresh token. */
export interface Proven {
  readonly isAuthenticated: boolean;
  /** The key of its DPoP proof. */
  readonly jkt: string | undefined;
}

/** Why a device code or an authorization code is redeemed without a proof that the integration needs. */
export function whyUnprovenRedemption(integration: Integration, proven: Proven | undefined): RefusalReason | undefined {
  return whyUnauthenticated(integration, proven?.isAuthenticated) ?? whyUnbound(integration, proven?.jkt);
}

/** Why a refresh lacks a proof that the grant needs. `proven`: undefined at a door that takes no proof. */
export function whyUnprovenRefresh(
  { origin, terms, scope }: Pick<Grant, 'origin' | 'terms' | 'scope'>,
  integration: Integration,
  proven: Proven | undefined,
): RefusalReason | undefined {
  const isClient = origin.kind === 'client' || authenticatedGuest({ origin });
  if (!proven) {
    // A door without client authentication must not refresh what only /oauth2 makes for a confidential integration.
    const isElsewhere = isClient || (integration.confidential && !isOfContract(origin));
    if (isElsewhere || terms || hasOpaqueItems(scope)) return 'grant-of-oauth-door';
    return integration.binding === 'dpop' ? 'dpop-key-differs' : undefined;
  }
  // RFC 6749 6: who authenticated for the grant authenticates for its refreshes.
  const isBare = !proven.isAuthenticated && (isClient || integration.confidential);
  if (isBare) return 'client-authentication-required';
  if (proven.jkt === undefined && terms?.jkt !== undefined) return 'dpop-proof-missing';
  // RFC 9449 5: who sends a proof expects a bound token. An unbound one would be discarded, and with it the refresh token.
  const isOther = proven.jkt !== terms?.jkt || (integration.binding === 'dpop' && terms?.jkt === undefined);
  return isOther ? 'dpop-key-differs' : undefined;
}
