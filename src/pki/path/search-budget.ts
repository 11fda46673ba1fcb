// Limits the cost of a path search. It counts estimated microseconds instead of using the clock, so that a verdict does
// not depend on the load of the machine; `npm run figures -- verdicts` measures the real time.
import type { PublicKeyFacts } from '../x509/public-key.ts';

// The budget is small until an approved issuer's signature is found; before that, anybody could cause the work.
const BEFORE_SIGNATURE = 3_200;
const AFTER_SIGNATURE = 10_000;
// Enough to try two issuers with the same name and an expensive key (P-521).
const ALWAYS = 2;

export class SearchBudget {
  #spent = 0;
  #purchases = 0;
  #limit = BEFORE_SIGNATURE;
  #isExhausted = false;

  get isExhausted(): boolean {
    return this.#isExhausted;
  }

  /** Whether the budget allows the work. */
  spend(cost: number): boolean {
    if (this.#purchases++ >= ALWAYS && this.#spent + cost > this.#limit) {
      this.#isExhausted = true;
      return false;
    }
    this.#spent += cost;
    return true;
  }

  /** Call once an approved issuer has signed one of the presented certificates. */
  signatureFound(): void {
    this.#limit = AFTER_SIGNATURE;
  }
}

const CURVE_COSTS: Readonly<Record<string, number>> = { 'P-256': 160, 'P-384': 1_450, 'P-521': 3_500 };
const OTHER_CURVE = 2_300;
const FAMILY_COSTS: Readonly<Partial<Record<PublicKeyFacts['family'], number>>> = { ed25519: 220, ed448: 450 };

/** The cost of one signature check with this key over this many octets. */
export function signatureCost({ family, curve, bits = 2048 }: PublicKeyFacts, octets: number): number {
  const check = curve ? (CURVE_COSTS[curve] ?? OTHER_CURVE) : (FAMILY_COSTS[family] ?? 50 + (bits / 2048) ** 2 * 20);
  return check + octets / 250;
}

/** The cost of parsing and preparing an untrusted name. */
export function nameCost(octets: number): number {
  return octets / 3; // normalisation can turn one character into eighteen
}
