// Checks whether any certificate of a path is revoked, by the approved issuer's revocation policy.
import type { RevocationCheck } from '../../core/issuer.ts';
import { type EpochSeconds, epochSeconds } from '../../core/time.ts';
import type { Step } from '../../core/verdict.ts';
import { describe, judgePath, type Path, roleAt } from '../path/path.ts';
import { step } from '../path/rule.ts';
import type { Certificate } from '../x509/certificate.ts';
import { checkLists, crlIssuersOf, type RevocationAnswer, type SignersOf } from './crl-check.ts';
import { listSigners, type RevocationQuestion } from './list-signers.ts';
import { checkResponses, responderOf } from './ocsp.ts';

type Asked = RevocationQuestion & { readonly signersOf: SignersOf };

export interface RevocationFinding {
  readonly step: Step;
  readonly until: EpochSeconds;
}

// If no status was available, the check is repeated after this time.
const UNKNOWN_SECONDS = 60;

/** Checks every certificate below the approved issuer. The approved issuer itself is the operator's decision. */
export function judgeRevocation(asked: RevocationQuestion): RevocationFinding[] {
  const question = { ...asked, signersOf: listSigners(asked) };
  return question.path.slice(1).flatMap((certificate, index) => {
    const about = describe(certificate, roleAt(question.path, index + 1));
    const above: Path = [question.path[0], ...question.path.slice(1, index + 1)];
    return [...byLists(question, certificate, about), ...byResponses(question, certificate, above, about)];
  });
}

function byLists(question: Asked, certificate: Certificate, about: string): RevocationFinding[] {
  const check = question.issuer.revocation.crl;
  if (check === 'off') return [];
  const answer = checkLists(certificate, question.evidence.lists, question.signersOf, question.now);
  return [finding('crl', check, about, answer, question.now)];
}

/** An intermediate without a responder is checked by CRL only; under `required`, a leaf without one is refused. */
function byResponses(question: Asked, certificate: Certificate, above: Path, about: string): RevocationFinding[] {
  const {
    path,
    issuer: { revocation },
    evidence,
    now,
  } = question;
  const isChecked = certificate === path.at(-1) || responderOf(certificate) !== undefined;
  if (revocation.ocsp === 'off' || !isChecked) return [];
  const judgeDelegate = (delegate: Certificate) => whyNoDelegate(question, above, delegate);
  const pair = { certificate, issuer: above.at(-1) ?? above[0] };
  const answer = checkResponses(pair, evidence.responses, judgeDelegate, now);
  return [finding('ocsp', revocation.ocsp, about, answer, now)];
}

/** A delegated responder must pass the same rules and lists as a caller. */
function whyNoDelegate(question: Asked, above: Path, delegate: Certificate): string | undefined {
  const { issuer, evidence, now } = question;
  const steps = judgePath([...above, delegate], issuer, now, 'revocation signer');
  const failed = steps.find(({ passed }) => !passed);
  if (failed) return `the OCSP responder is not trusted: ${failed.words}`;
  const { state } = checkLists(delegate, evidence.lists, question.signersOf, now);
  return state === 'revoked' ? 'the OCSP responder is not trusted: a CRL lists it' : undefined;
}

function finding(
  rule: 'crl' | 'ocsp',
  check: Exclude<RevocationCheck, 'off'>,
  about: string,
  { state, words, until }: RevocationAnswer,
  now: EpochSeconds,
): RevocationFinding {
  const passed = state === 'good' || (state === 'unknown' && check === 'if-available');
  const reason = state === 'revoked' ? 'certificate-revoked' : 'certificate-revocation-unknown';
  const setting = `revocation.${rule}: ${check}`;
  const retryAt = epochSeconds(now + UNKNOWN_SECONDS);
  return { step: step(`${rule}-${state}`, passed, about, words, { reason, setting }), until: until ?? retryAt };
}

/** CAs beside the path that may sign lists for its certificates. */
export function signersBeside(question: RevocationQuestion): Certificate[] {
  const { path } = question;
  const names = path.slice(1).flatMap((certificate) => [certificate.issuer, ...crlIssuersOf(certificate)]);
  const signers = names.flatMap(listSigners(question));
  return [...new Set(signers)].filter((signer) => !path.includes(signer));
}
