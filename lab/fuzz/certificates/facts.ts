// Facts about a mutated path, from our own parser, that the explanations use.
import { childrenOf, readElement, TAG } from '../../../src/pki/der/der.ts';
import { type Certificate, isSelfIssued, readCertificate } from '../../../src/pki/x509/certificate.ts';
import { type Attribute, EMAIL_ADDRESS } from '../../../src/pki/x509/distinguished-name.ts';
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
    const named = known.authorityKeyIdentifier?.key;
    const own = issuer.known.subjectKeyIdentifier;
    return named !== undefined && (own === undefined || Buffer.compare(named, own) !== 0);
  });
}

/** Whether an authority key identifier has the fields that name a certificate instead of a key. */
export function hasIssuerAndSerial(mutant: Mutant): boolean {
  return pathOf(mutant).some(({ known: { authorityKeyIdentifier: named } }) => named?.issuer || named?.serial);
}

/** Whether the leaf has another key than the one whose private key the fuzzer has. */
export function hasOtherKey(mutant: Mutant): boolean {
  const [leaf] = mutant.chain.map(readCertificate);
  const before = readCertificate(mutant.seed.leaf.certificate);
  return leaf?.ok === true && before.ok && Buffer.compare(leaf.value.publicKey.spki, before.value.publicKey.spki) !== 0;
}

/** DirectoryString and IA5String (RFC 5280 appendix A.1): the types that OpenSSL and X.520 allow in names. */
const NAME_STRINGS: readonly number[] = [TAG.utf8, TAG.printable, TAG.teletex, TAG.bmp, TAG.universal, TAG.ia5];

/** Whether a name has a value of another type, or one that is malformed for its type. */
export function hasOddString(mutant: Mutant): boolean {
  const names = pathOf(mutant).flatMap(({ issuer, subject, known }) => [
    issuer,
    subject,
    ...(known.subjectAltName ?? []).flatMap((name) => (name.kind === 'directory' ? [name.name] : [])),
  ]);
  return names.some(({ rdns }) => rdns.flat().some(isOdd)) || hasAlternativeName(mutant, isOddOtherName);
}

function isOdd({ der, characters, oid }: Attribute): boolean {
  const [, value] = childrenOf(readElement(der));
  const hasOwnType = OWN_TYPES[oid] !== undefined && OWN_TYPES[oid] !== value?.tag;
  return characters === undefined || hasOwnType || !NAME_STRINGS.includes(value?.tag ?? 0);
}

/** A subject with a NUL in a value. Such a value gives no identity. */
export function hasNul(mutant: Mutant): boolean {
  return pathOf(mutant).some(({ subject }) => subject.rdns.flat().some(({ characters }) => characters?.includes('\0')));
}

/** A constraint on directory names with a value that is not a well-formed string of its type. */
export function hasOddConstraint(mutant: Mutant): boolean {
  const names = pathOf(mutant).flatMap(({ known: { nameConstraints } }) => [
    ...(nameConstraints?.permitted ?? []),
    ...(nameConstraints?.excluded ?? []),
  ]);
  return names.some((name) => name.kind === 'directory' && name.name.rdns.flat().some(isOdd));
}

/** An emailAddress in a subject that is not an IA5String. */
export function hasOddEmailAddress(mutant: Mutant): boolean {
  const attributes = pathOf(mutant).flatMap(({ subject }) => subject.rdns.flat());
  return attributes.some(({ oid, der }) => oid === EMAIL_ADDRESS && childrenOf(readElement(der))[1]?.tag !== TAG.ia5);
}

/** Attributes that are not a DirectoryString. */
const OWN_TYPES: Readonly<Record<string, number>> = { '2.5.4.6': TAG.printable };

export function isOddOtherName(name: GeneralName): boolean {
  return name.kind === 'other' && name.value.type === 'other';
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

export function hasDnsName(mutant: Mutant, form: RegExp): boolean {
  return hasAlternativeName(mutant, (name) => name.kind === 'dns' && form.test(name.value));
}

export function hasLeafWithDnsName(mutant: Mutant): boolean {
  const names = pathOf(mutant).at(-1)?.known.subjectAltName ?? [];
  return names.some(({ kind }) => kind === 'dns');
}
