// Who may sign the CRLs for a path. RFC 5280 6.3.3 (f): a list may be signed with another key of the issuer (key rollover,
// separate CRL keys) or by another CA (an indirect list), if that key is certified under the same approved issuer and
// not itself revoked.
import type { ApprovedIssuer } from '../../core/issuer.ts';
import type { EpochSeconds } from '../../core/time.ts';
import { judgePath, type Path } from '../path/path.ts';
import { PathSearch, SEARCH_LIMITS } from '../path/search.ts';
import { signerBudget } from '../path/search-budget.ts';
import type { Candidate } from '../x509/candidate.ts';
import type { Certificate } from '../x509/certificate.ts';
import { sameName } from '../x509/distinguished-name.ts';
import type { RevocationList } from './crl.ts';
import { checkLists, maySignLists, type SignersOf } from './crl-check.ts';
import type { OcspResponse } from './ocsp.ts';

/** The parsed revocation data available at a given time. */
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
 * All lists and certificates of a verdict share one search, which is limited. Registered certificates come first and cost
 * nothing, so a caller cannot hide a registered signer behind others.
 */
export function listSigners(question: RevocationQuestion): SignersOf {
  let search: SignersOf | undefined;
  return (name) => {
    search ??= searchSigners(question);
    return search(name);
  };
}

function searchSigners(question: RevocationQuestion): SignersOf {
  const { path, now } = question;
  const pool = question.pool.toSorted((a, b) => Number(a.isPresented) - Number(b.isPresented));
  const search = new PathSearch([path[0]], pool, now, SEARCH_LIMITS, signerBudget());
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
