// OpenSSL loads the keys of all certificates that a caller presents, before anything of ours sees them. Most keys take microseconds. A point
// on a curve whose equation is spelled out in the certificate can take 0.2 s: its prime may be chosen so that finding a square root is slow.
import { type Element, Fields, readElement, TAG } from '../der/der.ts';
import { readInteger, readOctetBits, readOid } from '../der/der-values.ts';
import { readOutline } from './outline.ts';
import { CURVES, FAMILIES } from './public-key.ts';

/** Nobody uses larger ones than 33 bits. The time of a check grows with it. */
const MOST_EXPONENT_OCTETS = 9;

/** Whether the key of this certificate is of a kind that we may accept, and quick to load. False also if it cannot be read. */
export function isKeyCheap(der: Uint8Array): boolean {
  try {
    const fields = new Fields(readOutline(der).publicKey);
    const algorithm = new Fields(fields.next(TAG.sequence));
    const family = FAMILIES[readOid(algorithm.next())];
    if (family === 'rsa' || family === 'rsa-pss') return isExponentShort(readOctetBits(fields.next()));
    if (family === 'ec') return isCurveListed(algorithm.next());
    return family === 'ed25519' || family === 'ed448';
  } catch {
    return false;
  }
}

function isExponentShort(key: Uint8Array): boolean {
  const fields = new Fields(readElement(key, TAG.sequence));
  fields.next();
  return readInteger(fields.next()).length <= MOST_EXPONENT_OCTETS;
}

function isCurveListed(parameters: Element): boolean {
  return parameters.tag === TAG.oid && CURVES[readOid(parameters)] !== undefined;
}
