import type { Grant } from '../../core/grant.ts';
import { accept, type Outcome, refuse, refused } from '../../core/outcome.ts';
import type { Presenter } from '../../core/presenter.ts';
import type { Refusal } from '../../core/refusal.ts';
import { decideCertificate } from '../../core/rules/certificate.ts';
import { grants } from '../../store/tables/grants.ts';
import type { CallerPorts } from '../ports.ts';
import { certifyCaller, type Presentation } from './identify-caller.ts';
import { drawGrant, issueGrant } from './issue-grant.ts';
import type { TokenPair } from './token-pair.ts';

export interface CertificateRequest extends Presentation {
  readonly clientId: string | undefined;
  readonly scope: string | undefined;
  readonly presenter: Presenter;
  /** Charged once the caller is identified and may have the grant. */
  readonly overLimit?: (clientId: string) => Refusal | undefined;
}

/** rules/certificate.ts has the order of checks. Without a client id, the certificate is not judged. */
export async function authorizeCertificate(
  request: CertificateRequest,
  ports: CallerPorts,
): Promise<Outcome<TokenPair>> {
  const { clientId, scope, presenter } = request;
  const integration = clientId ? ports.registry.integration(clientId) : undefined;
  const caller = clientId ? await certifyCaller(request, ports) : refuse('client-id-missing');
  const decision = decideCertificate({ clientId, caller, integration, scope });
  if (!decision.ok) return decision;
  const limited = request.overLimit?.(decision.value.integration.clientId);
  if (limited) return refused(limited);
  const { mark: certificate, identity } = decision.value.caller;
  const origin: Grant['origin'] = { kind: 'certificate', certificate };
  const draft = {
    integration: decision.value.integration,
    identity,
    scope: decision.value.scope.text,
    origin,
    presenter,
  };
  const drawn = drawGrant(ports);
  return ports.store.create(grants, drawn.id, (now) => {
    const { grant, pair, event } = issueGrant(draft, drawn, now, ports);
    return { outcome: accept(pair), next: grant, events: [event] };
  });
}
