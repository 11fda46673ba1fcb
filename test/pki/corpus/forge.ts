// Certificates that no encoder would write: fields of the signed part replaced, and the whole signed again.
import { sign } from 'node:crypto';
import { childrenOf, readElement, TAG } from '../../../src/pki/der/der.ts';
import { write, writeSequence } from '../../../src/pki/der/der-write.ts';
import type { Authority, CertificateOptions, Issued } from '../../authority.ts';
import type { KeyPair } from '../../signed-der.ts';
import { issue, ROOT } from './case.ts';

const FIELDS = ['version', 'serial', 'algorithm', 'issuer', 'validity', 'subject', 'key', 'extensions'] as const;
type Field = (typeof FIELDS)[number];

export interface Forgery {
  /** DER in place of a field; empty octets remove it. */
  readonly fields?: Partial<Record<Field, Uint8Array>>;
  /** Fields behind the last one. */
  readonly after?: Uint8Array;
  /** The algorithm outside of the signed part; `fields.algorithm` is the one inside. */
  readonly outerAlgorithm?: Uint8Array;
  readonly signature?: (body: Uint8Array) => Uint8Array;
  /** The signature's BIT STRING with its tag, from the octets of the signature. */
  readonly signatureField?: (signature: Uint8Array) => Uint8Array;
  /** Fields behind the signature. */
  readonly trailing?: Uint8Array;
}

export function forge(options: CertificateOptions, forgery: Forgery, by: Authority = ROOT): Issued {
  const issued = issue(options, by);
  const certificate = resign(issued.certificate, by.keys, forgery);
  return { ...issued, certificate, chain: [certificate, ...issued.chain.slice(1)] };
}

/** A version 3 certificate, changed and signed again. */
export function resign(certificate: Uint8Array, keys: KeyPair, forgery: Forgery): Uint8Array {
  const [signed, outer] = childrenOf(readElement(certificate));
  const fields = signed ? childrenOf(signed) : [];
  const { fields: replaced = {}, after = new Uint8Array() } = forgery;
  const body = writeSequence(
    ...FIELDS.map((name, index) => replaced[name] ?? fields[index]?.whole ?? new Uint8Array()),
    after,
  );
  const signature = (forgery.signature ?? ((octets) => signedBy(keys, octets)))(body);
  const bits = forgery.signatureField ?? ((octets) => write(TAG.bitString, Uint8Array.of(0), octets));
  const algorithm = forgery.outerAlgorithm ?? replaced.algorithm ?? outer?.whole ?? new Uint8Array();
  return writeSequence(body, algorithm, bits(signature), forgery.trailing ?? new Uint8Array());
}

export function signedBy({ privateKey }: KeyPair, body: Uint8Array): Uint8Array {
  const isEdwards = privateKey.asymmetricKeyType?.startsWith('ed');
  return sign(isEdwards ? null : 'sha256', body, privateKey);
}
