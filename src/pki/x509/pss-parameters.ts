// RSASSA-PSS-params (RFC 4055 3.1), of a signature or of a key restricted to such signatures.
import { contextTag, type Element, Fields, MalformedDer, TAG, unwrap } from '../der/der.ts';
import { readCount, readNull, readOid } from '../der/der-values.ts';

export interface PssParameters {
  readonly digest: string;
  readonly saltLength: number;
}

const MGF1 = '1.2.840.113549.1.1.8';

const DIGESTS: Readonly<Record<string, string>> = {
  '1.3.14.3.2.26': 'sha1',
  '2.16.840.1.101.3.4.2.4': 'sha224',
  '2.16.840.1.101.3.4.2.1': 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
};

/** The mask must use the same digest: all software does so, and node:crypto assumes it. */
export function readPssParameters(parameters: Element): PssParameters {
  const fields = new Fields(parameters);
  const digest = readDigest(fields.optional(contextTag(0, 'constructed')));
  const mask = fields.optional(contextTag(1, 'constructed'));
  const salt = fields.optional(contextTag(2, 'constructed'));
  const trailer = fields.optional(contextTag(3, 'constructed'));
  fields.end();
  if (trailer && readCount(unwrap(trailer)) !== 1)
    throw new MalformedDer('the trailer of an RSA-PSS signature is not 1');
  if (readMaskDigest(mask) !== digest) throw new MalformedDer('digest and mask of an RSA-PSS signature differ');
  return { digest, saltLength: salt ? readCount(unwrap(salt)) : 20 };
}

function readDigest(wrapped: Element | undefined): string {
  return wrapped ? digestNamed(unwrap(wrapped, TAG.sequence)) : 'sha1';
}

function readMaskDigest(wrapped: Element | undefined): string {
  if (!wrapped) return 'sha1';
  const fields = new Fields(unwrap(wrapped, TAG.sequence));
  if (readOid(fields.next()) !== MGF1) throw new MalformedDer('the mask of an RSA-PSS signature is not MGF1');
  const digest = digestNamed(fields.next(TAG.sequence));
  fields.end();
  return digest;
}

/** RFC 4055 2.1: NULL or absent. */
function digestNamed(algorithm: Element): string {
  const fields = new Fields(algorithm);
  const digest = DIGESTS[readOid(fields.next())];
  const parameters = fields.optional(TAG.null);
  if (parameters) readNull(parameters);
  fields.end();
  if (!digest) throw new MalformedDer('unknown digest in an RSA-PSS signature');
  return digest;
}
