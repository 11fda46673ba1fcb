import type { FastifyRequest } from 'fastify';
import type { Outcome } from '../core/outcome.ts';
import type { CertifiedCaller } from '../core/rules/certificate.ts';
import { endRevoked } from '../operations/end-revoked.ts';
import { identifyCaller } from '../operations/identify-caller.ts';
import type { Ports } from '../operations/ports.ts';
import type { CertificateJudge } from '../pki/certificate-judge.ts';
import { printStep } from '../pki/explain.ts';
import { mappingStep } from '../pki/mapping-step.ts';
import type { PresentedChain } from './presented-certificate.ts';

export interface CallerOptions {
  readonly presented: (request: FastifyRequest) => Outcome<PresentedChain>;
  readonly judge: CertificateJudge;
  readonly ports: Ports;
  /** The steps of a refused certificate, in the words of `tessera certificate explain`. */
  readonly tellRefused: (request: FastifyRequest, steps: readonly string[]) => void;
}

/** From what the connection presented to the identity that calls: read, validate, map. */
export function certifiedCallers({ presented, judge, ports, tellRefused }: CallerOptions) {
  return async (request: FastifyRequest): Promise<Outcome<CertifiedCaller>> => {
    const given = presented(request);
    if (!given.ok) return given;
    const { outcome, steps, issuer, mark } = await judge.judge(given.value, ports.registry.issuers);
    if (!outcome.ok) {
      tellRefused(request, steps.map(printStep));
      if (outcome.refusal.reason === 'certificate-revoked' && issuer && mark) await endRevoked(issuer, mark, ports);
      return outcome;
    }
    const caller = await identifyCaller(outcome.value, ports);
    if (!caller.ok) tellRefused(request, [...steps, mappingStep(outcome.value, caller)].map(printStep));
    return caller;
  };
}
