// Facts about a mutated path, from our own parser, that the explanations use.
import { type Certificate, isSelfIssued, readCertificate } from '../../../src/pki/x509/certificate.ts';
import type { GeneralName } from '../../../src/pki/x509/general-name.ts';
import type { Mutant } from './mutant.ts';

/** Root first; unreadable certificates are skipped. */
function pathOf({ seed, chain }: Mutant): Certificate[] {
  const path = [...chain, seed.root.certificate].toReversed().map(readCertificate);
  return path.flatMap((read) => (read.ok ? [read.value] : []));
}

function pairsOf(mutant: Mutant): [issuer: Certificate, issued: Certificate][] {
  const path = pathOf(mutant);
  return path.slice(1).map((issued, index) => [path[index] as Certificate, issued]);
}

export function hasOtherKeyIdentifier(mutant: Mutant): boolean {
  return pairsOf(mutant).some(([issuer, { known }]) => {
    const named = known.authorityKeyIdentifier;
    const own = issuer.known.subjectKeyIdentifier;
    if (named?.issuer || named?.serial) return true;
    return named?.key !== undefined && (own === undefined || Buffer.compare(named.key, own) !== 0);
  });
}

export function hasOtherSpelling(mutant: Mutant): boolean {
  return pairsOf(mutant).some(([issuer, issued]) => Buffer.compare(issuer.subject.der, issued.issuer.der) !== 0);
}

export function hasSelfIssued(mutant: Mutant): boolean {
  return pathOf(mutant).slice(1).some(isSelfIssued);
}

export function hasExtension(mutant: Mutant, oid: string, critical = false): boolean {
  return pathOf(mutant).some(({ extensions }) =>
    extensions.some((extension) => extension.oid === oid && (extension.critical || !critical)),
  );
}

export function hasUsage(mutant: Mutant, oid: string): boolean {
  return pathOf(mutant).some(({ known }) => known.extendedKeyUsage?.includes(oid) ?? false);
}

export function hasConstraintOn(mutant: Mutant, kind: GeneralName['kind']): boolean {
  return pathOf(mutant).some(({ known: { nameConstraints } }) =>
    [...(nameConstraints?.permitted ?? []), ...(nameConstraints?.excluded ?? [])].some((name) => name.kind === kind),
  );
}

export function hasAlternativeName(mutant: Mutant, fits: (name: GeneralName) => boolean): boolean {
  return pathOf(mutant).some(({ known }) => known.subjectAltName?.some(fits) ?? false);
}
