// OpenSSL loads the keys of all certificates that a caller presents, before anything of ours sees them. Most keys take microseconds. A point
// on a curve whose equation is spelled out in the certificate can take 0.2 s: its prime may be chosen so that finding a square root is slow.
import { Fields, readElement, TAG } from '../der/der.ts';
import { readInteger, readOctetBits, readOid } from '../der/der-values.ts';
import { readOutline } from './outline.ts';
import { CURVES, FAMILIES } from './public-key.ts';

/** Nobody uses larger ones than 33 bits. The time of a check grows with it. */
const MOST_EXPONENT_OCTETS = 9;
/** Its prime makes finding a square root ten times as slow as on others. */
const SLOW_TO_DECOMPRESS = 'P-224';
const UNCOMPRESSED = 4;

/** Whether the key of this certificate is of a kind that we may accept, and quick to load. False also if it cannot be read. */
export function isKeyCheap(der: Uint8Array): boolean {
  try {
    const fields = new Fields(readOutline(der).publicKey);
    const algorithm = new Fields(fields.next(TAG.sequence));
    const family = FAMILIES[readOid(algorithm.next())];
    const key = readOctetBits(fields.next());
    if (family === 'rsa' || family === 'rsa-pss') return isExponentShort(key);
    if (family === 'ec') return isPointCheap(algorithm, key);
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

function isPointCheap(algorithm: Fields, point: Uint8Array): boolean {
  const parameters = algorithm.next();
  const curve = parameters.tag === TAG.oid ? CURVES[readOid(parameters)] : undefined;
  return curve !== undefined && (curve.name !== SLOW_TO_DECOMPRESS || point[0] === UNCOMPRESSED);
}
