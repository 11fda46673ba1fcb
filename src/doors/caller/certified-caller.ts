import type { FastifyRequest } from 'fastify';
import type { ApprovedIssuer } from '../../core/issuer.ts';
import type { Outcome } from '../../core/outcome.ts';
import type { CertifiedCaller } from '../../core/rules/certificate.ts';
import { identifyCaller } from '../../operations/grant/identify-caller.ts';
import type { Ports } from '../../operations/ports.ts';
import { endRevoked } from '../../operations/upkeep/end-revoked.ts';
import type { CertificateJudge } from '../../pki/judge/certificate-judge.ts';
import { printStep } from '../../pki/judge/explain.ts';
import { mappingStep } from '../../pki/judge/mapping-step.ts';
import type { Step } from '../../pki/path/step.ts';
import type { PresentedChain } from './presented-certificate.ts';

export interface CallerOptions {
  readonly presented: (request: FastifyRequest) => Outcome<PresentedChain>;
  readonly judge: CertificateJudge;
  readonly ports: Ports;
  readonly tellRefused: (request: FastifyRequest, refused: RefusedCertificate) => void;
}

/** For the operator's log: what was refused, by which rule, and which setting decides. */
export interface RefusedCertificate {
  readonly rule?: string;
  readonly setting?: string;
  /** The approved issuer, where a path leads to one. */
  readonly issuer?: string;
  readonly profile?: string;
  /** In the words of `tessera certificate explain`. */
  readonly steps: readonly string[];
}

function refusedBy(steps: readonly Step[], issuer: ApprovedIssuer | undefined): RefusedCertificate {
  const failed = steps.find(({ passed }) => !passed);
  return {
    ...(failed && { rule: failed.rule, setting: failed.setting ?? 'every profile' }),
    ...(issuer && { issuer: issuer.label, profile: issuer.profile }),
    steps: steps.map(printStep),
  };
}

/** From what the connection presented to the identity that calls: read, validate, map. */
export function certifiedCallers({ presented, judge, ports, tellRefused }: CallerOptions) {
  return async (request: FastifyRequest): Promise<Outcome<CertifiedCaller>> => {
    const given = presented(request);
    if (!given.ok) return given;
    const { outcome, steps, issuer, mark } = await judge.judge(given.value, ports.registry.issuers);
    if (!outcome.ok) {
      tellRefused(request, refusedBy(steps, issuer));
      if (outcome.refusal.reason === 'certificate-revoked' && issuer && mark) await endRevoked(issuer, mark, ports);
      return outcome;
    }
    const caller = await identifyCaller(outcome.value, ports);
    if (!caller.ok) tellRefused(request, refusedBy([...steps, mappingStep(outcome.value, caller)], issuer));
    return caller;
  };
}
