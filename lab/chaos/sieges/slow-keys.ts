// Certificates whose keys OpenSSL takes 0.2 s each to load: points of which only one coordinate is given, on a curve that is spelled out,
// over a prime for which finding a square root is slow.
import { checkPrimeSync } from 'node:crypto';
import { TAG } from '../../../src/pki/der/der.ts';
import { write, writeOid, writeSequence } from '../../../src/pki/der/der-write.ts';
import { writePem } from '../../../src/pki/der/pem.ts';
import { makeAuthority } from '../../../test/authority.ts';
import { integer } from '../../../test/signed-der.ts';

/** The prime is a multiple of this power of two, plus one: the larger the power, the slower. OpenSSL takes up to 661 bits. */
const TWOS = 630n;
const OCTETS = 82;
const A = 1n;
const B = 7n;
const EC_PUBLIC_KEY = '1.2.840.10045.2.1';
const PRIME_FIELD = '1.2.840.10045.1.1';

/** A chain that presents the cheap key of its leaf, below `count` certificates with slow keys. */
export function slowChain(count: number): { readonly cert: string; readonly key: string } {
  const root = makeAuthority({ name: 'Hostile' });
  const { certificate, key } = root.issue();
  const slow = root.issue({ spki: slowKey() }).certificate;
  return { cert: [certificate, ...Array.from({ length: count }, () => slow)].map(writePem).join(''), key };
}

function slowKey(): Uint8Array {
  const prime = slowPrime();
  const curve = writeSequence(
    integer(Uint8Array.of(1)),
    writeSequence(writeOid(PRIME_FIELD), integer(octetsOf(prime, OCTETS + 1))),
    writeSequence(write(TAG.octetString, octetsOf(A)), write(TAG.octetString, octetsOf(B))),
    write(TAG.octetString, pointOn(prime, 2n)),
    integer(octetsOf(prime + 2n, OCTETS + 1)), // the order, which nobody checks
  );
  const point = write(TAG.bitString, Uint8Array.of(0), pointOn(prime, 1000n));
  return writeSequence(writeSequence(writeOid(EC_PUBLIC_KEY), curve), point);
}

function slowPrime(): bigint {
  for (let factor = (1n << (BigInt(OCTETS * 8) - TWOS - 1n)) + 1n; ; factor += 2n)
    if (checkPrimeSync((factor << TWOS) + 1n)) return (factor << TWOS) + 1n;
}

/** Its first coordinate alone, `from` or the next one for which there is a second. */
function pointOn(prime: bigint, from: bigint): Uint8Array {
  let x = from;
  while (power(x ** 3n + A * x + B, (prime - 1n) / 2n, prime) !== 1n) x += 1n;
  return Buffer.concat([Uint8Array.of(2), octetsOf(x)]);
}

function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n;
  for (let [square, rest] = [base % modulus, exponent]; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % modulus;
    square = (square * square) % modulus;
  }
  return result;
}

function octetsOf(value: bigint, length = OCTETS): Uint8Array {
  return Buffer.from(value.toString(16).padStart(2 * length, '0'), 'hex');
}
