// Finds the ways from a leaf to an approved issuer, by name and by signature. The certificates sent are in the sender's
// hands, so the work is bounded: a graph of cross-signed authorities has more ways through it than there is time.
import { type Certificate, isSelfIssued } from './certificate.ts';
import { sameName } from './distinguished-name.ts';
import { isSignedBy } from './signed.ts';

export interface SearchLimits {
  /** Intermediates between approved issuer and leaf; self-issued ones (key rollover) do not count (RFC 5280 6.1.4 l). */
  readonly intermediates: number;
  readonly signatures: number;
}

export const SEARCH_LIMITS: SearchLimits = { intermediates: 8, signatures: 24 };

// Self-issued certificates do not count as depth, so that they need a limit of their own.
const LONGEST_PATH = 16;
// Checked signatures are remembered, but the ways through a graph are more than its edges.
const MOST_STEPS = 200;

export class PathSearch {
  readonly #anchors: readonly Certificate[];
  readonly #pool: readonly Certificate[];
  readonly #limits: SearchLimits;
  readonly #checked = new Map<string, boolean>();
  #steps = 0;

  constructor(anchors: readonly Certificate[], pool: readonly Certificate[], limits: SearchLimits = SEARCH_LIMITS) {
    this.#anchors = anchors;
    this.#pool = pool.filter((candidate) => !anchors.some((anchor) => isSameAuthority(anchor, candidate)));
    this.#limits = limits;
  }

  /** Whether the search ended because of its limits, so that "no path" may be unfair, and is final all the same. */
  get isExhausted(): boolean {
    return this.#checked.size >= this.#limits.signatures || this.#steps >= MOST_STEPS;
  }

  /** Paths from the approved issuer down to the leaf, shortest ways first at each step. */
  *pathsTo(leaf: Certificate): Generator<readonly [Certificate, ...Certificate[]]> {
    yield* this.#climb([leaf]);
  }

  *#climb(trail: readonly [Certificate, ...Certificate[]]): Generator<readonly [Certificate, ...Certificate[]]> {
    const [top] = trail;
    if (this.#steps++ >= MOST_STEPS) return;
    for (const anchor of this.#anchors) if (this.#hasSigned(anchor, top)) yield [anchor, ...trail];
    if (trail.length >= LONGEST_PATH) return;
    for (const candidate of this.#candidates(top)) {
      const isDeeper = depthOf([candidate, ...trail]) > this.#limits.intermediates;
      if (isDeeper || trail.includes(candidate) || !this.#hasSigned(candidate, top)) continue;
      yield* this.#climb([candidate, ...trail]);
    }
  }

  /** Those whose key identifier is the one named come first: honest chains then need one signature check per step. */
  #candidates(issued: Certificate): Certificate[] {
    const named = issued.known.authorityKeyIdentifier?.key;
    const rank = ({ known }: Certificate) =>
      named && known.subjectKeyIdentifier && equal(named, known.subjectKeyIdentifier) ? 0 : 1;
    return this.#pool.filter(({ subject }) => sameName(subject, issued.issuer)).sort((a, b) => rank(a) - rank(b));
  }

  #hasSigned(issuer: Certificate, issued: Certificate): boolean {
    if (!sameName(issuer.subject, issued.issuer)) return false;
    const key = `${issuer.fingerprint} ${issued.fingerprint}`;
    const known = this.#checked.get(key);
    if (known !== undefined) return known;
    if (this.isExhausted) return false;
    const signed = isSignedBy(issued, issuer.publicKey);
    this.#checked.set(key, signed);
    return signed;
  }
}

function depthOf(trail: readonly Certificate[]): number {
  return trail.slice(0, -1).filter((certificate) => !isSelfIssued(certificate)).length;
}

/** The same name and key are the same authority, whatever its certificates say: approved issuers are pinned by key. */
function isSameAuthority(a: Certificate, b: Certificate): boolean {
  return equal(a.publicKey.spki, b.publicKey.spki) && sameName(a.subject, b.subject);
}

function equal(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}
