import { type Outcome, refused } from '../../core/outcome.ts';
import { decideClient } from '../../core/rules/client.ts';
import type { Ports } from '../ports.ts';
import type { AuthenticatedClient } from './authenticate-client.ts';
import { integrationIdentity, storeDerived } from './derived-identity.ts';
import { createGrant, type GrantDraft, type GrantRequest } from './issue-grant.ts';
import { namedResourceServers } from './named-resource-servers.ts';
import type { TokenPair } from './token-pair.ts';

interface ClientGrantRequest extends GrantRequest {
  readonly client: AuthenticatedClient;
}

/** RFC 6749 4.4: a grant of the integration itself, which has authenticated. */
export async function authorizeClient(request: ClientGrantRequest, ports: Ports): Promise<Outcome<TokenPair>> {
  const { client, presenter, resource, overCap, jkt } = request;
  const { integration, proof } = client;
  const identity = await storeDerived(integrationIdentity(integration), 'client', ports);
  const target = decideClient(integration, identity, request, await namedResourceServers(resource, ports));
  if (!target.ok) return target;
  const limited = overCap?.('grants', identity.id);
  if (limited) return refused(limited);
  const draft: GrantDraft = {
    integration,
    identity,
    scope: target.value.scope.text,
    resource: target.value.resource,
    origin: { kind: 'client', proof },
    presenter,
    jkt,
    refresh: 'if-set-by-integration',
  };
  return createGrant(draft, ports);
}
