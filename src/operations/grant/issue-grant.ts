import type { Event } from '../../core/event.ts';
import { type Grant, type GrantId, grantPeriod, isOfContract, type Origin, type Terms } from '../../core/grant.ts';
import type { Hex } from '../../core/hex.ts';
import type { Identity } from '../../core/identity.ts';
import type { Integration } from '../../core/integration.ts';
import { accept, type Outcome, refuse } from '../../core/outcome.ts';
import type { Presenter } from '../../core/presenter.ts';
import type { OverCap, RefusalReason } from '../../core/refusal.ts';
import type { ResourceServer } from '../../core/resource-server.ts';
import { isSameAudience, type Target } from '../../core/rules/audience.ts';
import type { WantedTarget } from '../../core/rules/scope.ts';
import { settingsFor } from '../../core/settings.ts';
import { type EpochSeconds, earlier } from '../../core/time.ts';
import type { Decision } from '../../store/store.ts';
import { grants } from '../../store/tables/grants.ts';
import { firstRefreshToken, NO_NONCE, ROOT_LENGTH } from '../../tokens/opaque/pair.ts';
import { REFRESH_SECRET_LENGTH } from '../../tokens/opaque/token-text.ts';
import { newId, type Ports } from '../ports.ts';
import { accessTokenFacts, type DecidedPair, mintPair, type TokenPair } from './token-pair.ts';

export interface GrantDraft {
  readonly integration: Integration;
  readonly identity: Identity;
  readonly target: Target;
  readonly origin: Origin;
  readonly presenter: Presenter;
  /** SHA-256 of the certificate that was presented, if one was. */
  readonly thumbprint?: Hex;
  /** The grant is bound to that certificate whatever the integration says. */
  readonly isBound?: boolean;
  /** The key of the DPoP proof that was presented, if one was. */
  readonly jkt?: string | undefined;
  readonly terms?: Terms;
  /** `if-set-by-integration`: the server's default does not apply, and the grant ends with its access token. */
  readonly refresh?: 'if-set-by-integration' | 'never' | undefined;
  /** No token of it is valid from then on. */
  readonly until?: EpochSeconds;
}

/** What every request for a new grant has. */
export interface GrantRequest extends WantedTarget, Pick<GrantDraft, 'presenter' | 'jkt'> {
  /** Charged once the caller is identified and may have the grant. */
  readonly overCap?: OverCap;
}

/** Draws ids and secrets before the decision, so that deciding again yields the same grant. */
export function drawGrant(ports: Pick<Ports, 'clock' | 'random'>): { id: GrantId; root: Buffer; secret: Buffer } {
  return { id: newId(ports) as GrantId, root: ports.random(ROOT_LENGTH), secret: ports.random(REFRESH_SECRET_LENGTH) };
}

/** Makes a new grant with its first token pair. The caller commits it. */
export function issueGrant(
  draft: GrantDraft,
  drawn: ReturnType<typeof drawGrant>,
  now: EpochSeconds,
  ports: Ports,
): { readonly grant: Grant; readonly pair: DecidedPair; readonly event: Event } {
  const { integration, identity, presenter, target } = draft;
  const { resource } = target;
  const { accessTokenFormat: format } = integration;
  const { text: scope } = target.scope;
  const defaults = draft.refresh ? { ...ports.settings, refresh: false } : ports.settings;
  // By certificate, client_credentials are told from /authsvc by their lack of a refresh token.
  const isBrief = draft.refresh !== undefined && !settingsFor(integration, defaults).refresh;
  const own = settingsFor(integration, defaults, { isOfOauth: isBrief || !isOfContract(draft.origin) });
  const settings = draft.refresh === 'never' ? { ...own, refresh: false } : own;
  const { refreshUntil, expiresAt } = endingBy(draft.until, grantPeriod(now, scope, settings));
  const terms = { ...draft.terms, ...(draft.jkt !== undefined && { jkt: draft.jkt }) };
  const key = ports.keyring.minting;
  const minted = firstRefreshToken(drawn.id, drawn, key);
  const grant: Grant = {
    id: drawn.id,
    clientId: integration.clientId,
    identityId: identity.id,
    scope,
    ...(resource && { resource }),
    origin: draft.origin,
    createdAt: now,
    refreshUntil,
    format,
    accessHash: minted.accessHash,
    ...((integration.binding === 'certificate' || draft.isBound) &&
      draft.thumbprint && { bindings: [{ since: 0, thumbprint: draft.thumbprint }] }),
    refreshable: settings.refresh,
    ...(Object.keys(terms).length > 0 && { terms }),
    pair: {
      generation: 0,
      keyId: key.id,
      refreshHash: minted.refreshHash,
      nonce: NO_NONCE,
      issuedAt: now,
      expiresAt,
      presenter,
      ...accessTokenFacts({ format, scope, resource }, ports),
    },
  };
  return { grant, pair: { grant, minted, now }, event: issuedEvent(grant) };
}

function endingBy(until: EpochSeconds | undefined, { refreshUntil, expiresAt }: ReturnType<typeof grantPeriod>) {
  if (until === undefined) return { refreshUntil, expiresAt };
  return { refreshUntil: earlier(refreshUntil, until), expiresAt: earlier(expiresAt, until) };
}

export async function createGrant(
  draft: GrantDraft,
  ports: Ports,
  whyNot: (now: EpochSeconds) => RefusalReason | undefined = () => undefined,
): Promise<Outcome<TokenPair>> {
  const drawn = drawGrant(ports);
  const decided = await ports.store.create(grants, drawn.id, (now): Decision<Grant, Outcome<DecidedPair>> => {
    const reason = whyNot(now);
    if (reason) return { outcome: refuse(reason) };
    const { grant, pair, event } = issueGrant(draft, drawn, now, ports);
    return { outcome: accept(pair), next: grant, events: [event] };
  });
  return mintPair(decided, ports);
}

function issuedEvent(grant: Grant): Event {
  const { clientId, identityId, scope, resource } = grant;
  return {
    type: 'issued',
    at: grant.createdAt,
    clientId,
    identityId,
    subjectId: grant.id,
    presenter: grant.pair.presenter,
    detail: {
      ...originDetail(grant.origin),
      ...(grant.terms?.parent && { parent: grant.terms.parent.grantId }),
      scope,
      ...(resource && { resource: resource.join(' ') }),
      until: grant.refreshUntil,
    },
  };
}

function originDetail(origin: Origin) {
  const { kind: by } = origin;
  if (by === 'assertion') return { by, tokenIssuer: origin.assertion.tokenIssuer };
  if (by === 'client') return { by, proof: origin.proof };
  if (by !== 'code') return { by };
  return { by, ...(origin.guest && { guest: origin.guest }), ...(origin.proof && { proof: origin.proof }) };
}

/** All resource servers. If the request names an unknown one, reads the store again: it may have been added a moment ago. */
export async function namedResourceServers(
  wanted: readonly string[] | undefined,
  { registry }: Pick<Ports, 'registry'>,
): Promise<readonly ResourceServer[]> {
  const known = registry.resourceServers;
  const isKnown = (audience: string) => known.some((server) => isSameAudience(server.audience, audience));
  return !wanted || wanted.every(isKnown) ? known : registry.lookForResourceServers();
}
