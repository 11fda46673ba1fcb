import type { ApprovedIssuer } from '../core/issuer.ts';
import { refuse } from '../core/outcome.ts';
import { type Certificate, isSelfIssued, isSelfSigned } from './certificate.ts';
import { escapeText } from './distinguished-name.ts';
import type { Judgement } from './judge.ts';
import { type Step, step } from './step.ts';

/** What OpenSSL made of the handshake, where it was with us. */
export interface OpensslVerdict {
  readonly agrees: boolean;
}

/** Ours decides, and where OpenSSL can judge as well, it must agree. */
export function heedOpenssl(judgement: Judgement, openssl: OpensslVerdict | undefined): Judgement {
  const { outcome, path, steps } = judgement;
  if (!outcome.ok || !path || openssl?.agrees !== false || !isKnownToOpenssl(path[0])) return judgement;
  const failed = disagreement(outcome.value.issuer);
  return { ...judgement, outcome: refuse(failed.reason, { rule: failed.rule }), steps: [...steps, failed] };
}

/** OpenSSL knows no anchor but a self-signed one. */
function isKnownToOpenssl(anchor: Certificate): boolean {
  return isSelfIssued(anchor) && isSelfSigned(anchor);
}

function disagreement(issuer: ApprovedIssuer): Step {
  const about = `approved issuer "${escapeText(issuer.label)}"`;
  return step('openssl-agrees', false, about, 'OpenSSL, which judged the handshake too, accepts the certificate');
}
