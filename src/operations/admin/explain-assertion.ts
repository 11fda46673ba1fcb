// The dry run: what the service would make of an assertion. It judges and maps as a request does, and writes nothing.
import type { AssertionJudge } from '../../assertions/assertion-judge.ts';
import type { AcceptedAssertion, AssertionStep, AssertionVerdict } from '../../core/assertion.ts';
import type { Identity } from '../../core/identity.ts';
import type { Outcome } from '../../core/outcome.ts';
import type { RefusalReason } from '../../core/refusal.ts';
import { checkAssertionUse } from '../../core/rules/assertion.ts';
import { withFlow } from '../../core/rules/client.ts';
import { allowedIdentity } from '../../core/rules/identity.ts';
import { WHOLE_SCOPE } from '../../core/rules/scope.ts';
import { type EpochSeconds, isoTime } from '../../core/time.ts';
import type { AssertionSetting } from '../../core/token-issuer.ts';
import { assertions } from '../../store/tables/assertions.ts';
import { LOADED } from '../grant/derived-identity.ts';
import { mapWorkload } from '../grant/identify-workload.ts';
import type { Ports, Registry } from '../ports.ts';

export interface AssertionExplanation {
  readonly accepted: boolean;
  readonly at: string;
  readonly refusal?: { readonly reason: RefusalReason };
  readonly tokenIssuer?: string;
  readonly identityId?: string;
  readonly name?: string;
  readonly steps: readonly AssertionStep[];
  /** For each integration, whether it would grant its whole scope to the workload. */
  readonly reach?: readonly { readonly clientId: string; readonly refusal?: string }[];
}

interface ExplainPorts extends Pick<Ports, 'registry' | 'store' | 'directories'> {
  readonly judge: { readonly judge: (...given: Parameters<AssertionJudge['judge']>) => Promise<AssertionVerdict> };
}

/** `now`: the moment that the judge judges by. */
export async function explainAssertion(
  assertion: string,
  now: EpochSeconds,
  ports: ExplainPorts,
): Promise<AssertionExplanation> {
  const { outcome, steps, tokenIssuer } = await ports.judge.judge(assertion, ports.registry.tokenIssuers);
  const shared = { at: isoTime(now), ...(tokenIssuer && { tokenIssuer: tokenIssuer.label }) };
  if (!outcome.ok) return { ...shared, accepted: false, refusal: { reason: outcome.refusal.reason }, steps };
  const identity = await mapWorkload(outcome.value, ports, LOADED);
  const all = [...steps, await unusedStep(outcome.value, ports), identityStep(outcome.value, identity)];
  const failed = all.find(({ passed }) => !passed);
  if (failed || !identity.ok)
    return { ...shared, accepted: false, refusal: { reason: failed?.reason ?? 'identity-unknown' }, steps: all };
  return {
    ...shared,
    accepted: true,
    identityId: identity.value.id,
    name: outcome.value.name.text,
    steps: all,
    reach: reachOf(outcome.value, identity.value, ports.registry),
  };
}

async function unusedStep({ mark, tokenIssuer }: AcceptedAssertion, { store }: ExplainPorts): Promise<AssertionStep> {
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

function stepOf(
  rule: string,
  passed: boolean,
  words: string,
  setting: AssertionSetting,
  reason: RefusalReason,
): AssertionStep {
  return { rule, passed, about: 'assertion', words, setting, reason };
}

function reachOf(
  assertion: AcceptedAssertion,
  identity: Identity,
  { integrations }: Registry,
): AssertionExplanation['reach'] & {} {
  return integrations.map((integration) => {
    const { clientId } = integration;
    const checks = [
      () => withFlow(integration, 'assertion'),
      () => checkAssertionUse(assertion, integration, { scope: WHOLE_SCOPE }, []),
      () => allowedIdentity(identity, integration),
    ];
    for (const check of checks) {
      const outcome = check();
      if (!outcome.ok) return { clientId, refusal: outcome.refusal.reason };
    }
    return { clientId };
  });
}
