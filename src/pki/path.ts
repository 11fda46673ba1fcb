// RFC 5280 6.1 for one path, and the rules of ours on top: every step is reported, the first that failed decides.
import type { ApprovedIssuer } from '../core/issuer.ts';
import type { EpochSeconds } from '../core/time.ts';
import { type Certificate, isSelfIssued } from './certificate.ts';
import { printName } from './distinguished-name.ts';
import { violatedConstraint } from './name-constraints.ts';
import { violatedPolicy } from './policies.ts';
import type { Position, Role, Rule } from './rule.ts';
import { RULES } from './rules.ts';
import { type Step, step } from './step.ts';

/** Approved issuer first, leaf last; each has signed the next. */
export type Path = readonly [Certificate, ...Certificate[]];

export type PathEnd = 'leaf' | 'revocation signer';
type Profile = ApprovedIssuer['profile'];

export function judgePath(path: Path, profile: Profile, now: EpochSeconds, end: PathEnd = 'leaf'): Step[] {
  const positions = path.map((certificate, index): Position => {
    return { certificate, role: roleAt(path, index, end), issued: path[index + 1], now };
  });
  return [...positions.flatMap((position) => judgeCertificateAlone(position, profile)), ...judgeTogether(path)];
}

/** What speaks against a certificate as approved issuer, or between one and the leaf, whatever it may sign later. */
export function judgeAuthority(
  certificate: Certificate,
  role: 'approved issuer' | 'intermediate',
  profile: Profile,
  now: EpochSeconds,
): Step[] {
  return judgeCertificateAlone({ certificate, role, issued: undefined, now }, profile);
}

export function roleAt(path: Path, index: number, end: PathEnd = 'leaf'): Role {
  if (index === path.length - 1) return end;
  return index === 0 ? 'approved issuer' : 'intermediate';
}

export function describe(certificate: Certificate, role: Role): string {
  return `${role} ${printName(certificate.subject)}`;
}

function judgeCertificateAlone(position: Position, profile: Profile): Step[] {
  const about = describe(position.certificate, position.role);
  return RULES.filter(({ roles }) => roles.includes(position.role))
    .filter((rule) => rule.profile === undefined || rule.profile === profile)
    .map((rule) => applyRule(rule, position, about));
}

function applyRule(rule: Rule, position: Position, about: string): Step {
  const passed = rule.holds(position);
  const found = passed ? undefined : rule.found?.(position.certificate);
  const words = `${rule.words} (${rule.clause})${found ? `: ${found}` : ''}`;
  const reason = rule.reason ?? 'certificate-refused-by-policy';
  return step(rule.rule, passed, about, words, {
    reason,
    ...(rule.profile && { setting: `profile: ${rule.profile}` }),
  });
}

function judgeTogether(path: Path): Step[] {
  const wholePath = 'path';
  const tooLong = violatedPathLength(path);
  const outside = violatedConstraint(path);
  const withoutPolicy = violatedPolicy(path);
  return [
    step(
      'path-length',
      !tooLong,
      wholePath,
      explain('no authority has more authorities below it than it allows (RFC 5280 4.2.1.9)', tooLong),
    ),
    step(
      'name-constraints',
      !outside,
      wholePath,
      explain('every name lies within the constraints of the authorities above it (RFC 5280 4.2.1.10)', outside),
    ),
    step(
      'certificate-policies',
      !withoutPolicy,
      wholePath,
      explain('certificate policies hold along the path (RFC 5280 6.1)', withoutPolicy),
    ),
  ];
}

function explain(words: string, found: string | undefined): string {
  return found ? `${words}: ${found}` : words;
}

/** RFC 5280 6.1.4 (l) and (m) */
function violatedPathLength(path: Path): string | undefined {
  let remaining = Number.POSITIVE_INFINITY;
  for (const [index, certificate] of path.slice(0, -1).entries()) {
    if (index > 0 && !isSelfIssued(certificate)) {
      if (remaining === 0) return `${printName(certificate.subject)} is one authority too many`;
      remaining--;
    }
    remaining = Math.min(remaining, certificate.known.basicConstraints?.pathLength ?? remaining);
  }
  return undefined;
}
