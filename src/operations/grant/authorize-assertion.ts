import type { AcceptedAssertion, AssertionVerdict } from '../../core/assertion.ts';
import type { Grant } from '../../core/grant.ts';
import { firstHalf } from '../../core/hex.ts';
import type { Integration } from '../../core/integration.ts';
import { accept, type Outcome, refuse, refused, refusedTo } from '../../core/outcome.ts';
import type { OverCap, Refusal } from '../../core/refusal.ts';
import { checkAssertionUse, checkEnterprise, servedIntegration } from '../../core/rules/assertion.ts';
import { CLOCK_LEEWAY, isExpired } from '../../core/rules/claims.ts';
import { whyUnbound, withFlow } from '../../core/rules/client.ts';
import { allowedIdentity } from '../../core/rules/identity.ts';
import { after, seconds } from '../../core/time.ts';
import { type Decision, insert } from '../../store/store.ts';
import { assertions, type UsedAssertion } from '../../store/tables/assertions.ts';
import { grants } from '../../store/tables/grants.ts';
import { sha256 } from '../../tokens/sha256.ts';
import type { AssertionPorts } from '../ports.ts';
import { STORED } from './derived-identity.ts';
import { mapWorkload } from './identify-workload.ts';
import { createGrant, drawGrant, type GrantDraft, type GrantRequest, issueGrant } from './issue-grant.ts';
import { namedResourceServers } from './named-resource-servers.ts';
import { type DecidedPair, mintPair, type TokenPair } from './token-pair.ts';

export interface AssertionRequest extends Omit<GrantRequest, 'overCap'> {
  /** Undefined: the integration follows from the rule that matches. */
  readonly clientId: string | undefined;
  /** Whether that integration has authenticated. */
  readonly isAuthenticated?: boolean;
  readonly assertion: string;
  readonly requestId: string;
  readonly overCapOf?: (clientId: string) => OverCap;
}

/** When to ask again if the keys of a token issuer could not be fetched. */
const RETRY_AFTER = seconds(10);

/** RFC 7523 2.1. rules/assertion.ts and rules/claims.ts have the checks. */
export async function authorizeAssertion(
  request: AssertionRequest,
  ports: AssertionPorts,
): Promise<Outcome<TokenPair>> {
  const named = request.clientId === undefined ? undefined : await findServed(request.clientId, ports);
  if (named?.ok === false) return named;
  const accepted = await judge(request, ports);
  if (!accepted.ok) return accepted;
  const integration = named ?? (await findOnly(accepted.value, ports));
  if (!integration.ok) return integration;
  const drafted = await draftGrant(accepted.value, integration.value, request, ports);
  if (!drafted.ok) return drafted;
  const limited = request.overCapOf?.(integration.value.clientId)('grants', drafted.value.identity.id);
  if (limited) return refusedTo(drafted.value.identity.id, limited);
  const { assertions: use, kind } = accepted.value.tokenIssuer;
  if (use === 'once' || kind === 'enterprise')
    return mintPair(await issueOnce(accepted.value, drafted.value, ports), ports);
  const { expiresAt } = accepted.value;
  return createGrant(drafted.value, ports, (now) => (isExpired(expiresAt, now) ? 'assertion-expired' : undefined));
}

async function findServed(clientId: string, { registry }: AssertionPorts): Promise<Outcome<Integration>> {
  return withFlow(await registry.findIntegration(clientId), 'assertion');
}

async function findOnly(accepted: AcceptedAssertion, ports: AssertionPorts): Promise<Outcome<Integration>> {
  const clientId = servedIntegration(accepted);
  return clientId.ok ? findServed(clientId.value, ports) : clientId;
}

async function judge(
  { assertion, requestId }: AssertionRequest,
  ports: AssertionPorts,
): Promise<Outcome<AcceptedAssertion>> {
  const verdict = await verdictOn(assertion, ports);
  if (verdict.outcome.ok) return verdict.outcome;
  ports.logRefusedAssertion(requestId, verdict);
  return withRetry(verdict.outcome.refusal);
}

/** A token issuer that is unknown may have been added a moment ago. */
async function verdictOn(assertion: string, { judgeAssertion, registry }: AssertionPorts): Promise<AssertionVerdict> {
  const { tokenIssuers } = registry;
  const verdict = await judgeAssertion(assertion, tokenIssuers);
  if (verdict.outcome.ok || verdict.outcome.refusal.reason !== 'assertion-issuer-unknown') return verdict;
  const newest = await registry.lookForTokenIssuers();
  return newest === tokenIssuers ? verdict : judgeAssertion(assertion, newest);
}

async function draftGrant(
  accepted: AcceptedAssertion,
  integration: Integration,
  request: AssertionRequest,
  ports: AssertionPorts,
): Promise<Outcome<GrantDraft>> {
  const unbound = whyUnbound(integration, request.jkt);
  if (unbound) return refuse(unbound);
  const wanted = checkEnterprise(accepted, integration, request.isAuthenticated ?? false, request);
  if (!wanted.ok) return wanted;
  const resourceServers = await namedResourceServers(wanted.value.resource, ports);
  const target = checkAssertionUse(accepted, integration, wanted.value, resourceServers);
  if (!target.ok) return target;
  const workload = await mapWorkload(accepted, ports, STORED);
  const identity = workload.ok ? allowedIdentity(workload.value, integration) : workload;
  if (!identity.ok) return workload.ok ? refusedTo(workload.value.id, identity.refusal) : identity;
  return accept({
    integration,
    identity: identity.value,
    scope: target.value.scope.text,
    resource: target.value.resource,
    origin: originOf(accepted),
    presenter: request.presenter,
    jkt: request.jkt,
    // RFC 7521 4.1: the workload gets its next token with its next assertion. ID-JAG 5.2: never by a refresh.
    refresh: accepted.enterprise ? 'never' : 'if-set-by-integration',
  });
}

/** The use of the assertion and the grant are one commit: of any number of requests, one gets the grant. */
function issueOnce(
  { mark, expiresAt }: AcceptedAssertion,
  draft: GrantDraft,
  ports: AssertionPorts,
): Promise<Outcome<DecidedPair>> {
  const drawn = drawGrant(ports);
  return ports.store.change(assertions, mark, (found, now): Decision<UsedAssertion, Outcome<DecidedPair>> => {
    if (found) return { outcome: refuse('assertion-used') };
    if (isExpired(expiresAt, now)) return { outcome: refuse('assertion-expired') };
    const { grant, pair, event } = issueGrant(draft, drawn, now, ports);
    const next = { mark, endsAt: after(expiresAt, CLOCK_LEEWAY) };
    return { outcome: accept(pair), next, inserts: [insert(grants, grant)], events: [event] };
  });
}

function originOf({ tokenIssuer: { label, issuer }, subject }: AcceptedAssertion): Grant['origin'] {
  const assertion = { tokenIssuer: label, subject: firstHalf(sha256(`${issuer}\0${subject}`)) };
  return { kind: 'assertion', assertion };
}

export function withRetry(refusal: Refusal): Outcome<never> {
  return refused(refusal.reason === 'assertion-keys-unavailable' ? { ...refusal, retryAfter: RETRY_AFTER } : refusal);
}
