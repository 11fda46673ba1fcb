// The status of one certificate according to the lists we have (RFC 5280 6.3).
import { type EpochSeconds, isoTime } from '../../core/time.ts';
import { decodeLatin } from '../der/der-values.ts';
import type { Certificate } from '../x509/certificate.ts';
import { type DistinguishedName, sameName } from '../x509/distinguished-name.ts';
import { type DistributionPoint, KEY_USAGE } from '../x509/extensions.ts';
import { placesOf } from '../x509/general-name.ts';
import type { PublicKeyFacts } from '../x509/public-key.ts';
import { isSignedBy } from '../x509/signed.ts';
import { beginOf, type RevocationList } from './crl.ts';

export interface RevocationAnswer {
  readonly state: 'good' | 'revoked' | 'unknown';
  readonly words: string;
  readonly until?: EpochSeconds;
}

// RFC 5280 5.3.1: bits 1 to 8 of ReasonFlags. A certificate is good if lists for all reasons together do not name it.
const EVERY_REASON = [1, 2, 3, 4, 5, 6, 7, 8];

/** Validated certificates with that name that may sign lists for the path being checked. */
export type SignersOf = (name: DistinguishedName) => readonly Certificate[];

export function checkLists(
  certificate: Certificate,
  lists: readonly RevocationList[],
  signersOf: SignersOf,
  now: EpochSeconds,
): RevocationAnswer {
  const covered = new Set<number>();
  const doubts = new Set<string>();
  let until: EpochSeconds | undefined;
  for (const list of lists.filter((candidate) => speaksAbout(candidate, certificate))) {
    const isNamed = names(list, certificate);
    // An issuer may have a thousand lists; the others need not be checked.
    if (!isNamed && isElsewhere(list, certificate)) {
      doubts.add(ELSEWHERE);
      continue;
    }
    const doubt = whyNotTrusted(list, signersOf(list.issuer));
    // A list revokes what it names, even if it is irregular or stale.
    if (!doubt && isNamed) return { state: 'revoked', words: 'a CRL lists it' };
    const objection = doubt ?? whyInconclusive(list, certificate) ?? whyStale(list, now);
    if (objection) doubts.add(objection);
    else for (const reason of reasonsCovered(list, certificate)) covered.add(reason);
    if (!objection && list.nextUpdate && (!until || list.nextUpdate < until)) until = list.nextUpdate;
  }
  if (EVERY_REASON.every((reason) => covered.has(reason))) {
    return { state: 'good', words: 'a current CRL from its issuer does not list it', ...(until && { until }) };
  }
  return { state: 'unknown', words: [...doubts].join('; ') || 'there is no CRL from its issuer' };
}

/** RFC 5280 6.3.3 (b) 1: a list of the issuer itself, or of a CRL issuer that the certificate names. */
function speaksAbout(list: RevocationList, certificate: Certificate): boolean {
  return sameName(list.issuer, certificate.issuer) || isNamedAsIssuer(list.issuer, certificate);
}

function isNamedAsIssuer(issuer: DistinguishedName, certificate: Certificate): boolean {
  return crlIssuersOf(certificate).some((name) => sameName(name, issuer));
}

export function crlIssuersOf({ known }: Certificate): DistinguishedName[] {
  const points = known.crlDistributionPoints ?? [];
  return points.flatMap(({ crlIssuers = [] }) =>
    crlIssuers.flatMap((name) => (name.kind === 'directory' ? [name.name] : [])),
  );
}

/** Whatever the list's distribution point. Attribute certificates have their own serial numbers. */
function names(list: RevocationList, { issuer, serial }: Certificate): boolean {
  if (list.scope.only === 'attributes') return false;
  if (sameName(list.issuer, issuer) && list.revoked.has(serial)) return true;
  return list.others.some((other) => sameName(other.issuer, issuer) && other.revoked.has(serial));
}

export function whyNotTrusted(list: RevocationList, signers: readonly Certificate[]): string | undefined {
  if (list.algorithm.weak || Buffer.compare(list.innerAlgorithm, list.outerAlgorithm) !== 0) {
    return `the CRL is not used: signature algorithm ${list.algorithm.name}`;
  }
  const named = signers.filter(({ subject }) => sameName(subject, list.issuer));
  const signed = named.filter(({ publicKey }) => hasSigned(publicKey, list));
  if (signed.length === 0) return 'the CRL is not signed by the issuer';
  return signed.some(maySignLists) ? undefined : 'the signer of the CRL lacks cRLSign';
}

/** RFC 5280 4.2.1.3: if present, the key usage of a CRL signer must include cRLSign. */
export function maySignLists({ known }: Certificate): boolean {
  return known.keyUsage?.has(KEY_USAGE.crlSign) ?? true;
}

// Cached because a list may have megabytes and is needed for every new caller.
const signatures = new WeakMap<RevocationList, Map<string, boolean>>();

/** Stores the result of a signature check that was done elsewhere. */
export function rememberSignature(list: RevocationList, spki: Uint8Array, signed: boolean): void {
  const known = signatures.get(list) ?? new Map<string, boolean>();
  signatures.set(list, known.set(decodeLatin(spki), signed));
}

function hasSigned(key: PublicKeyFacts, list: RevocationList): boolean {
  const known = signatures.get(list)?.get(decodeLatin(key.spki));
  if (known !== undefined) return known;
  const signed = isSignedBy(list, key);
  rememberSignature(list, key.spki, signed);
  return signed;
}

/** Why a trusted list that does not name the certificate still does not show that it is good. */
function whyInconclusive(list: RevocationList, certificate: Certificate): string | undefined {
  const { issuer, scope, inconclusive } = list;
  if (inconclusive !== undefined) return `the CRL is inconclusive: ${inconclusive}`;
  if (scope.indirect !== isNamedAsIssuer(issuer, certificate)) {
    return scope.indirect
      ? 'the CRL is inconclusive: it is an indirect CRL that the certificate does not name'
      : 'the CRL is inconclusive: the certificate names an indirect CRL, and this is not one';
  }
  const kind = certificate.known.basicConstraints?.ca ? 'authorities' : 'leaves';
  return scope.only && scope.only !== kind ? `the CRL covers ${scope.only} only` : undefined;
}

const ELSEWHERE = 'the CRL is for another distribution point';

function isElsewhere({ scope }: RevocationList, certificate: Certificate): boolean {
  return scope.names.length > 0 && pointsMatching(scope.names, certificate).length === 0;
}

function whyStale(list: RevocationList, now: EpochSeconds): string | undefined {
  const { thisUpdate, nextUpdate } = list;
  if (now < beginOf(list)) return `the CRL is not valid before ${isoTime(thisUpdate)}`;
  if (nextUpdate === undefined) return 'the CRL has no nextUpdate';
  return now > nextUpdate ? `the CRL has been stale since ${isoTime(nextUpdate)}` : undefined;
}

/** RFC 5280 6.3.3 (d): the reasons that both the list and the distribution point cover. */
function reasonsCovered({ scope }: RevocationList, certificate: Certificate): readonly number[] {
  const byList = EVERY_REASON.filter((reason) => scope.reasons?.has(reason) ?? true);
  const points = pointsMatching(scope.names, certificate);
  if (points.length === 0 || points.some(({ reasons }) => !reasons)) return byList;
  return byList.filter((reason) => points.some(({ reasons }) => reasons?.has(reason)));
}

/** Takes linear time: a list and a certificate may have thousands of names each. */
function pointsMatching(names: RevocationList['scope']['names'], certificate: Certificate): DistributionPoint[] {
  const { issuer, known } = certificate;
  const places = new Set(placesOf(names, issuer));
  const points = places.size > 0 ? (known.crlDistributionPoints ?? []) : [];
  return points.filter((point) => placesOf(point.names, issuer).some((place) => places.has(place)));
}
