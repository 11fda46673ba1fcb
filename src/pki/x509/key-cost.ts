// OpenSSL loads the keys of all presented certificates before we see them. A curve whose equation is spelled out can
// take 0.2 s: its prime may be chosen so that finding a square root is slow.
import { Fields, TAG } from '../der/der.ts';
import { readOctetBits, readOid } from '../der/der-values.ts';
import { readOutline } from './certificate.ts';
import { CURVES, FAMILIES, isExponentShort } from './public-key.ts';

/** Of all certificates in one handshake, with what TLS writes between them. Chains in use have two to four of one to two KB. */
export const MOST_CHAIN_BYTES = 10 * 1024;

/** Why a handshake with these certificates is ended; undefined if it is not. */
export function whyHandshakeEnds(chain: readonly Uint8Array[]): string | undefined {
  // RFC 8446 4.4.2: the lengths of context and list; a length and the length of extensions for each certificate.
  const octets = chain.reduce((sum, { length }) => sum + 3 + length + 2, 4);
  if (octets > MOST_CHAIN_BYTES) return `${octets} of at most ${MOST_CHAIN_BYTES} octets`;
  const index = chain.findIndex((der) => !isKeyCheap(der));
  if (index < 0) return undefined;
  return `${index === 0 ? 'the leaf' : `sent certificate ${index}`} has a key that is never accepted`;
}

/** Whether the key of this certificate is of a kind that we may accept, and quick to load. False also if it cannot be read. */
export function isKeyCheap(der: Uint8Array): boolean {
  try {
    const fields = new Fields(readOutline(der).publicKey);
    const algorithm = new Fields(fields.next(TAG.sequence));
    const family = FAMILIES[readOid(algorithm.next())];
    if (family === 'rsa' || family === 'rsa-pss') return isExponentShort(readOctetBits(fields.next()));
    const parameters = family === 'ec' ? algorithm.next(TAG.oid) : undefined;
    if (parameters) return CURVES[readOid(parameters)] !== undefined;
    return family !== undefined;
  } catch {
    return false;
  }
}
