// Validates one path by RFC 5280 6.1 and by our own rules. Every step is reported; the first failed step decides.
import type { EpochSeconds } from '../../core/time.ts';
import type { Step } from '../../core/verdict.ts';
import { type Certificate, isSelfIssued } from '../x509/certificate.ts';
import { printName } from '../x509/distinguished-name.ts';
import { type NameComparisons, violatedConstraint } from './name-constraints.ts';
import { violatedPolicy } from './policies.ts';
import { type PathPolicy, type Position, type Role, step } from './rule.ts';
import { RULES } from './rules.ts';

/** The approved issuer comes first, the leaf last; each has signed the next. */
export type Path = readonly [Certificate, ...Certificate[]];

export type PathEnd = 'leaf' | 'revocation signer';

export function judgePath(
  path: Path,
  policy: PathPolicy,
  now: EpochSeconds,
  end: PathEnd = 'leaf',
  work: NameComparisons = { comparisons: 0 },
): Step[] {
  const positions = path.map((certificate, index): Position => {
    const isNamedByKey = path[index + 1]?.known.authorityKeyIdentifier?.key !== undefined;
    return { certificate, role: roleAt(path, index, end), isNamedByKey, now, policy };
  });
  return [...positions.flatMap(judgeCertificateAlone), ...judgeTogether(path, policy, end, work)];
}

/** Checks a certificate alone by the rules of its role, independent of the rest of the path. */
export function judgeAuthority(
  certificate: Certificate,
  role: 'approved issuer' | 'intermediate',
  policy: PathPolicy,
  now: EpochSeconds,
): Step[] {
  return judgeCertificateAlone({ certificate, role, isNamedByKey: false, now, policy });
}

export function roleAt(path: Path, index: number, end: PathEnd = 'leaf'): Role {
  if (index === path.length - 1) return end;
  return index === 0 ? 'approved issuer' : 'intermediate';
}

export function describe(certificate: Certificate, role: Role): string {
  return `${role} ${printName(certificate.subject)}`;
}

function judgeCertificateAlone(position: Position): Step[] {
  const about = describe(position.certificate, position.role);
  return rulesFor(position.role, position.policy.profile).map((rule) => applyRule(rule, position, about));
}

const byRole = new Map<string, typeof RULES>();

function rulesFor(role: Role, of: PathPolicy['profile']): typeof RULES {
  const key = `${role} ${of}`;
  const found =
    byRole.get(key) ?? RULES.filter(({ roles = [role], profile = of }) => roles.includes(role) && profile === of);
  byRole.set(key, found);
  return found;
}

type NamedRule = (typeof RULES)[number];

function applyRule(rule: NamedRule, position: Position, about: string): Step {
  const passed = rule.holds(position);
  const found = passed ? undefined : rule.found?.(position.certificate);
  const setting = settingOf(rule, position.policy, passed);
  const more = { ...(rule.reason && { reason: rule.reason }), ...(setting !== undefined && { setting }) };
  return step(rule.rule, passed, about, explain(rule.words, found), more);
}

/** Shows which setting could change the result, or that none can. */
function settingOf(rule: NamedRule, policy: PathPolicy, passed: boolean): string | undefined {
  if (rule.setting) return rule.setting(policy);
  if (rule.profile) return `profile: ${rule.profile}`;
  return passed ? undefined : EVERY_PROFILE;
}

export const EVERY_PROFILE = 'every profile';

function judgeTogether(path: Path, policy: PathPolicy, end: PathEnd, work: NameComparisons): Step[] {
  const { profile } = policy;
  // Required policies are about callers: signers of lists and OCSP responses usually have none.
  const policies = end === 'leaf' ? policy.policies : undefined;
  const checks = [
    [
      'path-length',
      'no authority exceeds the path length of an authority above it (RFC 5280 4.2.1.9)',
      violatedPathLength(path),
    ],
    [
      'name-constraints',
      'every name is within the name constraints of the authorities above it (RFC 5280 4.2.1.10)',
      violatedConstraint(path, profile, work),
    ],
    [
      'certificate-policies',
      'the certificate policies of the path are valid (RFC 5280 6.1)',
      violatedPolicy(path, policies),
      policies && !violatedPolicy(path) ? `policies: ${policies.join(', ')}` : EVERY_PROFILE,
    ],
  ] as const;
  return checks.map(([rule, words, found, setting = EVERY_PROFILE]) =>
    step(rule, !found, 'path', explain(words, found), found ? { setting } : {}),
  );
}

function explain(words: string, found: string | undefined): string {
  return found ? `${words}: ${found}` : words;
}

/** RFC 5280 6.1.4 (l) and (m) */
function violatedPathLength(path: Path): string | undefined {
  let remaining = Number.POSITIVE_INFINITY;
  for (const [index, certificate] of path.slice(0, -1).entries()) {
    if (index > 0 && !isSelfIssued(certificate)) {
      if (remaining === 0) return `${printName(certificate.subject)} exceeds the allowed path length`;
      remaining--;
    }
    remaining = Math.min(remaining, certificate.known.basicConstraints?.pathLength ?? remaining);
  }
  return undefined;
}
