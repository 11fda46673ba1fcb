import { constants, X509Certificate } from 'node:crypto';
import type { SecureContextOptions, TlsOptions } from 'node:tls';

export interface TlsFiles {
  readonly certificate: string | Buffer;
  readonly key: string | Buffer;
  /** Whether callers are asked for a certificate in the handshake; `require` turns away those who show none. */
  readonly clientCertificates: 'request' | 'require' | 'off';
  /** The approved issuers, in PEM: advertised in the handshake, so that callers pick the right certificate. */
  readonly issuers: readonly string[];
}

/** What can be exchanged while connections stay open. */
export function secureContext({ certificate, key, issuers, clientCertificates }: TlsFiles): SecureContextOptions {
  const isAsking = clientCertificates !== 'off';
  return {
    cert: isAsking ? completed(certificate.toString(), issuers) : certificate,
    key,
    minVersion: 'TLSv1.2',
    ...(isAsking && { ca: [...issuers] }),
    // A resumed session shows the leaf alone, without its chain: no session is ever resumed.
    secureOptions: constants.SSL_OP_NO_TICKET,
  };
}

export function tlsOptions(files: TlsFiles): TlsOptions {
  return {
    ...secureContext(files),
    requestCert: files.clientCertificates !== 'off',
    // The handshake proves possession of the key; our own path validation decides about the certificate.
    rejectUnauthorized: false,
    handshakeTimeout: 10_000,
  };
}

/**
 * Behind a certificate that stands alone in its file, OpenSSL sends those above it that are among the issuers. Left to
 * itself it would look for them, and check their signatures, in every handshake.
 */
function completed(certificate: string, issuers: readonly string[]): string {
  if (certificate.split('-----BEGIN CERTIFICATE-----').length > 2) return certificate;
  const known = issuers.map((pem) => new X509Certificate(pem));
  const chain: X509Certificate[] = [];
  let next: X509Certificate | undefined = new X509Certificate(certificate);
  for (; next && !includes(chain, next); next = issuerOf(next, known)) chain.push(next);
  return chain.join('');
}

function includes(chain: readonly X509Certificate[], certificate: X509Certificate): boolean {
  return chain.some(({ raw }) => raw.equals(certificate.raw));
}

function issuerOf(certificate: X509Certificate, known: readonly X509Certificate[]): X509Certificate | undefined {
  return known.find((issuer) => certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey));
}
