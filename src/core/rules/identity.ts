import type { IdentityState } from '../feed.ts';
import type { Identity } from '../identity.ts';
import type { Integration } from '../integration.ts';
import { accept, type Outcome, refuse } from '../outcome.ts';
import type { Refusal, SharedReason } from '../refusal.ts';
import type { ResourceServer } from '../resource-server.ts';

/** Why this identity may not have a token for this integration; undefined if it may. */
export function whyNotAllowed(identity: Identity | undefined, integration: Integration): SharedReason | undefined {
  if (!identity) return 'identity-unknown';
  if (!identity.enabled) return 'identity-disabled';
  if (!identity.mayUseApi) return 'identity-without-api-access';
  if (!isNamed(identity, integration)) return 'identity-without-integration-access';
  return undefined;
}

/** The identity, if it may have a token for this integration. */
export function allowedIdentity(
  identity: Identity,
  integration: Integration,
): Outcome<Identity, Refusal<SharedReason>> {
  const objection = whyNotAllowed(identity, integration);
  return objection ? refuse(objection) : accept(identity);
}

function isNamed(identity: Identity, { access }: Integration): boolean {
  if (access.to === 'everyone') return true;
  return access.identities.includes(identity.id) || identity.groups.some((group) => access.groups.includes(group));
}

/** The resource server that an identity speaks for. Without `id`: the only one. */
export function spokenForBy(
  { id: identityId, enabled, mayUseApi }: Identity,
  id: string | undefined,
  resourceServers: readonly ResourceServer[],
): ResourceServer | undefined {
  if (!enabled || !mayUseApi) return undefined;
  const [server, ...others] = resourceServers.filter(
    (each) => each.enabled && each.identity === identityId && (id === undefined || each.id === id),
  );
  return others.length === 0 ? server : undefined;
}

/** What an identity may use. Undefined: it no longer exists. */
export function identityAccess(
  identity: Identity | undefined,
  integrations: readonly Integration[],
): Pick<IdentityState, 'isAllowed' | 'except'> {
  const refused: Integration[] = [];
  for (const integration of integrations) {
    const reason = whyNotAllowed(identity, integration);
    // Every other reason holds for all integrations.
    if (reason === 'identity-without-integration-access') refused.push(integration);
    else if (reason) return { isAllowed: false, except: [] };
  }
  return { isAllowed: identity !== undefined, except: refused };
}
