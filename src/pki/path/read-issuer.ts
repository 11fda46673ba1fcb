import type { ApprovedIssuer } from '../../core/issuer.ts';
import { oncePer } from '../../core/once-per.ts';
import { acceptedOf } from '../../core/outcome.ts';
import { type Certificate, readCertificate } from '../x509/certificate.ts';

export type ReadIssuer = ReturnType<typeof readIssuer>;

export const readIssuer = oncePer((issuer: ApprovedIssuer) => {
  const [certificate] = readAll([issuer.certificate]);
  return { issuer, certificate, intermediates: readAll(issuer.intermediates) };
});

export function authoritiesOf(issuer: ApprovedIssuer): readonly Certificate[] {
  const { certificate, intermediates } = readIssuer(issuer);
  return certificate ? [certificate, ...intermediates] : intermediates;
}

/** The certificates that can be parsed. */
export function readAll(certificates: readonly Uint8Array[]): Certificate[] {
  return acceptedOf(certificates.map(readCertificate));
}
