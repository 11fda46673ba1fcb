// Authorization by assertion: every check in its order (RFC 7523 2.1).
import type { AcceptedAssertion } from '../assertion.ts';
import type { ClientId, Integration } from '../integration.ts';
import { accept, type Outcome, refuse } from '../outcome.ts';
import type { ResourceServer } from '../resource-server.ts';
import { parseScope } from '../scope.ts';
import { isSameAudience, type Target } from './audience.ts';
import { requestedTarget, type WantedTarget } from './scope.ts';

/** Without a client id: the one integration that the rule serves (RFC 7523 2.1). */
export function servedIntegration({ rule: { integrations = [] } }: Pick<AcceptedAssertion, 'rule'>): Outcome<ClientId> {
  const [only, ...others] = integrations;
  return only !== undefined && others.length === 0 ? accept(only) : refuse('client-id-missing');
}

/** ID-JAG 5: what an assertion of an enterprise says limits the grant. Others limit nothing. */
export function checkEnterprise(
  { enterprise }: Pick<AcceptedAssertion, 'enterprise'>,
  integration: Integration,
  isAuthenticated: boolean,
  wanted: WantedTarget,
): Outcome<WantedTarget> {
  if (!enterprise) return accept(wanted);
  if (enterprise.clientId !== integration.clientId) return refuse('assertion-of-another-integration');
  if (!isAuthenticated && !integration.publicEnterprise) return refuse('client-authentication-required');
  const { scope, resource } = enterprise;
  if (!(wanted.resource ?? []).every((each) => !resource || resource.some((named) => isSameAudience(named, each))))
    return refuse('resource-differs-from-grant');
  const items = scope?.split(' ').filter((item) => parseScope(item));
  const within = items && parseScope(items.join(';'));
  if (items && !within) return refuse('scope-exceeds-grant');
  return accept({ ...wanted, resource: wanted.resource ?? resource, within });
}

/** The checks of an accepted assertion that need no identity. */
export function checkAssertionUse(
  { rule, enterprise }: Pick<AcceptedAssertion, 'rule' | 'enterprise'>,
  integration: Integration,
  wanted: WantedTarget,
  resourceServers: readonly ResourceServer[],
): Outcome<Target> {
  if (rule.integrations && !rule.integrations.includes(integration.clientId))
    return refuse('token-issuer-not-for-integration');
  const target = requestedTarget(wanted, integration, resourceServers);
  // ID-JAG 5: it names a resource server that does not exist.
  const isOfEnterprise = enterprise && !target.ok && target.refusal.reason === 'resource-unknown';
  return isOfEnterprise ? refuse('assertion-audience-wrong') : target;
}
