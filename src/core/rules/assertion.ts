// Authorization by assertion: every check in its order (RFC 7523 2.1).
import type { AcceptedAssertion } from '../assertion.ts';
import type { Identity } from '../identity.ts';
import type { Integration } from '../integration.ts';
import { accept, type Outcome, refuse } from '../outcome.ts';
import type { ResourceServer } from '../resource-server.ts';
import type { Target } from './audience.ts';
import { whyNotAllowed } from './identity.ts';
import { requestedTarget, type WantedTarget } from './scope.ts';

/** The checks that need no assertion: they come first, so that an unknown client costs no signature check. */
export function checkAssertionRequest(integration: Integration | undefined): Outcome<Integration> {
  if (!integration) return refuse('integration-unknown');
  if (!integration.enabled) return refuse('integration-disabled');
  if (!integration.flows.assertion) return refuse('assertion-flow-disabled');
  return accept(integration);
}

/** The checks of an accepted assertion that need no identity. */
export function checkAssertionUse(
  { rule }: Pick<AcceptedAssertion, 'rule'>,
  integration: Integration,
  wanted: WantedTarget,
  resourceServers: readonly ResourceServer[],
): Outcome<Target> {
  if (rule.integrations && !rule.integrations.includes(integration.clientId))
    return refuse('token-issuer-not-for-integration');
  return requestedTarget(wanted, integration, resourceServers);
}

export function checkAssertedIdentity(identity: Identity, integration: Integration): Outcome<Identity> {
  const objection = whyNotAllowed(identity, integration);
  return objection ? refuse(objection) : accept(identity);
}
