import { accept, type Outcome, refuse, refused } from '../../core/outcome.ts';
import type { ResourceServer } from '../../core/resource-server.ts';
import { decideCertificateCaller } from '../../core/rules/certificate.ts';
import { decideExchange, type ExchangeCaller } from '../../core/rules/exchange.ts';
import { after, earlier, seconds } from '../../core/time.ts';
import type { CallerPorts } from '../ports.ts';
import type { AuthenticatedClient } from './authenticate-client.ts';
import { checkToken } from './check-token.ts';
import { certifyCaller, type Presentation } from './identify-caller.ts';
import { createGrant, type GrantDraft, type GrantRequest, namedResourceServers } from './issue-grant.ts';
import { integrationIdentity, storeDerived } from './seen-identity.ts';
import type { TokenPair } from './token-pair.ts';

/** An API exchanges again with the next call. */
const LONGEST = seconds(3600);

interface ExchangeRequest extends Presentation, GrantRequest {
  readonly clientId: string;
  /** Undefined: the certificate must prove the caller. */
  readonly client: AuthenticatedClient | undefined;
  readonly subjectToken: string;
}

/** RFC 8693: rules/exchange.ts has the checks. */
export async function exchangeToken(request: ExchangeRequest, ports: CallerPorts): Promise<Outcome<TokenPair>> {
  const resourceServers = await namedResourceServers(request.resource, ports);
  const caller = await identifyCaller(request, resourceServers, ports);
  if (!caller.ok) return caller;
  const subject = await checkToken(request.subjectToken, ports);
  if (!subject.ok) return refuse('subject-token-invalid');
  const decision = decideExchange({
    caller: caller.value,
    subject: subject.value,
    audience: subject.value.token.audience,
    wanted: request,
    resourceServers,
  });
  if (!decision.ok) return decision;
  const { grant: parent, token, holder } = subject.value;
  const { integration, identity, thumbprint, jkt } = caller.value;
  // Not to the holder, whose own grants must not suffer from a busy API.
  const limited = request.overCap?.('grants', identity.id);
  if (limited) return refused(limited);
  const draft: GrantDraft = {
    integration,
    identity: holder,
    target: decision.value,
    origin: { kind: 'exchange' },
    presenter: request.presenter,
    ...(thumbprint && { thumbprint, isBound: true }),
    jkt,
    terms: { parent: { grantId: parent.id, generation: token.generation }, actor: decision.value.actor },
    refresh: 'never',
    until: earlier(token.expiresAt, after(ports.clock.now(), LONGEST)),
  };
  return createGrant(draft, ports);
}

/** By certificate as in authorize-certificate.ts. A client id alone proves nothing. */
async function identifyCaller(
  request: ExchangeRequest,
  resourceServers: readonly ResourceServer[],
  ports: CallerPorts,
): Promise<Outcome<ExchangeCaller>> {
  const { client, clientId, jkt, presented, requestId } = request;
  if (client) {
    const identity = await storeDerived(integrationIdentity(client.integration), 'client', ports);
    return accept({ integration: client.integration, identity, jkt });
  }
  const caller = await certifyCaller({ presented, requestId }, ports);
  if (!caller.ok)
    return caller.refusal.reason === 'certificate-missing' ? refuse('client-authentication-required') : caller;
  const found = await ports.registry.findIntegration(clientId);
  const integration = decideCertificateCaller(caller.value, found, resourceServers);
  if (!integration.ok) return integration;
  const { identity, thumbprint } = caller.value;
  return accept({ integration: integration.value, identity, thumbprint, jkt });
}
