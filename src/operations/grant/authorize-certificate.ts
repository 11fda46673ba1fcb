import type { Grant } from '../../core/grant.ts';
import { accept, type Outcome, refuse, refused } from '../../core/outcome.ts';
import type { Presenter } from '../../core/presenter.ts';
import type { OverCap } from '../../core/refusal.ts';
import { decideCertificate } from '../../core/rules/certificate.ts';
import type { WantedTarget } from '../../core/rules/scope.ts';
import type { Decision } from '../../store/store.ts';
import { grants } from '../../store/tables/grants.ts';
import type { CallerPorts } from '../ports.ts';
import { certifyCaller, type Presentation } from './identify-caller.ts';
import { drawGrant, type GrantDraft, issueGrant } from './issue-grant.ts';
import { namedResourceServers } from './named-resource-servers.ts';
import { type DecidedPair, mintPair, type TokenPair } from './token-pair.ts';

export interface CertificateRequest extends Presentation, WantedTarget {
  readonly clientId: string | undefined;
  readonly refresh?: GrantDraft['refresh'];
  readonly presenter: Presenter;
  /** Charged once the caller is identified and may have the grant. */
  readonly overCap?: OverCap;
}

/** rules/certificate.ts has the order of checks. Without a client id, the certificate is not judged. */
export async function authorizeCertificate(
  request: CertificateRequest,
  ports: CallerPorts,
): Promise<Outcome<TokenPair>> {
  const { clientId, scope, resource, presenter } = request;
  const integration = clientId ? await ports.registry.findIntegration(clientId) : undefined;
  const caller = clientId ? await certifyCaller(request, ports) : refuse('client-id-missing');
  const resourceServers = await namedResourceServers(resource, ports);
  const decision = decideCertificate({ clientId, caller, integration, scope, resource, resourceServers });
  if (!decision.ok) return decision;
  const { mark: certificate, identity, thumbprint } = decision.value.caller;
  const limited = request.overCap?.('grants', identity.id);
  if (limited) return refused(limited);
  const origin: Grant['origin'] = { kind: 'certificate', certificate };
  const draft = {
    integration: decision.value.integration,
    identity,
    scope: decision.value.scope.text,
    resource: decision.value.resource,
    origin,
    thumbprint,
    presenter,
    refresh: request.refresh,
  };
  const drawn = drawGrant(ports);
  const decided = await ports.store.create(grants, drawn.id, (now): Decision<Grant, Outcome<DecidedPair>> => {
    const { grant, pair, event } = issueGrant(draft, drawn, now, ports);
    return { outcome: accept(pair), next: grant, events: [event] };
  });
  return mintPair(decided, ports);
}
