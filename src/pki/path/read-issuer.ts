import type { ApprovedIssuer } from '../../core/issuer.ts';
import { type Certificate, readCertificate } from '../x509/certificate.ts';

export interface ReadIssuer {
  readonly issuer: ApprovedIssuer;
  readonly certificate: Certificate | undefined;
  readonly intermediates: readonly Certificate[];
}

// Approved issuers are few and come with every request; their certificates are read once.
const known = new WeakMap<ApprovedIssuer, ReadIssuer>();

export function readIssuer(issuer: ApprovedIssuer): ReadIssuer {
  const found = known.get(issuer);
  if (found) return found;
  const [certificate] = readAll([issuer.certificate]);
  const made = { issuer, certificate, intermediates: readAll(issuer.intermediates) };
  known.set(issuer, made);
  return made;
}

/** Its own certificate, and those of the authorities registered with it. */
export function authoritiesOf(issuer: ApprovedIssuer): readonly Certificate[] {
  const { certificate, intermediates } = readIssuer(issuer);
  return certificate ? [certificate, ...intermediates] : intermediates;
}

/** Those that can be read. */
export function readAll(certificates: readonly Uint8Array[]): Certificate[] {
  return certificates.map(readCertificate).flatMap((read) => (read.ok ? [read.value] : []));
}
