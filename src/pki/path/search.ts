// Finds paths from a leaf up to an approved issuer, by name and signature, with the keys of known authorities and of
// presented certificates below them. All work is bounded: cross-signed CAs have exponentially many paths.
import type { EpochSeconds } from '../../core/time.ts';
import { type Candidate, candidateOf } from '../x509/candidate.ts';
import type { Certificate } from '../x509/certificate.ts';
import { type DistinguishedName, foldedCharacters, mayBeSame, sameName } from '../x509/distinguished-name.ts';
import type { PublicKeyFacts } from '../x509/public-key.ts';
import { couldBeSignedBy, isSignedBy } from '../x509/signed.ts';
import type { Path } from './path.ts';
import { foldCost, nameCost, parseCost, SearchBudget, signatureCost, stepCost } from './search-budget.ts';

/** Above the leaf; self-issued ones (key rollover) do not count (RFC 5280 6.1.4 l). */
export const MOST_INTERMEDIATES = 8;
// Self-issued certificates do not count towards the depth, so they have their own limit.
const MAX_PATH_LENGTH = 16;

/** From an authority down to the leaf. */
type Trail = readonly [Candidate, ...Candidate[]];

export class PathSearch {
  readonly #anchors: ReadonlyMap<Candidate, Certificate>;
  /** Anchors first. */
  readonly #authorities: readonly Candidate[];
  readonly #presented: readonly Candidate[];
  /** Presented certificates below an authority that the operator knows. */
  readonly #authentic = new Set<Candidate>();
  /** Whether all of them are known. */
  #isComplete = false;
  readonly #mostIntermediates: number;
  readonly #budget: SearchBudget;
  readonly #folded = new Set<DistinguishedName>();
  readonly #parsed = new Set<object>();
  readonly #keys = new Map<string, PublicKeyFacts>();
  readonly #now: EpochSeconds;
  /** Why a certificate below an approved issuer could not be parsed; the leaf's reason comes first. */
  unreadable: { readonly candidate: Candidate; readonly why: string | undefined } | undefined;

  constructor(
    anchors: readonly Certificate[],
    pool: readonly Candidate[],
    now: EpochSeconds,
    mostIntermediates: number = MOST_INTERMEDIATES,
    budget: SearchBudget = new SearchBudget(),
  ) {
    this.#anchors = new Map(anchors.map((certificate) => [candidateOf(certificate), certificate]));
    const others = pool.filter((candidate) => !anchors.some((anchor) => isCopyOf(candidate, anchor)));
    this.#presented = others.filter(({ isPresented }) => isPresented);
    this.#authorities = [...this.#anchors.keys(), ...others];
    this.#now = now;
    this.#mostIntermediates = mostIntermediates;
    this.#budget = budget;
  }

  /** Whether the search stopped at a limit. "No path" is final even then. */
  get isExhausted(): boolean {
    return this.#budget.isExhausted;
  }

  /** Paths from the approved issuer down to the leaf. If none is valid now, one that gives the reason. */
  *pathsTo(leaf: Candidate): Generator<Path> {
    if (!this.#isAuthentic(leaf)) return;
    this.#budget.extend(Number.POSITIVE_INFINITY);
    let isFound = false;
    for (const path of this.#isValid(leaf) ? this.#ascend([leaf], this.#isValid) : []) {
      isFound = true;
      yield path;
    }
    const [other] = isFound ? [] : this.#ascend([leaf], () => true);
    if (other) yield other;
  }

  /** Whether the budget allows the work that somebody does with a path. */
  spend(cost: number): boolean {
    return this.#budget.spend(cost);
  }

  readonly #isValid = (candidate: Candidate): boolean => candidate.isValidAt(this.#now);

  /** Whether the operator knows it, or signatures lead from an authority that the operator knows down to it. */
  #isAuthentic(candidate: Candidate): boolean {
    if (isKnown(candidate) || this.#authentic.has(candidate)) return true;
    const isInPool = this.#presented.includes(candidate);
    if (this.#isComplete && isInPool) return false;
    const isLater = (other: Candidate) => Number(!this.#isValid(other));
    const presented = likelyFirst(candidate, this.#isComplete ? [] : this.#presented);
    const below = presented.toSorted((a, b) => isLater(a) - isLater(b));
    // What is expensive to compare comes last.
    for (const rank of [LIKELY, Number.POSITIVE_INFINITY]) {
      const above = [...this.#authorities.filter(isKnown), ...this.#authentic];
      if (this.#descend(above, below, rank, candidate)) return true;
    }
    this.#isComplete = true;
    return false;
  }

  /** Finds authentic certificates, until the one that is sought. */
  #descend(above: readonly Candidate[], below: readonly Candidate[], most: number, sought: Candidate): boolean {
    const pairs = below.flatMap((one) =>
      above.map((other) => ({ above: other, below: one, rank: rankOf(other, one) })),
    );
    for (const pair of pairs.filter(({ rank }) => rank <= most).sort((a, b) => a.rank - b.rank)) {
      if (this.#authentic.has(pair.below) || !this.#hasIssued(pair.above, pair.below)) continue;
      this.#authentic.add(pair.below);
      if (pair.below === sought || this.#descend([pair.below], below, most, sought)) return true;
    }
    return false;
  }

  *#ascend(trail: Trail, isEligible: (candidate: Candidate) => boolean): Generator<Path> {
    // Signature checks are cached, but a graph has more paths than edges.
    const presented = this.#presented.length;
    if (!this.#budget.spend(stepCost(presented, this.#authorities.length - presented))) return;
    const [top] = trail;
    for (const above of byRank(this.#authorities, top)) {
      const anchor = this.#anchors.get(above);
      if (!isEligible(above) || (!anchor && !this.#mayFollow(above, trail))) continue;
      if (!this.#hasIssued(above, top)) continue;
      if (!anchor) yield* this.#ascend([above, ...trail], isEligible);
      const path = anchor && this.#read(anchor, trail);
      if (path) yield path;
    }
  }

  #read(anchor: Certificate, trail: Trail): Path | undefined {
    const certificates: Certificate[] = [];
    for (const [index, candidate] of trail.entries()) {
      if (!this.#mayParse(candidate, index === trail.length - 1)) return undefined;
      const read = candidate.certificate;
      if (read.ok) certificates.push(read.value);
      else this.unreadable = { candidate, why: read.refusal.rule };
    }
    return certificates.length === trail.length ? [anchor, ...certificates] : undefined;
  }

  #mayParse(candidate: Candidate, isLeaf: boolean): boolean {
    const cost = parseCost(candidate.der.length);
    // The leaf of the first path is parsed in any case; each further path is judged anew.
    if (isLeaf && !this.#parsed.has(candidate)) this.#budget.charge(cost);
    else if (!isKnown(candidate) && !this.#budget.spend(cost)) return false;
    this.#parsed.add(candidate);
    return true;
  }

  #mayFollow(above: Candidate, trail: Trail): boolean {
    if (trail.length >= MAX_PATH_LENGTH || trail.includes(above) || this.#isAnchor(above)) return false;
    // Names need not be compared for a short path.
    if (trail.length <= this.#mostIntermediates) return true;
    const depth = [above, ...trail.slice(0, -1)].filter((authority) => !this.#isSelfIssued(authority)).length;
    return depth <= this.#mostIntermediates;
  }

  #isSelfIssued(candidate: Candidate): boolean {
    return this.#hasName(candidate, 'issuer', candidate);
  }

  /** Same name and key means same CA, whatever else its certificates say: approved issuers are pinned by key. */
  #isAnchor(candidate: Candidate): boolean {
    const isSame = (anchor: Candidate) =>
      isEqual(anchor.spki, candidate.spki) && this.#hasName(candidate, 'subject', anchor);
    return [...this.#anchors.keys()].some(isSame);
  }

  #hasIssued(above: Candidate, below: Candidate): boolean {
    return this.#hasName(below, 'issuer', above) && this.#isAuthentic(above) && this.#hasSigned(above, below);
  }

  isNamedBy(candidate: Candidate, authority: Certificate): boolean {
    return this.#hasName(candidate, 'issuer', candidateOf(authority));
  }

  /** Whether the candidate has this subject. The name is a trusted one. */
  hasSubject(candidate: Candidate, name: DistinguishedName): boolean {
    if (isEqual(candidate.subject.whole, name.der)) return true;
    if (candidate.countRdns('subject') !== name.rdns.length) return false;
    return this.#isSame(this.#nameOf(candidate, 'subject'), this.#free(name));
  }

  /** Whether a name of a certificate is the subject of an authority. What is cheap is compared first. */
  #hasName(candidate: Candidate, which: 'issuer' | 'subject', authority: Candidate): boolean {
    if (isEqual(candidate[which].whole, authority.subject.whole)) return true;
    if (candidate.countRdns(which) !== authority.countRdns('subject')) return false;
    return this.#isSame(this.#nameOf(candidate, which), this.#nameOf(authority, 'subject'));
  }

  /** Undefined if the name is malformed, or if the budget does not allow to parse it. */
  #nameOf(candidate: Candidate, which: 'issuer' | 'subject'): DistinguishedName | undefined {
    if (isKnown(candidate)) return this.#free(candidate.nameOf(which));
    const element = candidate[which];
    if (!this.#parsed.has(element) && !this.#budget.spend(nameCost(element.whole.length))) return undefined;
    this.#parsed.add(element);
    return candidate.nameOf(which);
  }

  /** Names that the operator knows cost nothing. */
  #free(name: DistinguishedName | undefined): DistinguishedName | undefined {
    if (name) this.#folded.add(name);
    return name;
  }

  #isSame(a: DistinguishedName | undefined, b: DistinguishedName | undefined): boolean {
    return a !== undefined && b !== undefined && mayBeSame(a, b) && [a, b].every(this.#mayFold) && sameName(a, b);
  }

  /** Prepared names are cached, so a second comparison is cheap. */
  readonly #mayFold = (name: DistinguishedName): boolean => {
    if (!this.#folded.has(name) && !this.#budget.spend(foldCost(foldedCharacters(name)))) return false;
    this.#folded.add(name);
    return true;
  };

  #hasSigned(above: Candidate, below: Candidate): boolean {
    const key = this.#keyOf(above);
    if (!key || !couldBeSignedBy(below.signed, key)) return false;
    const known = below.signers.get(key);
    if (known !== undefined) return known;
    const cost = signatureCost(key, below.der.length, isKnown(above));
    const isFree = isKnown(above) && isKnown(below);
    if (!isFree && !this.#budget.spendOnCheck(key, cost)) return false;
    const signed = isSignedBy(below.signed, key);
    below.signers.set(key, signed);
    const next = signed && !isFree ? this.#keyOf(below) : undefined;
    if (next) this.#budget.extend(cost + signatureCost(next, below.der.length, false));
    return signed;
  }

  /** Certificates with the same key share its facts, so that each signature is checked once with each key. */
  #keyOf(candidate: Candidate): PublicKeyFacts | undefined {
    if (isKnown(candidate)) return candidate.publicKey;
    const text = Buffer.from(candidate.spki).toString('latin1');
    const key = this.#keys.get(text) ?? candidate.publicKey;
    if (key) this.#keys.set(text, key);
    return key;
  }
}

function isKnown({ isPresented }: Candidate): boolean {
  return !isPresented;
}

/** How unlikely it is that one issued the other, by what is cheap to compare. */
function rankOf(above: Candidate, below: Candidate): number {
  const hasName = isEqual(below.issuer.whole, above.subject.whole);
  return (hasName ? 0 : 3) + rankOfKey(above.keyIdentifier, below.issuerKeyIdentifier);
}

/** The octets of the name are the same, and the key identifiers do not differ. */
const LIKELY = 1;

function rankOfKey(own: Uint8Array | undefined, named: Uint8Array | undefined): number {
  if (!own || !named) return 1;
  return isEqual(named, own) ? 0 : 2;
}

function byRank(authorities: readonly Candidate[], below: Candidate): readonly Candidate[] {
  if (authorities.length < 2) return authorities;
  const ranked = authorities.map((above) => ({ above, rank: rankOf(above, below) }));
  return ranked.sort((a, b) => a.rank - b.rank).map(({ above }) => above);
}

/** Follows key identifiers up from the leaf, so that an honest chain needs one signature check per step. */
function likelyFirst(leaf: Candidate, pool: readonly Candidate[]): readonly Candidate[] {
  const likely = new Set<Candidate>([leaf]);
  // The set grows during iteration; added items are visited too.
  for (const { issuerKeyIdentifier: named } of likely) {
    for (const candidate of pool) if (named && isEqual(named, candidate.keyIdentifier)) likely.add(candidate);
  }
  return [...likely, ...pool.filter((candidate) => !likely.has(candidate))];
}

/** Whether the caller sent the approved issuer itself. */
function isCopyOf({ spki, subject }: Candidate, anchor: Certificate): boolean {
  return isEqual(spki, anchor.publicKey.spki) && isEqual(subject.whole, anchor.subject.der);
}

function isEqual(a: Uint8Array, b: Uint8Array | undefined): boolean {
  return b !== undefined && a.length === b.length && Buffer.compare(a, b) === 0;
}
