// The known signature algorithms, and which are too weak to trust.
import { type Element, Fields, MalformedDer, TAG } from '../der/der.ts';
import { readNull, readOid } from '../der/der-values.ts';
import { type KeyFamily, type MlDsa, type PssParameters, readPssParameters } from './public-key.ts';

export interface SignatureAlgorithm {
  readonly name: string;
  readonly family: 'rsa' | 'rsa-pss' | 'ecdsa' | 'eddsa' | 'ml-dsa' | 'unknown';
  readonly keys: readonly KeyFamily[];
  readonly digest?: string;
  readonly saltLength?: number;
  /** MD5 and SHA-1: with a collision, one signature fits two certificates. */
  readonly weak: boolean;
}

const RSA_PSS = '1.2.840.113549.1.1.10';

const ALGORITHMS: Readonly<Record<string, SignatureAlgorithm>> = {
  '1.2.840.113549.1.1.4': rsa('md5'),
  '1.2.840.113549.1.1.5': rsa('sha1'),
  '1.2.840.113549.1.1.14': rsa('sha224'),
  '1.2.840.113549.1.1.11': rsa('sha256'),
  '1.2.840.113549.1.1.12': rsa('sha384'),
  '1.2.840.113549.1.1.13': rsa('sha512'),
  '1.2.840.10045.4.1': ecdsa('sha1'),
  '1.2.840.10045.4.3.1': ecdsa('sha224'),
  '1.2.840.10045.4.3.2': ecdsa('sha256'),
  '1.2.840.10045.4.3.3': ecdsa('sha384'),
  '1.2.840.10045.4.3.4': ecdsa('sha512'),
  '1.3.101.112': { name: 'Ed25519', family: 'eddsa', keys: ['ed25519'], weak: false },
  '1.3.101.113': { name: 'Ed448', family: 'eddsa', keys: ['ed448'], weak: false },
  '2.16.840.1.101.3.4.3.17': mlDsa('ml-dsa-44'),
  '2.16.840.1.101.3.4.3.18': mlDsa('ml-dsa-65'),
  '2.16.840.1.101.3.4.3.19': mlDsa('ml-dsa-87'),
};

function rsa(digest: string): SignatureAlgorithm {
  return { name: `RSA with ${digest}`, family: 'rsa', keys: ['rsa'], digest, weak: isWeak(digest) };
}

function ecdsa(digest: string): SignatureAlgorithm {
  return { name: `ECDSA with ${digest}`, family: 'ecdsa', keys: ['ec'], digest, weak: isWeak(digest) };
}

/** RFC 9881: the same identifiers as for keys, without parameters, over the message itself. */
function mlDsa(key: MlDsa): SignatureAlgorithm {
  return { name: key.toUpperCase(), family: 'ml-dsa', keys: [key], weak: false };
}

function isWeak(digest: string): boolean {
  return digest === 'md5' || digest === 'sha1';
}

export function readSignatureAlgorithm(element: Element): SignatureAlgorithm {
  const fields = new Fields(element);
  const oid = readOid(fields.next());
  if (oid === RSA_PSS) {
    const parameters = fields.next(TAG.sequence);
    fields.end();
    return pss(readPssParameters(parameters));
  }
  const algorithm = ALGORITHMS[oid];
  if (!algorithm) return { name: oid, family: 'unknown', keys: [], weak: false };
  // RFC 3279, 5758, 8410: NULL for RSA (some CAs omit it), no parameters for the others.
  const parameters = fields.optional(TAG.null);
  fields.end();
  if (parameters) readNull(parameters);
  if (parameters && algorithm.family !== 'rsa')
    throw new MalformedDer('this signature algorithm must not have parameters');
  return algorithm;
}

function pss({ digest, saltLength }: PssParameters): SignatureAlgorithm {
  const name = `RSA-PSS with ${digest}`;
  return { name, family: 'rsa-pss', keys: ['rsa', 'rsa-pss'], digest, saltLength, weak: isWeak(digest) };
}
