// The dry run: what the service would make of a certificate. It judges and maps as a request does, and writes nothing.
import type { PresentedChain } from '../../core/certificate.ts';
import type { Outcome } from '../../core/outcome.ts';
import { type CertifiedCaller, decideCertificate } from '../../core/rules/certificate.ts';
import type { EpochSeconds } from '../../core/time.ts';
import type { AcceptedCertificate, Verdict } from '../../core/verdict.ts';
import type { CertificateJudge } from '../../pki/judge/certificate-judge.ts';
import { type Explanation, explainJudgement } from '../../pki/judge/explain.ts';
import { mapCaller, mappingStep } from '../grant/identify-caller.ts';
import { LOADED } from '../grant/seen-identity.ts';
import type { Ports, Registry } from '../ports.ts';

export interface CallerExplanation extends Explanation {
  /** The identity of the caller, if a directory was queried and has it. */
  readonly identityId?: string;
  /** For each integration, whether it would grant its whole scope to the caller. */
  readonly reach?: readonly { readonly clientId: string; readonly refusal?: string }[];
}

interface ExplainPorts extends Pick<Ports, 'registry' | 'store' | 'directories'> {
  readonly judge: { readonly judge: (...given: Parameters<CertificateJudge['judge']>) => Promise<Verdict> };
}

/** `now`: the moment that the judge judges by. */
export async function explainCaller(
  chain: PresentedChain,
  now: EpochSeconds,
  ports: ExplainPorts,
): Promise<CallerExplanation> {
  const verdict = await ports.judge.judge(chain, ports.registry.issuers);
  const explanation = explainJudgement({ chain, now }, verdict);
  return verdict.outcome.ok ? explainMapping(explanation, verdict.outcome.value, ports) : explanation;
}

async function explainMapping(
  { at, accepted, issuer, identity, presented, steps: before }: Explanation,
  certificate: AcceptedCertificate,
  ports: ExplainPorts,
): Promise<CallerExplanation> {
  const caller = await mapCaller(certificate, ports, LOADED);
  const steps = [...before, mappingStep(certificate, caller)];
  const explanation = { at, presented, steps, ...(issuer && { issuer }), ...(identity && { identity }) };
  if (!caller.ok) return { ...explanation, accepted: false, refusal: { reason: caller.refusal.reason } };
  return { ...explanation, accepted, identityId: caller.value.identity.id, reach: reachOf(caller, ports.registry) };
}

function reachOf(
  caller: Outcome<CertifiedCaller>,
  { integrations, resourceServers }: Registry,
): CallerExplanation['reach'] & {} {
  return integrations.map((integration) => {
    const { clientId, scope } = integration;
    const decision = decideCertificate({ clientId, caller, integration, scope: scope.text, resourceServers });
    return decision.ok ? { clientId } : { clientId, refusal: decision.refusal.reason };
  });
}
