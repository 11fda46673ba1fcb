import { clientCertificate } from './pem.ts';
import type { Way } from './way.ts';

export interface CertificateOptions {
  /** The client certificate and its intermediates: a PEM file, or its text. Loaded anew for every request. */
  readonly certificate: string;
  /** The private key of the certificate: a PEM file, or its text. */
  readonly key: string;
  /** What the tokens are for, such as `orders:read`. Left out: everything the integration may do. */
  readonly scope?: string | undefined;
}

/** By client certificate. Needs no person: if a grant ends, a new one is requested. */
export function certificate({ certificate, key, scope }: CertificateOptions): Way {
  const tls = () => clientCertificate(certificate, key);
  return {
    isAlone: true,
    todo: 'Ask the operator which certificates the integration accepts.',
    tls,
    start: (door, signal) => door.token({ grant_type: 'client_credentials', scope }, { tls: tls(), signal }),
  };
}
