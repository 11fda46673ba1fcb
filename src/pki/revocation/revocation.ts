// Whether any certificate of a path has been revoked, as the approved issuer's revocation policy asks.
import type { ApprovedIssuer, RevocationCheck } from '../../core/issuer.ts';
import { type EpochSeconds, epochSeconds } from '../../core/time.ts';
import type { Step } from '../../core/verdict.ts';
import { describe, judgePath, type Path, roleAt } from '../path/path.ts';
import { PathSearch } from '../path/search.ts';
import { step } from '../path/step.ts';
import type { Certificate } from '../x509/certificate.ts';
import { sameName } from '../x509/distinguished-name.ts';
import type { RevocationList } from './crl.ts';
import { askLists, crlIssuersOf, maySignLists, type RevocationAnswer, type SignersOf } from './crl-check.ts';
import { askResponses, type OcspResponse, responderOf } from './ocsp.ts';

/** What is known about revocation at a moment, already read. */
export interface RevocationEvidence {
  readonly lists: readonly RevocationList[];
  readonly responses: readonly OcspResponse[];
}

export interface RevocationQuestion {
  readonly path: Path;
  /** Certificates sent beside the path: among them may be that of a separate signer of CRLs. */
  readonly pool: readonly Certificate[];
  readonly issuer: ApprovedIssuer;
  readonly evidence: RevocationEvidence;
  readonly now: EpochSeconds;
}

export interface RevocationFinding {
  readonly step: Step;
  readonly until: EpochSeconds;
}

// Where nobody answered, somebody may soon: what was let pass is asked about again.
const UNKNOWN_SECONDS = 60;

/** Every certificate below the approved issuer, whose own fate is the operator's decision. */
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
  const answer = askLists(certificate, question.evidence.lists, signersOf(question), question.now);
  return [finding('crl', check, about, answer, question.now)];
}

/** An intermediate that names no responder is left to the CRL; a leaf under `required` is not. */
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
  const isAsked = certificate === path.at(-1) || responderOf(certificate) !== undefined;
  if (revocation.ocsp === 'off' || !isAsked) return [];
  const judgeDelegate = (delegate: Certificate) => whyNoDelegate(question, above, delegate);
  const pair = { certificate, issuer: above.at(-1) ?? above[0] };
  const answer = askResponses(pair, evidence.responses, judgeDelegate, now);
  return [finding('ocsp', revocation.ocsp, about, answer, now)];
}

/** A delegated responder is judged by the rules and lists that everyone is judged by. */
function whyNoDelegate(question: RevocationQuestion, above: Path, delegate: Certificate): string | undefined {
  const { issuer, evidence, now } = question;
  const steps = judgePath([...above, delegate], issuer, now, 'revocation signer');
  const failed = steps.find(({ passed }) => !passed);
  if (failed) return `the OCSP responder is not believed: ${failed.words}`;
  const { state } = askLists(delegate, evidence.lists, signersOf(question), now);
  return state === 'revoked' ? 'the OCSP responder is not believed: a CRL lists it' : undefined;
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
  const asked = epochSeconds(now + UNKNOWN_SECONDS);
  return { step: step(`${rule}-${state}`, passed, about, words, { reason, setting }), until: until ?? asked };
}

/**
 * RFC 5280 6.3.3 (f): a list may be signed with another key of the issuer (key rollover, separate keys for lists), or by
 * another authority (an indirect list), if that key is certified under the same approved issuer and not itself revoked.
 */
function signersOf(question: RevocationQuestion): SignersOf {
  const { path, pool } = question;
  return (name) => {
    const onPath = path.slice(0, -1).filter(({ subject }) => sameName(subject, name));
    const beside = pool.filter((candidate) => !path.includes(candidate) && sameName(candidate.subject, name));
    return [...onPath, ...beside.filter((candidate) => isValidSigner(question, candidate))];
  };
}

/** Authorities beside the path that may sign lists about certificates on it. */
export function signersBeside(question: RevocationQuestion): Certificate[] {
  const { path } = question;
  const names = path.slice(1).flatMap((certificate) => [certificate.issuer, ...crlIssuersOf(certificate)]);
  const signers = names.flatMap(signersOf(question));
  return [...new Set(signers)].filter((signer) => !path.includes(signer));
}

/** A signer of lists is an authority by a path of its own: a name like an authority's is not enough. */
function isValidSigner({ path, pool, issuer, evidence, now }: RevocationQuestion, candidate: Certificate): boolean {
  if (candidate.known.basicConstraints?.ca !== true || !maySignLists(candidate)) return false;
  const [found] = new PathSearch([path[0]], pool).pathsTo(candidate);
  if (!found || judgePath(found, issuer, now, 'revocation signer').some(({ passed }) => !passed)) return false;
  return isUnrevoked(found, evidence.lists, now);
}

/** No list at hand names a certificate of this path. Lists count as far as the path itself has signed them. */
function isUnrevoked(path: Path, lists: readonly RevocationList[], now: EpochSeconds): boolean {
  return path.slice(1).every((certificate, index) => {
    const above = path.slice(0, index + 1);
    return askLists(certificate, lists, () => above, now).state !== 'revoked';
  });
}
