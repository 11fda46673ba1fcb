// The fields of a certificate, cut apart but not yet parsed. Both readers begin with it: the path search, which needs a
// few fields of an untrusted certificate, and the reader of whole certificates.
import { childrenOf, contextTag, type Element, Fields, MalformedDer, readElement, TAG, unwrap } from '../der/der.ts';
import { type Frame, readSigned } from './signed.ts';

export interface Outline {
  readonly signed: Frame;
  readonly version: Element | undefined;
  readonly serial: Element;
  readonly algorithm: Element;
  readonly issuer: Element;
  readonly validity: Element;
  readonly subject: Element;
  readonly publicKey: Element;
  readonly uniqueIds: readonly (Element | undefined)[];
  /** Undefined if the certificate has none. */
  readonly extensions: readonly Element[] | undefined;
}

// Honest certificates have a few kilobytes; OpenSSL allows 100 KiB for a whole chain.
const MAX_OCTETS = 64 * 1024;
// RFC 5280 defines 17 extensions; real certificates never have twice as many.
const MAX_EXTENSIONS = 64;

/** Takes time linear in the size of the certificate. */
export function readOutline(der: Uint8Array): Outline {
  if (der.length > MAX_OCTETS) throw new MalformedDer(`larger than ${MAX_OCTETS} octets`);
  const signed = readSigned(readElement(der));
  const fields = new Fields(signed.toBeSigned);
  const outline = {
    signed,
    version: fields.optional(contextTag(0, 'constructed')),
    serial: fields.next(),
    algorithm: fields.next(TAG.sequence),
    issuer: fields.next(TAG.sequence),
    validity: fields.next(TAG.sequence),
    subject: fields.next(TAG.sequence),
    publicKey: fields.next(TAG.sequence),
    uniqueIds: [fields.optional(contextTag(1, 'primitive')), fields.optional(contextTag(2, 'primitive'))],
    extensions: readExtensionElements(fields.optional(contextTag(3, 'constructed'))),
  };
  fields.end();
  return outline;
}

function readExtensionElements(wrapped: Element | undefined): Element[] | undefined {
  return wrapped && childrenOf(unwrap(wrapped, TAG.sequence), MAX_EXTENSIONS);
}
