import { type Outcome, refuse, refusedTo } from '../../core/outcome.ts';
import { decideCertificate } from '../../core/rules/certificate.ts';
import { whyUnbound } from '../../core/rules/client.ts';
import type { CallerPorts } from '../ports.ts';
import { certifyCaller, type Presentation } from './identify-caller.ts';
import { createGrant, type GrantDraft, type GrantRequest, namedResourceServers } from './issue-grant.ts';
import type { TokenPair } from './token-pair.ts';

export interface CertificateRequest extends Presentation, GrantRequest {
  readonly clientId: string | undefined;
  readonly refresh?: GrantDraft['refresh'];
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
  const { isPlain = false } = request;
  const decision = decideCertificate({ clientId, caller, integration, scope, resource, isPlain, resourceServers });
  if (!decision.ok && caller.ok) {
    const claimed = { ...decision.refusal.claimed, label: caller.value.issuer };
    return refusedTo(caller.value.identity.id, { ...decision.refusal, claimed });
  }
  if (!decision.ok) return decision;
  const unbound = whyUnbound(decision.value.integration, request.jkt);
  if (unbound) return refuse(unbound);
  const { mark: certificate, identity, thumbprint } = decision.value.caller;
  const limited = request.overCap?.('grants', identity.id);
  if (limited) return refusedTo(identity.id, limited);
  const origin = { kind: 'certificate', certificate } as const;
  const { jkt, refresh } = request;
  const draft = { integration: decision.value.integration, identity, target: decision.value, origin, thumbprint };
  return createGrant({ ...draft, jkt, presenter, refresh }, ports);
}
