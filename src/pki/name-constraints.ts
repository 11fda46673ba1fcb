// RFC 5280 4.2.1.10: an authority may sign only for names inside the permitted and outside the excluded subtrees of every
// authority above it.
import { type Certificate, isSelfIssued } from './certificate.ts';
import { attributesOf, EMAIL_ADDRESS, isNameWithin } from './distinguished-name.ts';
import type { GeneralName } from './general-name.ts';
import { hostOf, isConstraint } from './name-form.ts';

// Thousands of constraints against thousands of names are work for seconds; no honest authority comes near this.
const MOST_COMPARISONS = 20_000;

/** Why the path violates the constraints of its authorities; nothing where it does not. Anchor first, leaf last. */
export function violatedConstraint(path: readonly Certificate[]): string | undefined {
  const work = { comparisons: 0 };
  for (const [depth, authority] of path.entries()) {
    const constraints = authority.known.nameConstraints;
    if (!constraints) continue;
    const misshapen = [...constraints.permitted, ...constraints.excluded].find((name) => !isConstraint(name));
    if (misshapen) return `a constraint of kind ${misshapen.kind} is malformed`;
    for (const certificate of path.slice(depth + 1)) {
      // RFC 5280 6.1.3 (b): self-issued authorities are exempt, the final certificate never is.
      if (isSelfIssued(certificate) && certificate !== path.at(-1)) continue;
      const violation = violationBy(certificate, constraints.permitted, constraints.excluded, work);
      if (violation) return violation;
    }
  }
  return undefined;
}

function violationBy(
  certificate: Certificate,
  permitted: readonly GeneralName[],
  excluded: readonly GeneralName[],
  work: { comparisons: number },
): string | undefined {
  const names = constrainedNames(certificate);
  work.comparisons += names.length * (permitted.length + excluded.length);
  if (work.comparisons > MOST_COMPARISONS) return `more than ${MOST_COMPARISONS} comparisons of names would be needed`;
  for (const name of names) {
    const sameKind = permitted.filter((subtree) => isSameForm(name, subtree));
    if (excluded.some((subtree) => isSameForm(name, subtree) && overlaps(name, subtree))) {
      return `a name of kind ${name.kind} lies in an excluded subtree`;
    }
    if (sameKind.length > 0 && !sameKind.some((subtree) => isWithin(name, subtree))) {
      return `a name of kind ${name.kind} lies outside the permitted subtrees`;
    }
  }
  return undefined;
}

function isSameForm(name: GeneralName, subtree: GeneralName): boolean {
  if (name.kind === 'other' && subtree.kind === 'other') return name.oid === subtree.oid;
  return name.kind === subtree.kind;
}

function constrainedNames({ subject, known }: Certificate): GeneralName[] {
  const names: GeneralName[] = [...(known.subjectAltName ?? [])];
  if (subject.rdns.length > 0) names.push({ kind: 'directory', name: subject });
  for (const { value } of attributesOf(subject, EMAIL_ADDRESS)) names.push({ kind: 'email', value });
  return names;
}

/** Whether every name that this one can stand for lies in the subtree. */
function isWithin(name: GeneralName, subtree: GeneralName): boolean {
  if (name.kind === 'dns' && subtree.kind === 'dns') return isDnsWithin(name.value.replace(/^\*\./, ''), subtree.value);
  if (name.kind === 'email' && subtree.kind === 'email') return isMailboxWithin(name.value, subtree.value);
  if (name.kind === 'uri' && subtree.kind === 'uri') return isHostWithin(hostOf(name.value) ?? '', subtree.value);
  if (name.kind === 'ip' && subtree.kind === 'ip') return isAddressWithin(name.octets, subtree.octets);
  if (name.kind === 'directory' && subtree.kind === 'directory') return isNameWithin(name.name, subtree.name);
  return false;
}

/** Whether any name that this one can stand for lies in the subtree: a wildcard reaches into excluded hosts. */
function overlaps(name: GeneralName, subtree: GeneralName): boolean {
  // RFC 5280 4.2.1.10: a constraint we cannot process, on a kind of name that occurs, is a refusal.
  if (!['dns', 'email', 'uri', 'ip', 'directory'].includes(name.kind)) return true;
  if (name.kind === 'uri' && !hostOf(name.value)) return true;
  if (isWithin(name, subtree)) return true;
  const isWildcard = name.kind === 'dns' && name.value.startsWith('*.');
  return isWildcard && subtree.kind === 'dns' && isDnsWithin(subtree.value, name.value.slice(2));
}

function isDnsWithin(host: string, subtree: string): boolean {
  const [name, base] = [host.toLowerCase(), subtree.toLowerCase()];
  return base === '' || name === base || name.endsWith(`.${base}`);
}

/** `.example.com` holds the hosts below it; `example.com` is one host. */
function isHostWithin(host: string, base: string): boolean {
  const [name, domain] = [host.toLowerCase(), base.toLowerCase()];
  return domain.startsWith('.') ? name.endsWith(domain) && name.length > domain.length : name === domain;
}

function isMailboxWithin(mailbox: string, base: string): boolean {
  const at = mailbox.lastIndexOf('@');
  const host = mailbox.slice(at + 1);
  const baseAt = base.lastIndexOf('@');
  if (baseAt < 0) return isHostWithin(host, base);
  return mailbox.slice(0, at) === base.slice(0, baseAt) && isHostWithin(host, base.slice(baseAt + 1));
}

function isAddressWithin(address: Uint8Array, range: Uint8Array): boolean {
  const size = address.length;
  if (range.length !== size * 2) return false;
  return address.every((octet, index) => ((octet ^ (range[index] ?? 0)) & (range[size + index] ?? 0)) === 0);
}
