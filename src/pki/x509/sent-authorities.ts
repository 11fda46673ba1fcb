// Intermediates that callers sent and that an approved issuer has signed. Whole fleets send the same ones, so they are
// parsed and verified once. Whether a signature is valid depends on nothing but the octets and the key.
import { accept, type Outcome } from '../../core/outcome.ts';
import { type Candidate, readCandidate } from './candidate.ts';

const MAX_KEPT = 256;
// Larger than any honest intermediate.
const MAX_OCTETS = 8 * 1024;
const KEY_OCTETS = 32;

const kept = new Map<string, Candidate>();

/** A certificate that a caller sent along with its own. */
export function readSent(der: Uint8Array): Outcome<Candidate> {
  const found = kept.get(keyOf(der));
  return found && Buffer.compare(found.der, der) === 0 ? accept(found) : readCandidate(der);
}

/** Call only for a certificate on a valid path, so that strangers cannot fill the memory. Keeps a copy. */
export function keepSent(candidate: Candidate): void {
  const key = keyOf(candidate.der);
  if (candidate.der.length > MAX_OCTETS || kept.get(key) === candidate) return;
  const copy = readCandidate(new Uint8Array(candidate.der));
  const [oldest] = kept.keys();
  if (kept.size >= MAX_KEPT && oldest !== undefined) kept.delete(oldest);
  if (copy.ok) kept.set(key, copy.value);
}

/** The end of the signature: different certificates nearly always differ in it, and the octets decide. */
function keyOf(der: Uint8Array): string {
  const { buffer, byteOffset, length } = der.subarray(-KEY_OCTETS);
  return Buffer.from(buffer, byteOffset, length).toString('latin1');
}
