import { accessTokenIssuedAt, type Grant, type GrantId, tokenId } from '../../core/grant.ts';
import { type Identity, isLocal } from '../../core/identity.ts';
import { accept, type Outcome, refuse, refused } from '../../core/outcome.ts';
import type { Refusal } from '../../core/refusal.ts';
import type { ResourceServer } from '../../core/resource-server.ts';
import { type CheckedAccess, decideCheck } from '../../core/rules/access.ts';
import { scopeSeenBy } from '../../core/rules/audience.ts';
import { scopeOfExchanged } from '../../core/rules/exchange.ts';
import type { Scope } from '../../core/scope.ts';
import { settingsFor } from '../../core/settings.ts';
import type { EpochSeconds } from '../../core/time.ts';
import type { Loaded } from '../../store/store.ts';
import { grants } from '../../store/tables/grants.ts';
import { identities } from '../../store/tables/identities.ts';
import { type ReadAccessToken, readAccessToken } from '../../tokens/access-token.ts';
import { thumbprintText } from '../../tokens/jwt/claims.ts';
import type { Ports } from '../ports.ts';
import { failIfKeyMissing } from './missing-key.ts';
import { recheck } from './seen-identity.ts';

export interface CheckedToken extends CheckedAccess {
  readonly token: ReadAccessToken;
  readonly issuedAt: EpochSeconds;
  /** When it was checked, by the clock of the store. */
  readonly now: EpochSeconds;
  /** The thumbprint of the certificate that it is bound to, if it is: an API must see this certificate. */
  readonly boundTo: string | undefined;
  /** The key that it is bound to, if it is: an API must see a DPoP proof with this key. */
  readonly jkt: string | undefined;
}

/** Always reads the store, so a revocation takes effect at once. `overLimit` is charged before that: its argument says whether we minted the token. */
export async function checkToken(
  accessToken: string,
  ports: Ports,
  overLimit?: (isAuthentic: boolean) => Refusal | undefined,
): Promise<Outcome<CheckedToken>> {
  const token = readAccessToken(accessToken, ports);
  const limited = overLimit?.(token !== undefined);
  if (limited) return refused(limited);
  if (!token) {
    await failIfKeyMissing(accessToken, ports);
    return refuse('access-token-not-authentic');
  }
  const { found, now } = await loadGrant(token.grantId, ports);
  const grant = found && token.isOf(found.row) ? found.row : undefined;
  const { registry } = ports;
  const integration =
    grant && (registry.integration(grant.clientId) ?? (await registry.findIntegration(grant.clientId)));
  if (grant && token.generation > grant.pair.generation) await ports.explainLoss?.(grant);
  const { settings } = ports;
  const decision = decideCheck({ token, grant, holder: found?.companion, integration, settings, now });
  if (!decision.ok) return decision;
  const access = decision.value;
  const isExchanged = access.grant.terms?.parent !== undefined;
  const scope = isExchanged ? await scopeOfParents(access, token.expiresAt, now, ports) : accept(access.scope);
  if (!scope.ok) return scope;
  const { thumbprint } = access.binding;
  const ownSettings = settingsFor(access.integration, settings, { format: access.grant.format });
  return accept({
    ...access,
    scope: scope.value,
    token,
    now,
    issuedAt: accessTokenIssuedAt(token, access.grant, ownSettings),
    boundTo: thumbprint && thumbprintText(thumbprint),
    jkt: access.grant.terms?.jkt,
  });
}

/** The grant with its holder, who is looked for in their directory again if that was long ago. */
async function loadGrant(id: GrantId, ports: Ports): Promise<Loaded<Grant, Identity>> {
  const loaded = await ports.store.load(grants, id);
  const holder = loaded.found?.companion;
  if (!holder || !ports.directories.isDue(holder, loaded.now)) return loaded;
  await recheck(holder, loaded.now, ports);
  return ports.store.load(grants, id);
}

/** An exchanged token is good only as long as the token that it was exchanged for, and allows no more (RFC 8693). */
async function scopeOfParents(
  access: CheckedAccess,
  expiresAt: EpochSeconds,
  now: EpochSeconds,
  ports: Ports,
): Promise<Outcome<Scope>> {
  const { parent, actor } = access.grant.terms ?? {};
  if (!parent) return accept(access.scope);
  const { found } = await loadGrant(parent.grantId, ports);
  const integration = found && (await ports.registry.findIntegration(found.row.clientId));
  const token = { generation: parent.generation, expiresAt };
  const { settings } = ports;
  const facts = { token, grant: found?.row, holder: found?.companion, integration, settings, now };
  const checked = decideCheck(facts);
  if (!checked.ok) return checked;
  const limit = await scopeOfParents(checked.value, expiresAt, now, ports);
  if (!limit.ok) return limit;
  const by = actor && (await ports.store.load(identities, actor.identityId)).found?.row;
  return scopeOfExchanged(access, { ...checked.value, scope: limit.value }, by, ports.registry.resourceServers);
}

/** What a resource server learns of a live access token. */
export interface Introspection extends Pick<CheckedToken, 'grant' | 'boundTo' | 'jkt' | 'issuedAt'> {
  /** Limited to what the resource server serves. */
  readonly scope: Scope;
  /** Of a person. */
  readonly userName: string | undefined;
  readonly tokenId: string;
  readonly expiresAt: EpochSeconds;
}

/** RFC 7662. Undefined for anything but a live access token for this resource server, which does not learn why. */
export async function introspectToken(
  token: string,
  server: ResourceServer,
  ports: Ports,
): Promise<Introspection | undefined> {
  const checked = await checkToken(token, ports);
  if (!checked.ok) return undefined;
  const { grant, holder, boundTo, jkt, issuedAt, token: read } = checked.value;
  const scope = scopeSeenBy(server, checked.value.scope, read.audience ?? grant.resource);
  if (!scope) return undefined;
  const { generation, expiresAt } = read;
  // Identities that are derived from certificates are machines.
  const userName = isLocal(holder) ? holder.userName : undefined;
  return { grant, scope, userName, tokenId: tokenId(grant, generation), boundTo, jkt, issuedAt, expiresAt };
}
