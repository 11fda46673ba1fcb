// Checks whether any certificate of a path is revoked, by the approved issuer's revocation policy.
import { hash } from 'node:crypto';
import type { Hex } from '../../core/hex.ts';
import type { ApprovedIssuer, RevocationCheck } from '../../core/issuer.ts';
import { type EpochSeconds, epochSeconds } from '../../core/time.ts';
import type { Step } from '../../core/verdict.ts';
import { describe, judgePath, type Path, roleAt } from '../path/path.ts';
import { authoritiesOf } from '../path/read-issuer.ts';
import { step } from '../path/rule.ts';
import { MOST_INTERMEDIATES, PathSearch } from '../path/search.ts';
import { signerBudget } from '../path/search-budget.ts';
import type { Candidate } from '../x509/candidate.ts';
import { type Certificate, certificateMark } from '../x509/certificate.ts';
import { sameName } from '../x509/distinguished-name.ts';
import type { RevocationList } from './crl.ts';
import {
  checkLists,
  crlIssuersOf,
  maySignLists,
  type RevocationAnswer,
  type SignersOf,
  whyNotTrusted,
} from './crl-check.ts';
import { listAddresses } from './list-addresses.ts';
import { checkResponses, type OcspResponse, responderOf } from './ocsp.ts';

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
  const words = answer.state === 'unknown' ? withLimit(answer.words, certificate, question) : answer.words;
  return [finding('crl', check, about, { ...answer, words }, question.now)];
}

/** A list may be at an address that is not used. */
function withLimit(words: string, certificate: Certificate, { issuer }: RevocationQuestion): string {
  const { named, used } = listAddresses(certificate, issuer.revocation);
  if (named.length === used.length) return words;
  return `${words}; of the ${named.length} addresses of lists that it names, only the first ${used.length} are used`;
}

/** An intermediate without a responder is checked by CRL only; under `required`, a leaf without one is refused. */
function byResponses(question: Asked, certificate: Certificate, above: Path, about: string): RevocationFinding[] {
  const { path, issuer, evidence, now } = question;
  const { ocsp } = issuer.revocation;
  const isChecked = certificate === path.at(-1) || responderOf(certificate) !== undefined;
  if (ocsp === 'off' || !isChecked) return [];
  const judgeDelegate = (delegate: Certificate) => whyNoDelegate(question, above, delegate);
  const pair = { certificate, issuer: above.at(-1) ?? above[0] };
  const answer = checkResponses(pair, evidence.responses, judgeDelegate, now);
  return [finding('ocsp', ocsp, about, answer, now)];
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

export function signersBeside(question: RevocationQuestion): Certificate[] {
  const { path } = question;
  const names = path.slice(1).flatMap((certificate) => [certificate.issuer, ...crlIssuersOf(certificate)]);
  const signers = names.flatMap(listSigners(question));
  return [...new Set(signers)].filter((signer) => !path.includes(signer));
}

export interface RevocationEvidence {
  readonly lists: readonly RevocationList[];
  readonly responses: readonly OcspResponse[];
}

export interface RevocationQuestion {
  readonly path: Path;
  /** Certificates beside the path, sent or registered; a separate CRL signer may be among them. */
  readonly pool: readonly Candidate[];
  readonly issuer: ApprovedIssuer;
  readonly evidence: RevocationEvidence;
  readonly now: EpochSeconds;
}

/**
 * RFC 5280 6.3.3 (f): another key of the issuer, or another CA (an indirect list), may sign a list if certified under the
 * same approved issuer and not revoked. One limited search for the whole verdict, registered certificates first: a
 * caller cannot hide a registered signer behind others.
 */
function listSigners(question: RevocationQuestion): SignersOf {
  let search: SignersOf | undefined;
  return (name) => {
    search ??= searchSigners(question);
    return search(name);
  };
}

function searchSigners(question: RevocationQuestion): SignersOf {
  const { path, now } = question;
  const pool = question.pool.toSorted((a, b) => Number(a.isPresented) - Number(b.isPresented));
  const search = new PathSearch([path[0]], pool, now, MOST_INTERMEDIATES, signerBudget());
  const beside = pool.filter(({ der }) => !path.some((certificate) => Buffer.compare(certificate.der, der) === 0));
  const known = new Map<Candidate, readonly Certificate[]>();
  const signerOf = (candidate: Candidate) => {
    const found = known.get(candidate) ?? validSigner(question, candidate, search);
    known.set(candidate, found);
    return found;
  };
  return (name) => [
    ...path.slice(0, -1).filter(({ subject }) => sameName(subject, name)),
    ...beside.filter((candidate) => search.hasSubject(candidate, name)).flatMap(signerOf),
  ];
}

/** A CRL signer needs a valid path of its own; having a CA's name is not enough. */
function validSigner(
  { issuer, evidence, now }: RevocationQuestion,
  candidate: Candidate,
  search: PathSearch,
): readonly Certificate[] {
  const [found] = search.pathsTo(candidate);
  const signer = found?.at(-1);
  if (!found || signer?.known.basicConstraints?.ca !== true || !maySignLists(signer)) return [];
  if (judgePath(found, issuer, now, 'revocation signer').some(({ passed }) => !passed)) return [];
  return isUnrevoked(found, evidence.lists, now) ? [signer] : [];
}

/** Whether no list names a certificate of this path. Only lists signed by CAs on the path count. */
function isUnrevoked(path: Path, lists: readonly RevocationList[], now: EpochSeconds): boolean {
  return path.slice(1).every((certificate, index) => {
    const above = path.slice(0, index + 1);
    return checkLists(certificate, lists, () => above, now).state !== 'revoked';
  });
}

export interface RevokingList {
  readonly authority: Certificate;
  readonly list: RevocationList;
}

/** The lists that end grants. Equal keys mean the same list and CA. */
export function revokingLists(
  lists: readonly RevocationList[],
  issuers: readonly ApprovedIssuer[],
  sent: readonly { readonly label: string; readonly authority: Certificate }[] = [],
): (RevokingList & { readonly key: string })[] {
  const ending = issuers.filter(({ enabled, revocation: { crl, endGrants } }) => enabled && crl !== 'off' && endGrants);
  const known = sent.filter(({ label }) => ending.some((issuer) => issuer.label === label));
  const authorities = [...ending.flatMap(authoritiesOf), ...known.map(({ authority }) => authority)];
  return authorities.flatMap((authority) =>
    lists
      .filter((list) => !whyNotTrusted(list, [authority]))
      .map((list) => ({ authority, list, key: keyOf(authority, list) })),
  );
}

/** Lazy because lists may be long. Skips entries of the `before` lists. */
export function* marksOf({ authority, list }: RevokingList, before: readonly RevocationList[] = []): Generator<Hex> {
  for (const serial of list.revoked) {
    if (!before.some(({ revoked }) => revoked.has(serial))) yield certificateMark(authority, serial);
  }
}

/** A signature identifies a list. */
function keyOf({ publicKey }: Certificate, { signature }: RevocationList): string {
  return hash('sha256', Buffer.concat([publicKey.spki, signature]));
}
