// What the claims of an assertion must say (RFC 7523 3). All are checked, for the dry run; the first failure counts.
import type { AcceptedClaims, AssertionStep, EnterpriseClaims } from '../assertion.ts';
import { isPlainName } from '../certificate.ts';
import { type Claims, claimText, type FilledTemplate, fillTemplate, showClaim } from '../claims.ts';
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
  /** An audience where the token issuer allows it. */
  readonly ourTokenEndpoint?: string | undefined;
  readonly now: EpochSeconds;
}

export interface ClaimsVerdict {
  readonly outcome: Outcome<AcceptedClaims>;
  readonly steps: readonly AssertionStep[];
}

/** How far apart the clocks of the token issuer and of this service may be. */
export const CLOCK_LEEWAY = seconds(60);

export function judgeClaims(facts: ClaimsFacts): ClaimsVerdict {
  const tried = facts.tokenIssuer.rules.map((rule) => {
    return { rule, unmet: rule.conditions.find((condition) => !holds(condition, facts.claims)) };
  });
  const matched = tried.filter(({ rule, unmet }) => !unmet && rule.conditions.length > 0);
  const only = matched.length === 1 ? matched[0]?.rule : undefined;
  const name = only && nameBy(only, facts.claims);
  const rules = ruleStep(facts, tried, only !== undefined);
  const checks = facts.tokenIssuer.kind === 'enterprise' ? [...CHECKS, checkEnterprise] : CHECKS;
  const steps = [...checks.map((check) => check(facts)), rules, ...(name ? [nameStep(name)] : [])];
  const failed = steps.find(({ passed }) => !passed);
  if (failed || !only || !name?.filled)
    return { steps, outcome: refuse(failed?.reason ?? 'assertion-malformed', { rule: failed?.rule ?? '' }) };
  const { sub, jti } = facts.claims;
  const expiresAt = dateOf(facts.claims, 'exp') as EpochSeconds;
  const id = typeof jti === 'string' || Number.isSafeInteger(jti) ? { id: String(jti) } : {};
  const { kind } = facts.tokenIssuer;
  const enterprise = kind === 'enterprise' ? { enterprise: enterpriseClaims(facts.claims) as EnterpriseClaims } : {};
  const accepted = { rule: only, subject: sub as string, name: name.filled, expiresAt, ...id, ...enterprise };
  return { steps, outcome: accept(accepted) };
}

/** Also decides again when the grant is committed: the store's clock may have moved on. */
export function isExpired(expiresAt: EpochSeconds, now: EpochSeconds): boolean {
  return now >= expiresAt;
}

type Check = (facts: ClaimsFacts) => AssertionStep;

const CHECKS: readonly Check[] = [
  ({ claims: { sub } }) => step('subject', isText(sub), 'assertion-malformed', `sub is a text that is not empty`, sub),
  checkId,
  checkDates,
  checkExpiry,
  checkLifetime,
  checkStart,
  checkAudience,
];

/** ID-JAG 3: checked only for assertions of an enterprise. */
function checkEnterprise({ claims }: ClaimsFacts): AssertionStep {
  const demand = 'jti and client_id are texts; scope is a text, and resource one or several, or absent';
  const isWhole = isText(claims['jti']) && enterpriseClaims(claims) !== undefined;
  const { jti, client_id: clientId, scope, resource } = claims;
  return step('enterprise', isWhole, 'assertion-malformed', demand, [jti, clientId, scope, resource]);
}

function enterpriseClaims({ client_id: clientId, scope, resource }: Claims): EnterpriseClaims | undefined {
  const resources = resource === undefined ? undefined : [resource].flat();
  const isWhole = resources === undefined || (resources.length > 0 && resources.every(isText)); // an empty list allows nothing
  if (!isText(clientId) || !isWhole || !(scope === undefined || typeof scope === 'string')) return undefined;
  return {
    clientId: clientId as string,
    ...(scope !== undefined && { scope }), // an empty one allows nothing
    ...(resources && { resource: resources as string[] }),
  };
}

/** RFC 7519 4.1.7 wants a text; some platforms send a number. */
function checkId({ claims: { jti } }: ClaimsFacts): AssertionStep {
  const isId = jti === undefined || isText(jti) || typeof jti === 'number';
  return step('id', isId, 'assertion-malformed', 'jti is absent, a number, or a text that is not empty', jti);
}

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

function checkAudience({ claims: { aud }, tokenIssuer, ourIssuer, ourTokenEndpoint }: ClaimsFacts): AssertionStep {
  const { audience = ourIssuer, tokenEndpointAudience, kind = 'platform' } = tokenIssuer;
  const wanted = [audience, ...(tokenEndpointAudience && ourTokenEndpoint ? [ourTokenEndpoint] : [])];
  // rfc7523bis: of several audiences, another one could present the assertion here.
  const named = Array.isArray(aud) && kind === 'platform' ? aud : [aud];
  const isNamed = named.some((each) => wanted.includes(each as string));
  const words = `aud ${kind === 'platform' ? 'contains' : 'is'} ${wanted.map(showClaim).join(' or ')}`;
  return step('audience', isNamed, 'assertion-audience-wrong', words, aud, 'audience');
}

function ruleStep(
  { claims }: ClaimsFacts,
  tried: readonly { unmet: ClaimCondition | undefined }[],
  isOne: boolean,
): AssertionStep {
  const found = tried.map(
    ({ unmet }, index) => `rule ${index + 1} ${unmet ? `does not match: ${describeUnmet(unmet, claims)}` : 'matches'}`,
  );
  const words = `exactly one rule matches: ${found.join('; ')}`;
  return step('rules', isOne, 'assertion-rule-unmatched', words, undefined, 'conditions');
}

function describeUnmet({ claim, test }: ClaimCondition, claims: Claims): string {
  const found = claimText(claims, claim);
  return `${claim} ${describeTest(test)}, found ${found === undefined ? 'no text' : showClaim(found)}`;
}

export function describeTest(test: ClaimCondition['test']): string {
  if ('is' in test) return `is ${showClaim(test.is)}`;
  return 'oneOf' in test ? `is one of ${test.oneOf.map(showClaim).join(', ')}` : `is like ${showClaim(test.like)}`;
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
  return isNamed ? { template, filled } : { template, problem: `${showClaim(filled.text)} cannot name an identity` };
}

function nameStep({ template, filled, problem }: Named): AssertionStep {
  const words = `the claims of ${showClaim(template)} name an identity`;
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
  const words = found === undefined ? demand : `${demand}, found ${showClaim(found)}`;
  return { rule, passed, about: 'assertion', words, reason, ...(setting && { setting }) };
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

/** RFC 7519 2: a number, not always whole. */
function dateOf(claims: Claims, name: string): EpochSeconds | undefined {
  const value = claims[name];
  return typeof value === 'number' && Number.isFinite(value) ? epochSeconds(value) : undefined;
}
