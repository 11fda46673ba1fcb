// Limits the cost of a path search. It counts estimated microseconds instead of using the clock, so that a verdict does
// not depend on the load of the machine. Estimates are 1.5 times what was measured on a quiet machine.
import type { PublicKeyFacts } from '../x509/public-key.ts';

/** Estimates divided by this give the time that docs/certificates.md states. */
export const SAFETY = 1.5;
// The budget is small until the leaf is known to be authentic: anybody could cause the work. Enough to check all certificates
// that may be presented with P-256 or RSA keys. Each authentic intermediate pays for itself: see `extend`.
export const BEFORE_SIGNATURE = 4_500;
// Enough for eight intermediates with P-521.
export const AFTER_SIGNATURE = 33_000;
const FOR_LIST_SIGNERS = 8_000;
// The first check with each of two issuers is always allowed: two approved issuers may have one name and P-521 keys.
const ALWAYS = 2;

export class SearchBudget {
  readonly #issuers = new Set<PublicKeyFacts>();
  #spent = 0;
  #limit: number;
  readonly #most: number;
  #isExhausted = false;

  constructor(limit: number = BEFORE_SIGNATURE, most: number = AFTER_SIGNATURE) {
    this.#limit = limit;
    this.#most = most;
  }

  get isExhausted(): boolean {
    return this.#isExhausted;
  }

  spend(cost: number): boolean {
    if (this.#spent + cost > this.#limit) {
      this.#isExhausted = true;
      return false;
    }
    this.#spent += cost;
    return true;
  }

  /** Counts work that is done in any case. */
  charge(cost: number): void {
    this.#spent += cost;
  }

  spendOnCheck(key: PublicKeyFacts, cost: number): boolean {
    const isAllowed = this.#issuers.size < ALWAYS && !this.#issuers.has(key);
    if (isAllowed) this.#issuers.add(key);
    else return this.spend(cost);
    this.#spent += cost;
    return true;
  }

  /** Once a presented certificate is authentic: allows as much more, in total no more than for an authentic leaf. */
  extend(cost: number): void {
    this.#limit = Math.min(this.#limit + cost, this.#most);
  }
}

/** For the signers of revocation lists; the path of the caller is already valid. */
export function signerBudget(): SearchBudget {
  return new SearchBudget(FOR_LIST_SIGNERS, FOR_LIST_SIGNERS);
}

const CURVE_COSTS: Readonly<Record<string, number>> = { 'P-256': 135, 'P-384': 1_400, 'P-521': 3_100 };
const OTHER_CURVE = 2_000;
const FAMILY_COSTS: Readonly<Partial<Record<PublicKeyFacts['family'], number>>> = {
  ed25519: 210,
  ed448: 420,
  'ml-dsa-44': 320,
  'ml-dsa-65': 470,
  'ml-dsa-87': 680,
};
const LOAD_KEY = 120;

/** The cost of one signature check over this many octets, with the key of an authority that is known or presented. */
export function signatureCost(
  { family, curve, bits = 2048 }: PublicKeyFacts,
  octets: number,
  isKnown: boolean,
): number {
  const perModulus = 30 + (bits / 2048) ** 2 * 28;
  const check = curve ? (CURVE_COSTS[curve] ?? OTHER_CURVE) : (FAMILY_COSTS[family] ?? perModulus);
  return check + octets / 250 + (isKnown ? 0 : LOAD_KEY);
}

/** The cost of looking for the issuers of one certificate. Registered authorities count less: an operator may have thousands. */
export function stepCost(presented: number, registered: number): number {
  return 2 + presented + registered / 8;
}

/** The cost of checking whether the certificates of one path are revoked. */
export const REVOCATION_COST = 4_000;

/** The cost of parsing an untrusted name; the most expensive ones consist of many short attributes. */
export function nameCost(octets: number): number {
  return octets / 3;
}

/** The cost of preparing text for comparison. Normalisation can turn one character into eighteen. */
export function foldCost(characters: number): number {
  return characters * 2.5;
}

export function parseCost(octets: number): number {
  return octets / 4;
}
