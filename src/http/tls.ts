import { constants } from 'node:crypto';
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
  return {
    cert: certificate,
    key,
    minVersion: 'TLSv1.2',
    ...(clientCertificates !== 'off' && { ca: [...issuers] }),
    // A resumed session shows the leaf alone, without its chain: no session is ever resumed.
    secureOptions: constants.SSL_OP_NO_TICKET,
  };
}

export function tlsOptions(files: TlsFiles): TlsOptions {
  return {
    ...secureContext(files),
    requestCert: files.clientCertificates !== 'off',
    // The handshake proves possession of the key and nothing more. Our own path validation decides about the certificate,
    // alone: OpenSSL's opinion (`authorized`) is not asked, so that handshake, header and dry run give one verdict.
    rejectUnauthorized: false,
    handshakeTimeout: 10_000,
  };
}
