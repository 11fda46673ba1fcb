// What the claims of an assertion must say (RFC 7523 3). Every check is made, so that the dry run shows all that is wrong;
// the first failure is the refusal.
import type { AcceptedClaims, AssertionStep } from '../assertion.ts';
import { isPlainName } from '../certificate.ts';
import { type FilledTemplate, fillTemplate } from '../claim-template.ts';
import { type Claims, claimText } from '../claims.ts';
import { accept, type Outcome, refuse } from '../outcome.ts';
import { fitsPattern } from '../pattern.ts';
import type { RefusalReason } from '../refusal.ts';
import { after, type EpochSeconds, epochSeconds, seconds } from '../time.ts';
import type { AssertionRule, AssertionSetting, ClaimCondition, TokenIssuer } from '../token-issuer.ts';

export interface ClaimsFacts {
  readonly claims: Claims;
  readonly tokenIssuer: TokenIssuer;
  /** Our own issuer: the audience unless the token issuer has another. */
  readonly ourIssuer: string;
  readonly now: EpochSeconds;
}

export interface ClaimsVerdict {
  readonly outcome: Outcome<AcceptedClaims>;
  readonly steps: readonly AssertionStep[];
}

/** How far apart the clocks of the token issuer and of this service may be. */
export const CLOCK_LEEWAY = seconds(60);

export function judgeClaims(facts: ClaimsFacts): ClaimsVerdict {
  const matched = facts.tokenIssuer.rules.filter((rule) => isMatched(rule, facts.claims));
  const [rule] = matched;
  const only = matched.length === 1 ? rule : undefined;
  const name = only && nameBy(only, facts.claims);
  const steps = [...CHECKS.map((check) => check(facts)), ruleStep(facts, matched), ...(name ? [nameStep(name)] : [])];
  const failed = steps.find(({ passed }) => !passed);
  if (failed || !only || !name?.filled)
    return { steps, outcome: refuse(reasonOf(failed), { rule: failed?.rule ?? '' }) };
  const { sub, jti } = facts.claims;
  const expiresAt = dateOf(facts.claims, 'exp') as EpochSeconds;
  const id = typeof jti === 'string' ? { id: jti } : {};
  return { steps, outcome: accept({ rule: only, subject: sub as string, name: name.filled, expiresAt, ...id }) };
}

function reasonOf(failed: AssertionStep | undefined): RefusalReason {
  return failed?.reason ?? 'assertion-malformed';
}

/** Also decides again when the grant is committed: the store's clock may have moved on. */
export function isExpired(expiresAt: EpochSeconds, now: EpochSeconds): boolean {
  return now >= expiresAt;
}

type Check = (facts: ClaimsFacts) => AssertionStep;

const CHECKS: readonly Check[] = [
  ({ claims: { sub } }) => step('subject', isText(sub), 'assertion-malformed', `sub is a text that is not empty`, sub),
  ({ claims: { jti } }) =>
    step(
      'id',
      jti === undefined || isText(jti),
      'assertion-malformed',
      'jti is absent or a text that is not empty',
      jti,
    ),
  checkDates,
  checkExpiry,
  checkLifetime,
  checkStart,
  checkAudience,
];

function checkDates({ claims }: ClaimsFacts): AssertionStep {
  const wrong = ['iat', 'nbf'].find((name) => claims[name] !== undefined && dateOf(claims, name) === undefined);
  const isWhole = dateOf(claims, 'exp') !== undefined && wrong === undefined;
  return step('dates', isWhole, 'assertion-malformed', 'exp is a number; iat and nbf are numbers or absent', [
    claims['exp'],
    claims['iat'],
    claims['nbf'],
  ]);
}

function checkExpiry({ claims, now }: ClaimsFacts): AssertionStep {
  const exp = dateOf(claims, 'exp');
  const isLive = exp !== undefined && !isExpired(exp, now);
  return step('expiry', isLive, 'assertion-expired', `exp is after ${now}`, exp);
}

/** From its issue, or as far as that is not known, from now. */
function checkLifetime({ claims, now, tokenIssuer: { maxAssertionLifetime: most } }: ClaimsFacts): AssertionStep {
  const from = dateOf(claims, 'iat') ?? dateOf(claims, 'nbf') ?? now;
  const lifetime = (dateOf(claims, 'exp') ?? from) - from;
  const words = `it is valid for at most ${most} seconds`;
  return step('lifetime', lifetime <= most, 'assertion-lifetime-too-long', words, lifetime, 'maxAssertionLifetime');
}

function checkStart({ claims, now }: ClaimsFacts): AssertionStep {
  const latest = after(now, CLOCK_LEEWAY);
  const starts = [dateOf(claims, 'iat'), dateOf(claims, 'nbf')];
  const isValid = starts.every((start) => start === undefined || start <= latest);
  return step('start', isValid, 'assertion-not-yet-valid', `iat and nbf are not after ${latest}`, starts);
}

function checkAudience({ claims: { aud }, tokenIssuer, ourIssuer }: ClaimsFacts): AssertionStep {
  const wanted = tokenIssuer.audience ?? ourIssuer;
  const named = Array.isArray(aud) ? aud : [aud];
  const words = `aud contains ${quote(wanted)}`;
  return step('audience', named.includes(wanted), 'assertion-audience-wrong', words, aud, 'audience');
}

function ruleStep({ claims, tokenIssuer: { rules } }: ClaimsFacts, matched: readonly AssertionRule[]): AssertionStep {
  const found = rules.map((rule, index) => {
    const unmet = rule.conditions.find((condition) => !holds(condition, claims));
    return `rule ${index + 1} ${unmet ? `does not match: ${describeUnmet(unmet, claims)}` : 'matches'}`;
  });
  const words = `exactly one rule matches: ${found.join('; ')}`;
  return step('rules', matched.length === 1, 'assertion-rule-unmatched', words, undefined, 'conditions');
}

function describeUnmet({ claim, test }: ClaimCondition, claims: Claims): string {
  const found = claimText(claims, claim);
  return `${claim} ${describeTest(test)}, found ${found === undefined ? 'no text' : quote(found)}`;
}

export function describeTest(test: ClaimCondition['test']): string {
  if ('is' in test) return `is ${quote(test.is)}`;
  return 'oneOf' in test ? `is one of ${test.oneOf.map(quote).join(', ')}` : `is like ${quote(test.like)}`;
}

function isMatched({ conditions }: AssertionRule, claims: Claims): boolean {
  return conditions.length > 0 && conditions.every((condition) => holds(condition, claims));
}

function holds({ claim, test }: ClaimCondition, claims: Claims): boolean {
  const text = claimText(claims, claim);
  if (text === undefined) return false;
  if ('is' in test) return text === test.is;
  return 'oneOf' in test ? test.oneOf.includes(text) : fitsPattern(text, test.like);
}

interface Named {
  readonly template: string;
  readonly filled?: FilledTemplate;
  readonly problem?: string;
}

function nameBy({ identity: template }: AssertionRule, claims: Claims): Named {
  const filled = fillTemplate(template, claims);
  if ('missing' in filled) return { template, problem: `${filled.missing} is missing or not a text` };
  const isNamed = filled.values.every(isPlainName) && isPlainName(filled.text);
  return isNamed ? { template, filled } : { template, problem: `${quote(filled.text)} cannot name an identity` };
}

function nameStep({ template, filled, problem }: Named): AssertionStep {
  const words = `the claims of ${quote(template)} name an identity`;
  return step('name', problem === undefined, 'assertion-name-malformed', words, problem ?? filled?.text, 'identity');
}

function step(
  rule: string,
  passed: boolean,
  reason: RefusalReason,
  demand: string,
  found: unknown,
  setting?: AssertionSetting,
): AssertionStep {
  const words = found === undefined ? demand : `${demand}, found ${quote(found)}`;
  return { rule, passed, about: 'assertion', words, reason, ...(setting && { setting }) };
}

const SHOWN_LENGTH = 200;

/** Claims are chosen by others: escaped and cut before they reach a log or a terminal. */
function quote(value: unknown): string {
  const text = JSON.stringify(value).replace(/[^\u0020-\u007e]/gu, '?');
  return text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text;
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

/** RFC 7519 2: a number, not always whole. */
function dateOf(claims: Claims, name: string): EpochSeconds | undefined {
  const value = claims[name];
  return typeof value === 'number' && Number.isFinite(value) ? epochSeconds(value) : undefined;
}
