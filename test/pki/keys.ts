// Invalid and weak public keys, as SubjectPublicKeyInfo.
import { TAG } from '../../src/pki/der/der.ts';
import { write, writeOid, writeSequence } from '../../src/pki/der/der-write.ts';
import { integer, rsaKeys } from '../signed-der.ts';

const RSA = '1.2.840.113549.1.1.1';
const jwk = rsaKeys().publicKey.export({ format: 'jwk' });
const MODULUS = Buffer.from(jwk.n ?? '', 'base64url');

export interface RsaNumbers {
  /** As the content of an INTEGER. */
  readonly modulus?: Uint8Array;
  readonly exponent?: Uint8Array;
  readonly parameters?: readonly Uint8Array[];
  readonly more?: readonly Uint8Array[];
}

export function rsaSpki({
  modulus = Buffer.concat([Uint8Array.of(0), MODULUS]),
  exponent = Uint8Array.of(1, 0, 1),
  parameters = [write(TAG.null)],
  more = [],
}: RsaNumbers): Uint8Array {
  const key = writeSequence(integer(modulus), integer(exponent), ...more);
  return spkiOf([writeOid(RSA), ...parameters], key);
}

export function spkiOf(algorithm: readonly Uint8Array[], key: Uint8Array): Uint8Array {
  return writeSequence(writeSequence(...algorithm), write(TAG.bitString, Uint8Array.of(0), key));
}
