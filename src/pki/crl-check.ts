// What the lists at hand say about one certificate (RFC 5280 6.3).
import type { EpochSeconds } from '../core/time.ts';
import type { Certificate } from './certificate.ts';
import { type RevocationList, serialKey } from './crl.ts';
import { sameName } from './distinguished-name.ts';
import { samePoint } from './distribution-point.ts';
import { type DistributionPoint, KEY_USAGE } from './extensions.ts';
import type { PublicKeyFacts } from './public-key.ts';
import { printTime } from './rule.ts';
import { isSignedBy } from './signed.ts';

export interface RevocationAnswer {
  readonly state: 'good' | 'revoked' | 'unknown';
  readonly words: string;
  /** Until when the answer holds. */
  readonly until?: EpochSeconds;
}

// RFC 5280 5.3.1: bits 1 to 8 of ReasonFlags; a certificate is good when no list of any reason names it.
const EVERY_REASON = [1, 2, 3, 4, 5, 6, 7, 8];

/** `signers`: certificates that may sign lists for the issuer of this certificate, each already validated. */
export function askLists(
  certificate: Certificate,
  lists: readonly RevocationList[],
  signers: readonly Certificate[],
  now: EpochSeconds,
): RevocationAnswer {
  const covered = new Set<number>();
  const doubts: string[] = [];
  let until: EpochSeconds | undefined;
  for (const list of lists.filter(({ issuer }) => sameName(issuer, certificate.issuer))) {
    const doubt = whyNotBelieved(list, signers) ?? whyOutOfScope(list, certificate);
    if (doubt) {
      doubts.push(doubt);
      continue;
    }
    // A list keeps its word about what it revokes, even when it is stale.
    if (list.revoked.has(serialKey(certificate.serial))) return { state: 'revoked', words: 'a CRL lists it' };
    const stale = whyStale(list, now);
    if (stale) doubts.push(stale);
    else for (const reason of reasonsCovered(list, certificate)) covered.add(reason);
    if (!stale && list.nextUpdate && (!until || list.nextUpdate < until)) until = list.nextUpdate;
  }
  if (EVERY_REASON.every((reason) => covered.has(reason))) {
    return { state: 'good', words: 'a current CRL of its issuer does not list it', ...(until && { until }) };
  }
  return { state: 'unknown', words: doubts.join('; ') || 'there is no CRL of its issuer' };
}

/** A list is believed that one of the signers has signed and may sign. */
export function whyNotBelieved(list: RevocationList, signers: readonly Certificate[]): string | undefined {
  if (list.unusable) return `the CRL is not used: ${list.unusable}`;
  if (list.algorithm.weak || Buffer.compare(list.innerAlgorithm, list.outerAlgorithm) !== 0) {
    return `the CRL is not used: signature algorithm ${list.algorithm.name}`;
  }
  const signer = signers.find(({ publicKey, subject }) => sameName(subject, list.issuer) && hasSigned(publicKey, list));
  if (!signer) return 'the CRL is not signed by the issuer';
  // RFC 5280 4.2.1.3: where key usage is given, a signer of CRLs has cRLSign.
  if (signer.known.keyUsage && !signer.known.keyUsage.has(KEY_USAGE.crlSign))
    return 'the signer of the CRL lacks cRLSign';
  return undefined;
}

// A list may have megabytes, and is asked with every new caller.
const signatures = new WeakMap<RevocationList, Map<string, boolean>>();

function hasSigned(key: PublicKeyFacts, list: RevocationList): boolean {
  const known = signatures.get(list) ?? new Map<string, boolean>();
  signatures.set(list, known);
  const name = Buffer.from(key.spki).toString('latin1');
  const signed = known.get(name) ?? isSignedBy(list, key);
  known.set(name, signed);
  return signed;
}

function whyOutOfScope({ scope }: RevocationList, certificate: Certificate): string | undefined {
  const kind = certificate.known.basicConstraints?.ca ? 'authorities' : 'leaves';
  if (scope.only && scope.only !== kind) return `the CRL is about ${scope.only} only`;
  if (scope.names.length > 0 && pointsMatching(scope.names, certificate).length === 0) {
    return 'the CRL is of another distribution point';
  }
  return undefined;
}

function whyStale({ thisUpdate, nextUpdate }: RevocationList, now: EpochSeconds): string | undefined {
  if (now < thisUpdate) return `the CRL begins at ${printTime(thisUpdate)}`;
  if (nextUpdate === undefined) return 'the CRL names no next update';
  return now > nextUpdate ? `the CRL is stale since ${printTime(nextUpdate)}` : undefined;
}

/** RFC 5280 6.3.3 (d): what both the list and the distribution point speak about. */
function reasonsCovered({ scope }: RevocationList, certificate: Certificate): readonly number[] {
  const byList = EVERY_REASON.filter((reason) => scope.reasons?.has(reason) ?? true);
  const points = pointsMatching(scope.names, certificate);
  if (points.length === 0 || points.some(({ reasons }) => !reasons)) return byList;
  return byList.filter((reason) => points.some(({ reasons }) => reasons?.has(reason)));
}

function pointsMatching(names: RevocationList['scope']['names'], certificate: Certificate): DistributionPoint[] {
  const points = (certificate.known.crlDistributionPoints ?? []).filter(({ indirect }) => !indirect);
  return points.filter((point) =>
    names.some((name) => point.names.some((other) => samePoint(name, other, certificate.issuer))),
  );
}
