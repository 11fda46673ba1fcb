import type { AcceptedAssertion, AssertionVerdict } from '../../core/assertion.ts';
import { firstHalf } from '../../core/hex.ts';
import type { Identity } from '../../core/identity.ts';
import type { Integration } from '../../core/integration.ts';
import { accept, type Outcome, refuse, refused, refusedTo } from '../../core/outcome.ts';
import type { OverCap, Refusal } from '../../core/refusal.ts';
import { checkAssertionUse, checkEnterprise, servedIntegration } from '../../core/rules/assertion.ts';
import { CLOCK_LEEWAY, isExpired } from '../../core/rules/claims.ts';
import { whyUnbound, withFlow } from '../../core/rules/client.ts';
import { allowedIdentity } from '../../core/rules/identity.ts';
import { after, type EpochSeconds, seconds } from '../../core/time.ts';
import type { AssertionRule } from '../../core/token-issuer.ts';
import { type Decision, insert, type StorePort } from '../../store/store.ts';
import { assertions, type UsedAssertion } from '../../store/tables/attempts.ts';
import { grants } from '../../store/tables/grants.ts';
import { sha256 } from '../../tokens/sha256.ts';
import type { AssertionPorts, Ports } from '../ports.ts';
import {
  createGrant,
  drawGrant,
  type GrantDraft,
  type GrantRequest,
  issueGrant,
  namedResourceServers,
} from './issue-grant.ts';
import { derivedIdentity, findNamed, storeDerived } from './seen-identity.ts';
import { mintPair, type TokenPair } from './token-pair.ts';

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
  const accepted = judged(await verdictOn(request.assertion, ports), request.requestId, ports);
  if (!accepted.ok) return accepted;
  const integration = named ?? (await findOnly(accepted.value, ports));
  if (!integration.ok) return integration;
  const drafted = await draftGrant(accepted.value, integration.value, request, ports);
  if (!drafted.ok) return withClaim(drafted.refusal, accepted.value.tokenIssuer.label);
  const limited = request.overCapOf?.(integration.value.clientId)('grants', drafted.value.identity.id);
  if (limited) return refusedTo(drafted.value.identity.id, limited);
  const { tokenIssuer, expiresAt } = accepted.value;
  if (tokenIssuer.assertions !== 'once' && tokenIssuer.kind !== 'enterprise')
    return createGrant(drafted.value, ports, (now) => (isExpired(expiresAt, now) ? 'assertion-expired' : undefined));
  const drawn = drawGrant(ports);
  const decided = await useOnce(accepted.value, ports, (now) => {
    const { grant, pair, event } = issueGrant(drafted.value, drawn, now, ports);
    return { outcome: accept(pair), inserts: [insert(grants, grant)], events: [event] };
  });
  return mintPair(decided, ports);
}

async function findServed(clientId: string, { registry }: AssertionPorts): Promise<Outcome<Integration>> {
  return withFlow(await registry.findIntegration(clientId), 'assertion');
}

async function findOnly(accepted: AcceptedAssertion, ports: AssertionPorts): Promise<Outcome<Integration>> {
  const clientId = servedIntegration(accepted);
  return clientId.ok ? findServed(clientId.value, ports) : clientId;
}

/** The accepted assertion, or why it was refused; the log has the details for operators. */
export function judged(
  verdict: AssertionVerdict,
  requestId: string,
  ports: AssertionPorts,
): Outcome<AcceptedAssertion> {
  if (verdict.outcome.ok) return verdict.outcome;
  ports.logRefusedAssertion(requestId, verdict);
  const { outcome, tokenIssuer, unknownIssuer } = verdict;
  const { refusal } = outcome;
  const named = tokenIssuer ?? ports.registry.allTokenIssuers.find(({ issuer }) => issuer === unknownIssuer);
  const retryAfter = refusal.reason === 'assertion-keys-unavailable' ? { retryAfter: RETRY_AFTER } : {};
  // An integration that signs for itself is no token issuer.
  return withClaim({ ...refusal, ...retryAfter }, named?.kind === 'client' ? undefined : named?.label);
}

function withClaim(refusal: Refusal, label: string | undefined): Outcome<never> {
  return refused(label === undefined ? refusal : { ...refusal, claimed: { ...refusal.claimed, label } });
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
  const workload = await mapWorkload(accepted, ports);
  const identity = workload.ok ? allowedIdentity(workload.value, integration) : workload;
  if (!identity.ok) return workload.ok ? refusedTo(workload.value.id, identity.refusal) : identity;
  const { label, issuer } = accepted.tokenIssuer;
  const subject = firstHalf(sha256(`${issuer}\0${accepted.subject}`));
  return accept({
    integration,
    identity: identity.value,
    target: target.value,
    origin: { kind: 'assertion', assertion: { tokenIssuer: label, subject } },
    presenter: request.presenter,
    jkt: request.jkt,
    // RFC 7521 4.1: the workload gets its next token with its next assertion. ID-JAG 5.2: never by a refresh.
    refresh: accepted.enterprise ? 'never' : 'if-set-by-integration',
  });
}

/** The use of the assertion and what `then` decides are one commit: of any number of requests, one succeeds. */
export function useOnce<T>(
  { mark, expiresAt }: AcceptedAssertion,
  { store }: StorePort,
  then: (now: EpochSeconds) => Decision<never, Outcome<T>>,
): Promise<Outcome<T>> {
  return store.change(assertions, mark, (found, now): Decision<UsedAssertion, Outcome<T>> => {
    if (found) return { outcome: refuse('assertion-used') };
    if (isExpired(expiresAt, now)) return { outcome: refuse('assertion-expired') };
    return { ...then(now), next: { mark, endsAt: after(expiresAt, CLOCK_LEEWAY) } };
  });
}

const LOOKUPS = { 'user-name': 'byUserName', email: 'byEmail', upn: 'byUpn' } as const satisfies Readonly<
  Record<Exclude<AssertionRule['identities'], 'derived'>, string>
>;

/** Maps an accepted assertion to an identity. */
export async function mapWorkload(
  assertion: AcceptedAssertion,
  ports: Pick<Ports, 'store' | 'directories'>,
): Promise<Outcome<Identity>> {
  const { rule, name } = assertion;
  if (rule.identities === 'derived') return accept(await storeDerived(derivedFrom(assertion), 'assertion', ports));
  const { directories } = rule;
  return findNamed({ by: LOOKUPS[rule.identities], name: name.text, directories, of: 'assertion' }, ports);
}

/** From the issuer, the template and each value, preceded by its length: values that join to the same text give different identities. */
function derivedFrom({ tokenIssuer: { label, issuer }, rule, name }: AcceptedAssertion): Identity {
  const parts = [issuer, rule.identity, ...name.values].map((part) => `${Buffer.byteLength(part)}:${part}`);
  return derivedIdentity(label, `assertion\0${parts.join('')}`, name.text);
}
