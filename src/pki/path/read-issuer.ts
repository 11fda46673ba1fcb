import type { ApprovedIssuer } from '../../core/issuer.ts';
import { type Certificate, readCertificate } from '../x509/certificate.ts';

export interface ReadIssuer {
  readonly issuer: ApprovedIssuer;
  readonly certificate: Certificate | undefined;
  readonly intermediates: readonly Certificate[];
}

// Cached because approved issuers are few and used by every request.
const known = new WeakMap<ApprovedIssuer, ReadIssuer>();

export function readIssuer(issuer: ApprovedIssuer): ReadIssuer {
  const found = known.get(issuer);
  if (found) return found;
  const [certificate] = readAll([issuer.certificate]);
  const made = { issuer, certificate, intermediates: readAll(issuer.intermediates) };
  known.set(issuer, made);
  return made;
}

/** The issuer's own certificate and its registered intermediates. */
export function authoritiesOf(issuer: ApprovedIssuer): readonly Certificate[] {
  const { certificate, intermediates } = readIssuer(issuer);
  return certificate ? [certificate, ...intermediates] : intermediates;
}

/** The certificates that can be parsed. */
export function readAll(certificates: readonly Uint8Array[]): Certificate[] {
  return certificates.map(readCertificate).flatMap((read) => (read.ok ? [read.value] : []));
}
