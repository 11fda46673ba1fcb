// Checks whether any certificate of a path is revoked, by the approved issuer's revocation policy.
import type { ApprovedIssuer, RevocationCheck } from '../../core/issuer.ts';
import { type EpochSeconds, epochSeconds } from '../../core/time.ts';
import type { Step } from '../../core/verdict.ts';
import { describe, judgePath, type Path, roleAt } from '../path/path.ts';
import { PathSearch } from '../path/search.ts';
import { step } from '../path/step.ts';
import type { Certificate } from '../x509/certificate.ts';
import { sameName } from '../x509/distinguished-name.ts';
import type { RevocationList } from './crl.ts';
import { checkLists, crlIssuersOf, maySignLists, type RevocationAnswer, type SignersOf } from './crl-check.ts';
import { checkResponses, type OcspResponse, responderOf } from './ocsp.ts';

/** The parsed revocation data available at a given time. */
export interface RevocationEvidence {
  readonly lists: readonly RevocationList[];
  readonly responses: readonly OcspResponse[];
}

export interface RevocationQuestion {
  readonly path: Path;
  /** Certificates sent alongside the path; a separate CRL signer may be among them. */
  readonly pool: () => readonly Certificate[];
  readonly issuer: ApprovedIssuer;
  readonly evidence: RevocationEvidence;
  readonly now: EpochSeconds;
}

export interface RevocationFinding {
  readonly step: Step;
  readonly until: EpochSeconds;
}

// If no status was available, the check is repeated after this time.
const UNKNOWN_SECONDS = 60;

/** Checks every certificate below the approved issuer. The approved issuer itself is the operator's decision. */
export function judgeRevocation(question: RevocationQuestion): RevocationFinding[] {
  return question.path.slice(1).flatMap((certificate, index) => {
    const about = describe(certificate, roleAt(question.path, index + 1));
    const above: Path = [question.path[0], ...question.path.slice(1, index + 1)];
    return [...byLists(question, certificate, about), ...byResponses(question, certificate, above, about)];
  });
}

function byLists(question: RevocationQuestion, certificate: Certificate, about: string): RevocationFinding[] {
  const check = question.issuer.revocation.crl;
  if (check === 'off') return [];
  const answer = checkLists(certificate, question.evidence.lists, signersOf(question), question.now);
  return [finding('crl', check, about, answer, question.now)];
}

/** An intermediate without a responder is checked by CRL only; under `required`, a leaf without one is refused. */
function byResponses(
  question: RevocationQuestion,
  certificate: Certificate,
  above: Path,
  about: string,
): RevocationFinding[] {
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
function whyNoDelegate(question: RevocationQuestion, above: Path, delegate: Certificate): string | undefined {
  const { issuer, evidence, now } = question;
  const steps = judgePath([...above, delegate], issuer, now, 'revocation signer');
  const failed = steps.find(({ passed }) => !passed);
  if (failed) return `the OCSP responder is not trusted: ${failed.words}`;
  const { state } = checkLists(delegate, evidence.lists, signersOf(question), now);
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

/**
 * RFC 5280 6.3.3 (f): a list may be signed with another key of the issuer (key rollover, separate CRL keys) or by
 * another CA (an indirect list), if that key is certified under the same approved issuer and not itself revoked.
 */
function signersOf(question: RevocationQuestion): SignersOf {
  const { path, pool } = question;
  return (name) => {
    const onPath = path.slice(0, -1).filter(({ subject }) => sameName(subject, name));
    const beside = pool().filter((candidate) => !path.includes(candidate) && sameName(candidate.subject, name));
    return [...onPath, ...beside.filter((candidate) => isValidSigner(question, candidate))];
  };
}

/** CAs beside the path that may sign lists for its certificates. */
export function signersBeside(question: RevocationQuestion): Certificate[] {
  const { path } = question;
  const names = path.slice(1).flatMap((certificate) => [certificate.issuer, ...crlIssuersOf(certificate)]);
  const signers = names.flatMap(signersOf(question));
  return [...new Set(signers)].filter((signer) => !path.includes(signer));
}

/** A CRL signer needs a valid path of its own; having a CA's name is not enough. */
function isValidSigner({ path, pool, issuer, evidence, now }: RevocationQuestion, candidate: Certificate): boolean {
  if (candidate.known.basicConstraints?.ca !== true || !maySignLists(candidate)) return false;
  const [found] = new PathSearch([path[0]], pool()).pathsTo(candidate);
  if (!found || judgePath(found, issuer, now, 'revocation signer').some(({ passed }) => !passed)) return false;
  return isUnrevoked(found, evidence.lists, now);
}

/** Whether no list names a certificate of this path. Only lists signed by CAs on the path count. */
function isUnrevoked(path: Path, lists: readonly RevocationList[], now: EpochSeconds): boolean {
  return path.slice(1).every((certificate, index) => {
    const above = path.slice(0, index + 1);
    return checkLists(certificate, lists, () => above, now).state !== 'revoked';
  });
}
