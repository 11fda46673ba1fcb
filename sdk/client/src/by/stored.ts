import type { Tls } from '../door/send.ts';
import { clientCertificate } from './pem.ts';
import type { Way } from './way.ts';

export interface StoredOptions {
  /** Only if the integration binds its refreshes to certificates: a PEM file each, or its text. */
  readonly certificate?: string;
  readonly key?: string;
}

/** Uses the pair that somebody else has stored, for example `tessera login`, and never requests a new grant. */
export function stored({ certificate, key }: StoredOptions = {}): Way {
  const tls = (): Tls | undefined =>
    certificate === undefined && key === undefined ? undefined : clientCertificate(certificate, key);
  return { isAlone: false, todo: 'Do: tessera login', tls };
}
