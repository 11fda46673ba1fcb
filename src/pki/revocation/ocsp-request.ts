// An OCSP request (RFC 6960 4.1).
import { hash } from 'node:crypto';
import { TAG } from '../der/der.ts';
import { write, writeContext, writeOid, writeSequence } from '../der/der-write.ts';
import type { Certificate } from '../x509/certificate.ts';
import { keyBitsOf, OCSP_NONCE } from './ocsp.ts';

// SHA-1 only identifies the certificate; every responder supports it (RFC 5019 2.1.1).
const SHA1 = writeSequence(writeOid('1.3.14.3.2.26'), write(TAG.null));

/** `nonce`: random octets that the response must repeat, so that an old response cannot be replayed. */
export function writeOcspRequest(certificate: Certificate, issuer: Certificate, nonce: Uint8Array): Uint8Array {
  const certificateId = writeSequence(
    SHA1,
    write(TAG.octetString, hash('sha1', issuer.subject.der, 'buffer')),
    write(TAG.octetString, hash('sha1', keyBitsOf(issuer), 'buffer')),
    write(TAG.integer, certificate.serial),
  );
  const nonceExtension = writeSequence(writeOid(OCSP_NONCE), write(TAG.octetString, write(TAG.octetString, nonce)));
  const requests = writeSequence(writeSequence(certificateId));
  return writeSequence(writeSequence(requests, writeContext(2, writeSequence(nonceExtension))));
}
