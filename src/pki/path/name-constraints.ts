// RFC 5280 4.2.1.10: names are inside the permitted and outside the excluded subtrees of every CA above.
import { domainToASCII } from 'node:url';
import type { ApprovedIssuer } from '../../core/issuer.ts';
import { type Certificate, isSelfIssued } from '../x509/certificate.ts';
import {
  attributesOf,
  type DistinguishedName,
  EMAIL_ADDRESS,
  foldedCharacters,
  isNameWithin,
} from '../x509/distinguished-name.ts';
import { checksOf, type GeneralName, hostOf, SMTP_UTF8_MAILBOX } from '../x509/general-name.ts';

// Comparing thousands of constraints with thousands of names would take seconds; honest CAs stay far below this limit.
const MAX_COMPARISONS = 20_000;

/** How many comparisons were made for one verdict, over all paths that were tried. */
export interface NameComparisons {
  comparisons: number;
}

/** A name in comparable form, computed once for all comparisons. */
type Compared =
  | { readonly kind: 'dns' | 'uri'; readonly host: string }
  | { readonly kind: 'email'; readonly mailbox: string | undefined; readonly host: string }
  | { readonly kind: 'ip'; readonly octets: Uint8Array }
  | { readonly kind: 'directory'; readonly name: DistinguishedName }
  /** A name that cannot be compared. `form` identifies the names it may be equal to. */
  | { readonly kind: 'opaque'; readonly form: string };

type Subtrees = ReturnType<typeof subtreesOf>;

/** Why the path violates name constraints; undefined if it does not. The approved issuer comes first, the leaf last. */
export function violatedConstraint(
  path: readonly Certificate[],
  profile: ApprovedIssuer['profile'],
  work: NameComparisons,
): string | undefined {
  for (const [depth, authority] of path.entries()) {
    const constraints = authority.known.nameConstraints;
    if (!constraints) continue;
    const misshapen = [...constraints.permitted, ...constraints.excluded].find(
      (name) => !checksOf(name).isConstraint(name, profile),
    );
    if (misshapen) return `a constraint of kind ${misshapen.kind} is malformed`;
    const subtrees = subtreesOf(constraints);
    for (const certificate of path.slice(depth + 1)) {
      // RFC 5280 6.1.3 (b): self-issued CAs are exempt, the final certificate never is.
      if (isSelfIssued(certificate) && certificate !== path.at(-1)) continue;
      const violation = violationBy(certificate, subtrees, work);
      if (violation) return violation;
    }
  }
  return undefined;
}

function subtreesOf({ permitted, excluded }: NonNullable<Certificate['known']['nameConstraints']>) {
  const all = [...permitted, ...excluded];
  return { permitted: byForm(permitted), excluded: byForm(excluded), count: all.length, folding: foldingOf(all) };
}

// Normalising a character takes as long as this many comparisons.
const CHARACTER = 8;

function foldingOf(names: readonly GeneralName[]): number {
  const characters = names.map((name) => (name.kind === 'directory' ? foldedCharacters(name.name) : 0));
  return CHARACTER * characters.reduce((sum, count) => sum + count, 0);
}

function byForm(names: readonly GeneralName[]): Map<string, Compared[]> {
  const forms = new Map<string, Compared[]>();
  for (const name of names) {
    const alike = forms.get(formOf(name));
    if (alike) alike.push(constraintOf(name));
    else forms.set(formOf(name), [constraintOf(name)]);
  }
  return forms;
}

/** Subtrees apply to names of the same form; otherNames have the same form if their OIDs are equal. */
function formOf(name: GeneralName): string {
  return name.kind === 'other' ? `other ${name.oid}` : name.kind;
}

function violationBy(certificate: Certificate, subtrees: Subtrees, work: NameComparisons): string | undefined {
  const names = constrainedNames(certificate);
  work.comparisons += names.length * subtrees.count + foldingOf(names) + subtrees.folding;
  if (work.comparisons > MAX_COMPARISONS) return `more than ${MAX_COMPARISONS} name comparisons would be needed`;
  for (const name of names) {
    const permitted = subtrees.permitted.get(formOf(name)) ?? [];
    const excluded = subtrees.excluded.get(formOf(name)) ?? [];
    if (permitted.length + excluded.length === 0) continue;
    const compared = comparedOf(name);
    if (excluded.some((subtree) => overlaps(compared, subtree))) {
      return `a name of kind ${name.kind} is in an excluded subtree`;
    }
    if (permitted.length > 0 && !permitted.some((subtree) => isWithin(compared, subtree))) {
      return `a name of kind ${name.kind} is outside the permitted subtrees`;
    }
  }
  return undefined;
}

function constrainedNames({ subject, known }: Certificate): GeneralName[] {
  const names: GeneralName[] = [...(known.subjectAltName ?? [])];
  if (subject.rdns.length > 0) names.push({ kind: 'directory', name: subject });
  for (const { value } of attributesOf(subject, EMAIL_ADDRESS)) names.push({ kind: 'email', value });
  names.push(...(known.subjectAltName ?? []).flatMap(internationalMailbox));
  return names;
}

/** RFC 9598 6: constraints on e-mail names apply to SmtpUTF8Mailbox too, with its domain in ASCII. */
function internationalMailbox(name: GeneralName): GeneralName[] {
  if (name.kind !== 'other' || name.oid !== SMTP_UTF8_MAILBOX) return [];
  const { value } = name.value;
  const at = value.lastIndexOf('@') + 1;
  return [{ kind: 'email', value: value.slice(0, at) + domainToASCII(value.slice(at)) }];
}

function comparedOf(name: GeneralName): Compared {
  if (!checksOf(name).isComparable(name)) return { kind: 'opaque', form: formOf(name) };
  if (name.kind === 'uri') return { kind: 'uri', host: foldHost(hostOf(name.value) ?? '') };
  return constraintOf(name);
}

function constraintOf(name: GeneralName): Compared {
  if (name.kind === 'dns' || name.kind === 'uri') return { kind: name.kind, host: foldHost(name.value) };
  if (name.kind === 'email') return mailboxOf(name.value);
  return name.kind === 'ip' || name.kind === 'directory' ? name : { kind: 'opaque', form: formOf(name) };
}

function mailboxOf(value: string): Compared {
  const at = value.lastIndexOf('@');
  return { kind: 'email', mailbox: at < 0 ? undefined : value.slice(0, at), host: foldHost(value.slice(at + 1)) };
}

/** A trailing dot marks a complete name; it does not change the host. */
function foldHost(host: string): string {
  return host.toLowerCase().replace(/\.$/, '');
}

/** Whether every name that this one can match is in the subtree. */
function isWithin(name: Compared, subtree: Compared): boolean {
  if (name.kind === 'dns' && subtree.kind === 'dns') return isDnsWithin(name.host, subtree.host);
  if (name.kind === 'email' && subtree.kind === 'email') {
    return (subtree.mailbox ?? name.mailbox) === name.mailbox && isHostWithin(name.host, subtree.host);
  }
  if (name.kind === 'uri' && subtree.kind === 'uri') return isHostWithin(name.host, subtree.host);
  if (name.kind === 'ip' && subtree.kind === 'ip') return isAddressWithin(name.octets, subtree.octets);
  if (name.kind === 'directory' && subtree.kind === 'directory') return isNameWithin(name.name, subtree.name);
  return false;
}

/** Whether any name that this one can match is in the subtree: a wildcard can match excluded hosts. */
function overlaps(name: Compared, subtree: Compared): boolean {
  // RFC 5280 4.2.1.10: a constraint that we cannot process, on a kind of name that occurs, means refusal.
  if (name.kind === 'opaque' || isWithin(name, subtree)) return true;
  if (name.kind === 'directory' && subtree.kind === 'directory') return mayBeWithin(name.name, subtree.name);
  if (name.kind === 'ip' && subtree.kind === 'ip') {
    return isAddressWithin(withoutMapping(name.octets, 16), withoutMapping(subtree.octets, 32));
  }
  if (name.kind !== 'dns' || subtree.kind !== 'dns') return false;
  // An exclusion of `.example.com` most likely means `example.com` as well.
  const base = subtree.host.replace(/^\./, '');
  return isDnsWithin(name.host, base) || (name.host.startsWith('*.') && isDnsWithin(base, name.host.slice(2)));
}

/** An attribute without readable text may equal the excluded one elsewhere, so it counts as excluded. */
function mayBeWithin(name: DistinguishedName, subtree: DistinguishedName): boolean {
  return subtree.comparable.every((rdn, index) => name.comparable[index] === rdn || name.incomparable[index] === true);
}

/** With a leading dot, as OpenSSL and others write it, the constraint covers only hosts below the domain. */
function isDnsWithin(host: string, base: string): boolean {
  return base === '' || host === base || host.endsWith(base.startsWith('.') ? base : `.${base}`);
}

/** `.example.com` covers the hosts below it; `example.com` is exactly one host. */
function isHostWithin(host: string, domain: string): boolean {
  return domain.startsWith('.') ? host.endsWith(domain) && host.length > domain.length : host === domain;
}

function isAddressWithin(address: Uint8Array, range: Uint8Array): boolean {
  const size = address.length;
  if (range.length !== size * 2) return false;
  return address.every((octet, index) => ((octet ^ (range[index] as number)) & (range[size + index] as number)) === 0);
}

const MAPPED = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff];

/** RFC 4291 2.5.5.2: ::ffff:10.0.0.1 is 10.0.0.1. The same for a range of such addresses, which is followed by its mask. */
function withoutMapping(octets: Uint8Array, size: 16 | 32): Uint8Array {
  const isMapped = octets.length === size && MAPPED.every((octet, index) => octets[index] === octet);
  const isRange = octets.subarray(16, 28).every((octet) => octet === 0xff);
  return isMapped && isRange ? Buffer.concat([octets.subarray(12, 16), octets.subarray(28, 32)]) : octets;
}
