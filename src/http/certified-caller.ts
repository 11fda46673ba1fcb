import type { FastifyRequest } from 'fastify';
import type { ApprovedIssuer } from '../core/issuer.ts';
import { type Outcome, refuse } from '../core/outcome.ts';
import type { CertifiedCaller } from '../core/rules/certificate.ts';
import { endRevoked } from '../operations/end-revoked.ts';
import { identifyCaller } from '../operations/identify-caller.ts';
import type { Ports } from '../operations/ports.ts';
import { isSelfIssued, isSelfSigned, readCertificate } from '../pki/certificate.ts';
import type { CertificateJudge } from '../pki/certificate-judge.ts';
import { printStep } from '../pki/explain.ts';
import { mappingStep, opensslStep } from '../pki/mapping-step.ts';
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
    const { outcome, steps, issuer, mark } = await judge.judge(given.value.chain, ports.registry.issuers);
    if (!outcome.ok) {
      tellRefused(request, steps.map(printStep));
      if (outcome.refusal.reason === 'certificate-revoked' && issuer && mark) await endRevoked(issuer, mark, ports);
      return outcome;
    }
    // Ours decides, and where OpenSSL can judge as well, it must agree.
    if (given.value.openssl?.agrees === false && isRoot(outcome.value.issuer)) {
      tellRefused(request, [...steps, opensslStep(outcome.value.issuer)].map(printStep));
      return refuse('certificate-refused-by-policy', { rule: 'openssl-agrees' });
    }
    const caller = await identifyCaller(outcome.value, ports);
    if (!caller.ok) tellRefused(request, [...steps, mappingStep(outcome.value, caller)].map(printStep));
    return caller;
  };
}

const roots = new WeakMap<ApprovedIssuer, boolean>();

/** OpenSSL knows no anchor but a self-signed one. */
function isRoot(issuer: ApprovedIssuer): boolean {
  let root = roots.get(issuer);
  if (root === undefined) {
    const certificate = readCertificate(issuer.certificate);
    root = certificate.ok && isSelfIssued(certificate.value) && isSelfSigned(certificate.value);
    roots.set(issuer, root);
  }
  return root;
}
