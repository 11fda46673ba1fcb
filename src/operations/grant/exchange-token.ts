import { type Grant, type GrantId, grantState } from '../../core/grant.ts';
import { accept, type Outcome, refuse, refused } from '../../core/outcome.ts';
import type { Presenter } from '../../core/presenter.ts';
import type { OverCap } from '../../core/refusal.ts';
import { decideCertificateCaller } from '../../core/rules/certificate.ts';
import { decideExchange, type ExchangeCaller } from '../../core/rules/exchange.ts';
import type { WantedTarget } from '../../core/rules/scope.ts';
import { type Decision, insert } from '../../store/store.ts';
import { grants } from '../../store/tables/grants.ts';
import type { CallerPorts, Ports } from '../ports.ts';
import type { AuthenticatedClient } from './authenticate-client.ts';
import { type CheckedToken, checkToken } from './check-token.ts';
import { integrationIdentity, storeDerived } from './derived-identity.ts';
import { certifyCaller, type Presentation } from './identify-caller.ts';
import { drawGrant, type GrantDraft, issueGrant } from './issue-grant.ts';
import { namedResourceServers } from './named-resource-servers.ts';
import { type DecidedPair, mintPair, type TokenPair } from './token-pair.ts';

export interface ExchangeRequest extends Presentation, WantedTarget {
  readonly clientId: string;
  /** Undefined: the certificate must prove the caller. */
  readonly client: AuthenticatedClient | undefined;
  readonly subjectToken: string;
  readonly jkt: string | undefined;
  readonly presenter: Presenter;
  readonly overCap?: OverCap;
}

/** RFC 8693: rules/exchange.ts has the checks. */
export async function exchangeToken(request: ExchangeRequest, ports: CallerPorts): Promise<Outcome<TokenPair>> {
  const caller = await identifyCaller(request, ports);
  if (!caller.ok) return caller;
  const subject = await checkToken(request.subjectToken, ports);
  if (!subject.ok) return refuse('subject-token-invalid');
  const decision = decideExchange({
    caller: caller.value,
    subject: subject.value,
    audience: subject.value.token.audience,
    wanted: request,
    resourceServers: await namedResourceServers(request.resource, ports),
  });
  if (!decision.ok) return decision;
  const { grant: parent, token, holder } = subject.value;
  const limited = request.overCap?.('grants', holder.id);
  if (limited) return refused(limited);
  const { integration, thumbprint, jkt } = caller.value;
  const { scope, resource, actor } = decision.value;
  const draft: GrantDraft = {
    integration,
    identity: holder,
    scope: scope.text,
    resource,
    origin: { kind: 'exchange' },
    presenter: request.presenter,
    ...(thumbprint && { thumbprint, isBound: true }),
    jkt,
    terms: { parent: { grantId: parent.id, generation: token.generation }, actor },
    refresh: 'never',
    until: token.expiresAt,
  };
  return mintPair(await issueBelow(parent.id, subject.value, draft, ports), ports);
}

/** By certificate as in authorize-certificate.ts. A client id alone proves nothing. */
async function identifyCaller(request: ExchangeRequest, ports: CallerPorts): Promise<Outcome<ExchangeCaller>> {
  const { client, clientId, jkt, presented, requestId } = request;
  if (client) {
    const identity = await storeDerived(integrationIdentity(client.integration), 'client', ports);
    return accept({ integration: client.integration, identity, jkt });
  }
  const caller = await certifyCaller({ presented, requestId }, ports);
  if (!caller.ok)
    return caller.refusal.reason === 'certificate-missing' ? refuse('client-authentication-required') : caller;
  const integration = decideCertificateCaller(caller.value, await ports.registry.findIntegration(clientId));
  if (!integration.ok) return integration;
  const { identity, thumbprint } = caller.value;
  return accept({ integration: integration.value, identity, thumbprint, jkt });
}

/** The parent is written again in the same commit: one that is revoked meanwhile gets no child that the revocation feed misses. */
function issueBelow(parentId: GrantId, { token }: CheckedToken, draft: GrantDraft, ports: Ports) {
  const drawn = drawGrant(ports);
  return ports.store.change(grants, parentId, (found, now): Decision<Grant, Outcome<DecidedPair>> => {
    const isLive = found && grantState(found.row, now) === 'live' && now < token.expiresAt;
    if (!isLive) return { outcome: refuse('subject-token-invalid') };
    const { grant, pair, event } = issueGrant(draft, drawn, now, ports);
    return { outcome: accept(pair), next: { ...found.row }, inserts: [insert(grants, grant)], events: [event] };
  });
}
