// What a signed-in person has proved. Changing how one signs in, and administration, need more than an open session.
import { type Proof, STRONG_PROOFS, type StrongProof } from '../person.ts';
import { after, type EpochSeconds, seconds } from '../time.ts';

const FRESH_FOR = seconds(600);

/** Otherwise the person signs in again first: the browser may have been left alone. */
export function isFresh({ at }: Proof, now: EpochSeconds): boolean {
  return now < after(at, FRESH_FOR);
}

export function strongProof({ by }: Proof): StrongProof | undefined {
  return STRONG_PROOFS.find((strong) => strong === by);
}
