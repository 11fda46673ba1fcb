// Dry runs: what the service would make of a certificate, an assertion or a scope. They judge and map as a request does, and write nothing.
import type { AcceptedAssertion, AssertionStep } from '../../core/assertion.ts';
import type { PresentedChain } from '../../core/certificate.ts';
import type { Identity } from '../../core/identity.ts';
import type { Integration } from '../../core/integration.ts';
import type { ApprovedIssuer } from '../../core/issuer.ts';
import { type Outcome, refuse } from '../../core/outcome.ts';
import type { RefusalReason } from '../../core/refusal.ts';
import { checkAssertedIdentity, checkAssertionRequest, checkAssertionUse } from '../../core/rules/assertion.ts';
import { decideCertificate } from '../../core/rules/certificate.ts';
import { requestedTarget, WHOLE_SCOPE } from '../../core/rules/scope.ts';
import { parseScope, scopeItems } from '../../core/scope.ts';
import { type EpochSeconds, isoTime } from '../../core/time.ts';
import type { AssertionSetting } from '../../core/token-issuer.ts';
import type { AcceptedCertificate, Verdict } from '../../core/verdict.ts';
import { type Explanation, explainJudgement } from '../../pki/judge/explain.ts';
import { assertions } from '../../store/tables/attempts.ts';
import { mapWorkload } from '../grant/authorize-assertion.ts';
import { mapCaller, mappingStep } from '../grant/identify-caller.ts';
import { LOADED } from '../grant/seen-identity.ts';
import type { AssertionPorts, Ports, Registry } from '../ports.ts';

interface ExplainPorts<Judge> extends Pick<Ports, 'registry' | 'store' | 'directories'> {
  readonly judge: Judge;
}
type CallerPorts = ExplainPorts<(chain: PresentedChain, issuers: readonly ApprovedIssuer[]) => Promise<Verdict>>;
type WorkloadPorts = ExplainPorts<AssertionPorts['judgeAssertion']>;

/** For each integration, whether it would grant its whole scope. */
type Reach = readonly { readonly clientId: string; readonly refusal?: string }[];

function reachOf({ integrations }: Registry, check: (integration: Integration) => Outcome<unknown>): Reach {
  return integrations.map((integration) => {
    const outcome = check(integration);
    return { clientId: integration.clientId, ...(!outcome.ok && { refusal: outcome.refusal.reason }) };
  });
}

export interface CallerExplanation extends Explanation {
  /** The identity of the caller, if a directory was queried and has it. */
  readonly identityId?: string;
  readonly reach?: Reach;
}

/** `now`: the moment that the judge judges by. */
export async function explainCaller(
  chain: PresentedChain,
  now: EpochSeconds,
  ports: CallerPorts,
): Promise<CallerExplanation> {
  const verdict = await ports.judge(chain, ports.registry.issuers);
  const explanation = explainJudgement({ chain, now }, verdict);
  return verdict.outcome.ok ? explainMapping(explanation, verdict.outcome.value, ports) : explanation;
}

async function explainMapping(
  { at, accepted, issuer, identity, presented, steps: before }: Explanation,
  certificate: AcceptedCertificate,
  ports: CallerPorts,
): Promise<CallerExplanation> {
  const caller = await mapCaller(certificate, ports, LOADED);
  const steps = [...before, mappingStep(certificate, caller)];
  const explanation = { at, presented, steps, ...(issuer && { issuer }), ...(identity && { identity }) };
  if (!caller.ok) return { ...explanation, accepted: false, refusal: { reason: caller.refusal.reason } };
  const { resourceServers } = ports.registry;
  const reach = reachOf(ports.registry, (integration) => {
    const { clientId, scope } = integration;
    return decideCertificate({ clientId, caller, integration, scope: scope.text, resourceServers });
  });
  return { ...explanation, accepted, identityId: caller.value.identity.id, reach };
}

export interface AssertionExplanation {
  readonly accepted: boolean;
  readonly at: string;
  readonly refusal?: { readonly reason: RefusalReason };
  readonly tokenIssuer?: string;
  readonly identityId?: string;
  readonly name?: string;
  readonly steps: readonly AssertionStep[];
  readonly reach?: Reach;
}

/** `now`: the moment that the judge judges by. */
export async function explainAssertion(
  assertion: string,
  now: EpochSeconds,
  ports: WorkloadPorts,
): Promise<AssertionExplanation> {
  const { outcome, steps, tokenIssuer } = await ports.judge(assertion, ports.registry.tokenIssuers);
  const shared = { at: isoTime(now), ...(tokenIssuer && { tokenIssuer: tokenIssuer.label }) };
  if (!outcome.ok) return { ...shared, accepted: false, refusal: { reason: outcome.refusal.reason }, steps };
  const accepted = outcome.value;
  const identity = await mapWorkload(accepted, ports, LOADED);
  const all = [...steps, await unusedStep(accepted, ports), identityStep(accepted, identity)];
  const failed = all.find(({ passed }) => !passed);
  if (failed || !identity.ok)
    return { ...shared, accepted: false, refusal: { reason: failed?.reason ?? 'identity-unknown' }, steps: all };
  const reach = reachOf(ports.registry, (integration) => {
    const served = checkAssertionRequest(integration);
    const used = served.ok ? checkAssertionUse(accepted, integration, { scope: WHOLE_SCOPE }, []) : served;
    return used.ok ? checkAssertedIdentity(identity.value, integration) : used;
  });
  return { ...shared, accepted: true, identityId: identity.value.id, name: accepted.name.text, steps: all, reach };
}

async function unusedStep({ mark, tokenIssuer }: AcceptedAssertion, { store }: WorkloadPorts): Promise<AssertionStep> {
  const isOnce = tokenIssuer.assertions === 'once';
  const isUsed = isOnce && (await store.load(assertions, mark)).found !== undefined;
  const words = isOnce ? `it has not been used${isUsed ? ': it has' : ''}` : 'it may be used until it expires';
  return stepOf('unused', !isUsed, words, 'assertions', 'assertion-used');
}

function identityStep({ rule, name }: AcceptedAssertion, identity: Outcome<Identity>): AssertionStep {
  const demand =
    rule.identities === 'derived'
      ? 'the identity is derived from the claims'
      : `exactly one identity of the directory has this ${rule.identities}`;
  const found = identity.ok ? identity.value.id : identity.refusal.reason;
  const words = `${demand}: ${JSON.stringify(name.text)} is ${found}`;
  const reason = identity.ok ? 'assertion-identity-unknown' : identity.refusal.reason;
  return stepOf('identity', identity.ok, words, 'identities', reason);
}

function stepOf(rule: string, passed: boolean, words: string, setting: AssertionSetting, reason: RefusalReason) {
  return { rule, passed, about: 'assertion', words, setting, reason } as const;
}

export interface ScopeExplanation {
  /** Of the integration. */
  readonly scope?: string;
  readonly items: readonly { readonly item: string; readonly has: boolean }[];
  readonly refusal?: RefusalReason;
}

/** Which parts of a scope an integration has, and what a request for it would be told. */
export function explainScope(clientId: string, wanted: string, registry: Registry): ScopeExplanation {
  const integration = registry.integration(clientId);
  if (!integration) return { items: [], refusal: 'integration-unknown' };
  const outcome: Outcome<unknown> = integration.enabled
    ? requestedTarget({ scope: wanted }, integration, [])
    : refuse('integration-disabled');
  const allowed = new Set(scopeItems(integration.scope));
  const resources = new Set(integration.scope.resources.keys());
  const scope = parseScope(wanted);
  const items = (scope ? scopeItems(scope) : []).map((item) => ({
    item,
    has: allowed.has(item) || (!item.includes(':') && resources.has(item)),
  }));
  return { scope: integration.scope.text, items, ...(!outcome.ok && { refusal: outcome.refusal.reason }) };
}
