// Validates one path by RFC 5280 6.1 and by our own rules. Every step is reported; the first failed step decides.
import type { EpochSeconds } from '../../core/time.ts';
import type { Step } from '../../core/verdict.ts';
import { type Certificate, isSelfIssued } from '../x509/certificate.ts';
import { printName } from '../x509/distinguished-name.ts';
import { type NameComparisons, violatedConstraint } from './name-constraints.ts';
import { violatedPolicy } from './policies.ts';
import { AUTHORITIES, type PathPolicy, type Position, type Role, type Rule, step } from './rule.ts';
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
  return [...positions.flatMap(judgePosition), ...judgeTogether(path, policy, work)];
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

interface Judged {
  readonly position: Position;
  readonly steps: readonly Step[];
}

// Authorities are few and are judged with every caller. Only steps that all passed are kept.
const judged = new WeakMap<Certificate, Judged>();

function judgePosition(position: Position): readonly Step[] {
  const { certificate, role, now } = position;
  if (!AUTHORITIES.includes(role)) return judgeCertificateAlone(position);
  const known = judged.get(certificate);
  if (known && isAlike(known.position, position) && isValidAt(certificate, now)) return known.steps;
  const steps = judgeCertificateAlone(position);
  if (steps.every(({ passed }) => passed)) judged.set(certificate, { position, steps });
  return steps;
}

function isAlike(a: Position, b: Position): boolean {
  return a.policy === b.policy && a.role === b.role && a.isNamedByKey === b.isNamedByKey;
}

function isValidAt({ notBefore, notAfter }: Certificate, now: EpochSeconds): boolean {
  return notBefore <= now && now <= notAfter;
}

function judgeCertificateAlone(position: Position): Step[] {
  const about = describe(position.certificate, position.role);
  return RULES_FOR[position.policy.profile][position.role].map((rule) => applyRule(rule, position, about));
}

type Demand = Rule & { readonly demand: string; readonly profileSetting: string | undefined };

const DEMANDS: readonly Demand[] = RULES.map((rule) => ({
  ...rule,
  demand: `${rule.words} (${rule.clause})`,
  profileSetting: rule.profile && `profile: ${rule.profile}`,
  ...(rule.setting && { setting: printedOnce(rule.setting) }),
}));
const RULES_FOR = { rfc5280: rulesByRole('rfc5280'), strict: rulesByRole('strict') };

/** The settings of an issuer are the same object with every request. */
function printedOnce(print: (policy: PathPolicy) => string): (policy: PathPolicy) => string {
  const known = new WeakMap<PathPolicy, string>();
  return (policy) => {
    const text = known.get(policy) ?? print(policy);
    known.set(policy, text);
    return text;
  };
}

function rulesByRole(profile: PathPolicy['profile']): Readonly<Record<Role, readonly Demand[]>> {
  const rulesOf = (role: Role) =>
    DEMANDS.filter((rule) => rule.roles.includes(role) && (rule.profile ?? profile) === profile);
  return {
    'approved issuer': rulesOf('approved issuer'),
    intermediate: rulesOf('intermediate'),
    leaf: rulesOf('leaf'),
    'revocation signer': rulesOf('revocation signer'),
  };
}

function applyRule(rule: Demand, position: Position, about: string): Step {
  const passed = rule.holds(position);
  const found = passed ? undefined : rule.found?.(position.certificate);
  const words = found ? `${rule.demand}: ${found}` : rule.demand;
  const setting = settingOf(rule, position.policy, passed);
  const reason = rule.reason ?? 'certificate-refused-by-policy';
  const result = { rule: rule.rule, passed, about, words, reason };
  return setting === undefined ? result : { ...result, setting };
}

/** Shows which setting could change the result, or that none can. */
function settingOf(rule: Demand, policy: PathPolicy, passed: boolean): string | undefined {
  if (rule.setting) return rule.setting(policy);
  if (rule.profileSetting) return rule.profileSetting;
  return passed ? undefined : EVERY_PROFILE;
}

export const EVERY_PROFILE = 'every profile';

function judgeTogether(path: Path, { profile }: PathPolicy, work: NameComparisons): Step[] {
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
    ['certificate-policies', 'the certificate policies of the path are valid (RFC 5280 6.1)', violatedPolicy(path)],
  ] as const;
  return checks.map(([rule, words, found]) =>
    step(rule, !found, 'path', explain(words, found), found ? { setting: EVERY_PROFILE } : {}),
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
