// Finds paths from an approved issuer down to a leaf, by name and signature. The search starts at the approved issuers,
// so presented certificates are parsed only once an approved issuer has signed them. All work is bounded, because a
// graph of cross-signed CAs has exponentially many paths.
import type { Outcome } from '../../core/outcome.ts';
import { Candidate, candidateOf } from '../x509/candidate.ts';
import { type Certificate, isSelfIssued } from '../x509/certificate.ts';
import { sameName } from '../x509/distinguished-name.ts';
import { isSignedBy } from '../x509/signed.ts';
import type { Path } from './path.ts';
import { nameCost, SearchBudget, signatureCost } from './search-budget.ts';

export interface SearchLimits {
  /**
   * Intermediates between approved issuer and leaf; self-issued ones (key rollover) do not count (RFC 5280 6.1.4 l).
   */
  readonly intermediates: number;
}

export const SEARCH_LIMITS: SearchLimits = { intermediates: 8 };

// Self-issued certificates do not count towards the depth, so they have their own limit.
const MAX_PATH_LENGTH = 16;
// Signature checks are cached, but a graph has more paths than edges.
const MAX_STEPS = 200;

export class PathSearch {
  readonly #anchors: readonly Certificate[];
  readonly #pool: readonly Candidate[];
  readonly #limits: SearchLimits;
  readonly #budget = new SearchBudget();
  readonly #compared = new Set<Candidate>();
  readonly #charged = new Map<Candidate, Set<Certificate>>();
  /** Why a leaf signed by an approved issuer could not be parsed. */
  unreadable: string | undefined;
  #steps = 0;

  constructor(
    anchors: readonly Certificate[],
    pool: readonly (Certificate | Candidate)[],
    limits: SearchLimits = SEARCH_LIMITS,
  ) {
    this.#anchors = anchors;
    this.#pool = pool.map(asCandidate).filter((candidate) => !anchors.some((anchor) => isCopyOf(candidate, anchor)));
    this.#limits = limits;
  }

  /** Whether the search stopped at a limit. "No path" is final even then. */
  get isExhausted(): boolean {
    return this.#budget.isExhausted || this.#steps >= MAX_STEPS;
  }

  /** Paths from the approved issuer down to the leaf. A leaf signed by an approved issuer may still fail to parse. */
  *pathsTo(leaf: Certificate | Candidate): Generator<Path> {
    const last = asCandidate(leaf);
    const pool = likelyFirst(last, this.#pool);
    const named = last.issuerKeyIdentifier;
    const isNamed = ({ known }: Certificate) => named !== undefined && isEqual(named, known.subjectKeyIdentifier);
    for (const anchor of this.#anchors.toSorted((a, b) => Number(isNamed(b)) - Number(isNamed(a))))
      yield* this.#descend([anchor], last, pool);
  }

  *#descend(trail: Path, leaf: Candidate, pool: readonly Candidate[]): Generator<Path> {
    if (this.#steps++ >= MAX_STEPS) return;
    const above = trail.at(-1) ?? trail[0];
    const found = this.#readIfSigned(above, leaf);
    if (found?.ok) yield [...trail, found.value];
    else this.unreadable ??= found?.refusal.rule;
    if (trail.length >= MAX_PATH_LENGTH) return;
    for (const candidate of pool) {
      const below = this.#readIfSigned(above, candidate);
      if (below?.ok && this.#mayFollow(below.value, trail)) yield* this.#descend([...trail, below.value], leaf, pool);
    }
  }

  #mayFollow(certificate: Certificate, trail: Path): boolean {
    if (trail.includes(certificate) || this.#anchors.some((anchor) => isSameAuthority(anchor, certificate)))
      return false;
    const depth = [...trail.slice(1), certificate].filter((authority) => !isSelfIssued(authority)).length;
    return depth <= this.#limits.intermediates;
  }

  #readIfSigned(issuer: Certificate, candidate: Candidate): Outcome<Certificate> | undefined {
    return this.isNamedBy(candidate, issuer) && this.#hasSigned(issuer, candidate) ? candidate.certificate : undefined;
  }

  /** Whether the candidate names this CA as its issuer. */
  isNamedBy(candidate: Candidate, { subject }: Certificate): boolean {
    if (isEqual(candidate.issuer.whole, subject.der)) return true;
    if (candidate.issuerRdns !== subject.rdns.length || !this.#mayCompare(candidate)) return false;
    return candidate.issuerName !== undefined && sameName(candidate.issuerName, subject);
  }

  /** Prepared names are cached, so a second comparison is cheap. */
  #mayCompare(candidate: Candidate): boolean {
    if (!this.#compared.has(candidate) && !this.#budget.spend(nameCost(candidate.issuer.whole.length))) return false;
    this.#compared.add(candidate);
    return true;
  }

  /**
   * A presented certificate costs as much when its signature is known from an earlier request: the verdict must not
   * depend on who was here before.
   */
  #hasSigned(issuer: Certificate, candidate: Candidate): boolean {
    const known = candidate.signers.get(issuer);
    if (known !== undefined && (!candidate.isPresented || this.#isCharged(candidate, issuer))) return known;
    if (!this.#budget.spend(signatureCost(issuer.publicKey, candidate.der.length))) return false;
    const signed = known ?? isSignedBy(candidate.signed, issuer.publicKey);
    if (signed) this.#budget.signatureFound();
    candidate.signers.set(issuer, signed);
    this.#charge(candidate, issuer);
    return signed;
  }

  #isCharged(candidate: Candidate, issuer: Certificate): boolean {
    return this.#charged.get(candidate)?.has(issuer) === true;
  }

  #charge(candidate: Candidate, issuer: Certificate): void {
    const charged = this.#charged.get(candidate);
    if (charged) charged.add(issuer);
    else this.#charged.set(candidate, new Set([issuer]));
  }
}

function asCandidate(certificate: Certificate | Candidate): Candidate {
  return certificate instanceof Candidate ? certificate : candidateOf(certificate);
}

/** Follows key identifiers up from the leaf, so that an honest chain needs one signature check per step. */
function likelyFirst(leaf: Candidate, pool: readonly Candidate[]): readonly Candidate[] {
  const likely = new Set<Candidate>([leaf]);
  // The set grows during iteration; added items are visited too.
  for (const { issuerKeyIdentifier: named } of likely) {
    for (const candidate of pool) if (named && isEqual(named, candidate.keyIdentifier)) likely.add(candidate);
  }
  return [...likely, ...pool.filter((candidate) => !likely.has(candidate))].filter((candidate) => candidate !== leaf);
}

/**
 * Whether the caller sent the approved issuer itself. Its other certificates are recognised by `isSameAuthority` once
 * they are parsed.
 */
function isCopyOf({ spki, subject }: Candidate, anchor: Certificate): boolean {
  return isEqual(spki, anchor.publicKey.spki) && isEqual(subject.whole, anchor.subject.der);
}

/** Same name and key means same CA, whatever else its certificates say: approved issuers are pinned by key. */
function isSameAuthority(a: Certificate, b: Certificate): boolean {
  return isEqual(a.publicKey.spki, b.publicKey.spki) && sameName(a.subject, b.subject);
}

function isEqual(a: Uint8Array, b: Uint8Array | undefined): boolean {
  return b !== undefined && a.length === b.length && Buffer.compare(a, b) === 0;
}
