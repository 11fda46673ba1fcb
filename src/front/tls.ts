import { constants } from 'node:crypto';
import type { SecureContextOptions, TlsOptions } from 'node:tls';

export interface TlsFiles {
  readonly certificate: string | Buffer;
  readonly key: string | Buffer;
  /** Whether the handshake asks for a client certificate; `require` closes connections without one. */
  readonly clientCertificates: 'request' | 'require' | 'off';
  /** The approved issuers, in PEM: advertised in the handshake, so that callers pick the right certificate. */
  readonly issuers: readonly string[];
}

/** Authenticated encryption and forward secrecy, with TLS 1.2 too. */
const CIPHERS = [
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_128_GCM_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':');

/** What can be replaced while connections stay open. */
export function secureContext({ certificate, key, issuers, clientCertificates }: TlsFiles): SecureContextOptions {
  return {
    cert: certificate,
    key,
    minVersion: 'TLSv1.2',
    ciphers: CIPHERS,
    ...(clientCertificates !== 'off' && { ca: [...issuers] }),
    // No session is resumed: a resumed one has the leaf certificate only, without its chain. No renegotiation: it could
    // change the certificate during a connection, and costs a handshake per message.
    secureOptions: constants.SSL_OP_NO_TICKET | constants.SSL_OP_NO_RENEGOTIATION,
  };
}

export function tlsOptions(files: TlsFiles, handshakeTimeout: number): TlsOptions {
  return {
    ...secureContext(files),
    requestCert: files.clientCertificates !== 'off',
    // The handshake only proves possession of the key. Our own path validation judges the certificate; OpenSSL's verdict
    // (`authorized`) is ignored, so that handshake, header and dry run give the same verdict.
    rejectUnauthorized: false,
    handshakeTimeout,
    // Node's servers for HTTP/2 leave Nagle's algorithm on for HTTP/1.1: the first answer would wait until the caller's kernel has
    // acknowledged the end of the handshake, which takes 40 ms.
    noDelay: true,
  };
}
