// Signatures in encodings that are not DER, or that say more than the signature. The octets that were signed are valid.
import { childrenOf, readElement, TAG } from '../../../src/pki/der/der.ts';
import { write } from '../../../src/pki/der/der-write.ts';
import type { Seeded } from '../../../test/seeded.ts';
import type { Node } from './tree.ts';

const CONSTRUCTED = 0x20;

/** Returns the BIT STRING; undefined if the change does not fit this kind of signature. */
type Encode = (signature: Uint8Array, random: Seeded) => Node | undefined;

const ENCODINGS: Readonly<Record<string, Encode>> = {
  'a signature with unused bits': (signature, random) => bits(Uint8Array.of(1 + random.below(7)), signature),
  'a signature in a constructed bit string': (signature) => ({
    tag: TAG.bitString | CONSTRUCTED,
    content: new Uint8Array(),
    children: [bits(Uint8Array.of(0), signature)],
  }),
  'octets behind the signature': (signature, random) => bits(Uint8Array.of(0), signature, random.bytes(1)),
  'a signature with a padded length': (signature) => ({ ...bits(Uint8Array.of(0), signature), length: 'padded' }),
  'a signature with padded integers': (signature) => onIntegers(signature, (octets) => Buffer.from([0, ...octets])),
  'a signature with negative integers': (signature) =>
    onIntegers(signature, (octets) => (octets[0] === 0 ? octets.subarray(1) : octets)),
  'an empty signature': () => bits(Uint8Array.of(0)),
};

function bits(...parts: readonly Uint8Array[]): Node {
  return { tag: TAG.bitString, content: Buffer.concat(parts), children: undefined };
}

/** ECDSA signatures are two integers (RFC 3279 2.2.3). */
function onIntegers(signature: Uint8Array, change: (octets: Uint8Array) => Uint8Array): Node | undefined {
  if (signature[0] !== TAG.sequence) return undefined;
  try {
    const integers = childrenOf(readElement(signature)).map(({ content }) => write(TAG.integer, change(content)));
    return bits(Uint8Array.of(0), write(TAG.sequence, ...integers));
  } catch {
    return undefined; // not ECDSA after all
  }
}

/** Changes the encoding of the certificate's signature; returns the name of the change. */
export function encodeSignature(certificate: Node, random: Seeded): string[] {
  const [body, algorithm, signature] = certificate.children ?? [];
  const [name, encode] = random.pick(Object.entries(ENCODINGS));
  const changed = signature && encode(signature.content.subarray(1), random);
  if (!body || !algorithm || !changed) return [];
  certificate.children = [body, algorithm, changed];
  return [name];
}
