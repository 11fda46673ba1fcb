// What a search for a path may cost. Counted in estimated microseconds rather than by the clock, so that a verdict does not
// depend on how busy the machine is; `npm run figures -- verdicts` measures the real time.
import type { PublicKeyFacts } from '../x509/public-key.ts';

// Before an approved issuer's signature was found, the work is a stranger's; afterwards somebody answers for it.
const BEFORE_SIGNATURE = 3_200;
const AFTER_SIGNATURE = 10_000;
// Two issuers of one name and an expensive key (P-521) must both be tried.
const ALWAYS = 2;

export class SearchBudget {
  #spent = 0;
  #purchases = 0;
  #limit = BEFORE_SIGNATURE;
  #isExhausted = false;

  get isExhausted(): boolean {
    return this.#isExhausted;
  }

  /** Whether the work may be done. */
  spend(cost: number): boolean {
    if (this.#purchases++ >= ALWAYS && this.#spent + cost > this.#limit) {
      this.#isExhausted = true;
      return false;
    }
    this.#spent += cost;
    return true;
  }

  /** An approved issuer has signed something of what was presented. */
  signatureFound(): void {
    this.#limit = AFTER_SIGNATURE;
  }
}

const CURVE_COSTS: Readonly<Record<string, number>> = { 'P-256': 160, 'P-384': 1_450, 'P-521': 3_500 };
const OTHER_CURVE = 2_300;
const FAMILY_COSTS: Readonly<Partial<Record<PublicKeyFacts['family'], number>>> = { ed25519: 220, ed448: 450 };

/** Of one check of a signature with this key over so many octets. */
export function signatureCost({ family, curve, bits = 2048 }: PublicKeyFacts, octets: number): number {
  const check = curve ? (CURVE_COSTS[curve] ?? OTHER_CURVE) : (FAMILY_COSTS[family] ?? 50 + (bits / 2048) ** 2 * 20);
  return check + octets / 250;
}

/** Of parsing and preparing a name, whose characters a stranger chose. */
export function nameCost(octets: number): number {
  return octets / 3; // some characters become eighteen when they are normalised
}
