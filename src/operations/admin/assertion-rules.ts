// The rules of a token issuer as operators write them, and back.
import { claimsOfTemplate, isClaimPointer } from '../../core/claims.ts';
import { isLabel, LOCAL } from '../../core/identity.ts';
import { type ClientId, parseClientId } from '../../core/integration.ts';
import { accept } from '../../core/outcome.ts';
import { fixedBeginning } from '../../core/pattern.ts';
import type { AssertionRule, ClaimCondition, ClaimTest } from '../../core/token-issuer.ts';
import { type AdminOutcome, decline } from './admin.ts';
import { COMPARED_TEXT } from './text-forms.ts';

/** A rule in a file: `{"when": {"/repository": "acme/app"}, "identity": "{/repository}"}`. */
export interface WrittenRule {
  /** By claim: a value, a list of which one must match, or a pattern. */
  readonly when: Readonly<Record<string, WrittenTest>>;
  readonly identity: string;
  readonly directory?: Exclude<AssertionRule['identities'], 'derived'>;
  /** Labels of the directories to look in. */
  readonly directories?: readonly string[];
  readonly integrations?: readonly string[];
}

export type WrittenTest = string | readonly string[] | { readonly like: string };

export const DIRECTORY_NAMES = ['user-name', 'email', 'upn'] as const satisfies readonly AssertionRule['identities'][];

export const MOST_RULES = 100;
export const MOST_CONDITIONS = 20;
export const MOST_VALUES = 100;

/** Claims that are equal in all assertions that reach the rules: a condition on them excludes nobody. */
export const ABOUT_NOBODY = /^\/(?:iss|aud|exp|iat|nbf|jti)(?:\/|$)/;

/** Parses and checks rules, from a file or from flags. */
export function readRules(written: unknown): AdminOutcome<readonly AssertionRule[]> {
  if (!Array.isArray(written) || written.length === 0) return malformed('there is no rule: give a list of rules');
  if (written.length > MOST_RULES) return malformed(`there are more than ${MOST_RULES} rules`);
  const rules: AssertionRule[] = [];
  for (const [index, one] of written.entries()) {
    const rule = readRule(one);
    if (!rule.ok) return malformed(`rule ${index + 1}: ${rule.refusal.about}`);
    rules.push(rule.value);
  }
  return accept(rules);
}

const MEMBERS = ['when', 'identity', 'directory', 'directories', 'integrations'] satisfies (keyof WrittenRule)[];

function readRule(written: unknown): AdminOutcome<AssertionRule> {
  if (!isObject(written)) return malformed('it is not an object');
  const unknown = Object.keys(written).find((name) => !MEMBERS.some((member) => member === name));
  if (unknown !== undefined) return malformed(`${JSON.stringify(unknown)} is not a member of a rule`);
  const { when, identity = '{/sub}', directory, directories, integrations } = written;
  const conditions = readConditions(when);
  if (!conditions.ok) return conditions;
  if (directory !== undefined && !DIRECTORY_NAMES.some((name) => name === directory))
    return malformed(`directory is one of ${DIRECTORY_NAMES.join(', ')}`);
  const identities = (directory ?? 'derived') as AssertionRule['identities'];
  const flaw = templateFlaw(identity, identities);
  if (flaw) return malformed(flaw);
  if (directories !== undefined && (directory === undefined || !areLabels(directories)))
    return malformed('directories is a list of labels, beside directory');
  const served = readIntegrations(integrations);
  if (!served.ok) return served;
  return accept({
    conditions: conditions.value,
    identity: identity as string,
    identities,
    ...(directories !== undefined && { directories: directories as readonly string[] }),
    ...(served.value && { integrations: served.value }),
  });
}

function readConditions(when: unknown): AdminOutcome<readonly ClaimCondition[]> {
  const entries = isObject(when) ? Object.entries(when) : [];
  if (entries.length === 0) return malformed('it has no condition: name at least one claim');
  if (entries.length > MOST_CONDITIONS) return malformed(`it has more than ${MOST_CONDITIONS} conditions`);
  const conditions: ClaimCondition[] = [];
  for (const [claim, value] of entries) {
    if (!isClaimPointer(claim)) return malformed(`${JSON.stringify(claim)} is not a claim such as /repository`);
    const test = readTest(value);
    if (!test) return malformed(`the value for ${claim} is not a text, a list of texts, or {"like": "pattern"}`);
    conditions.push({ claim, test });
  }
  if (!conditions.some(isSelective)) return malformed(ACCEPTS_ANY);
  return accept(conditions);
}

const ACCEPTS_ANY = 'every condition accepts any workload: name one that does not begin with *, apart from iss and aud';

/** A token issuer with other customers also signs for those: a condition must exclude them. */
function isSelective({ claim, test }: ClaimCondition): boolean {
  return !ABOUT_NOBODY.test(claim) && !('like' in test && test.like.startsWith('*'));
}

/** Claims whose value any customer of a shared platform can have, such as branches, events, people and shared workflows. */
const OF_ANYBODY: ReadonlySet<string> = new Set(
  [
    ...['ref', 'ref_type', 'ref_path', 'ref_protected', 'base_ref', 'head_ref', 'event_name', 'pipeline_source'],
    ...['environment', 'environment_protected', 'environment_action', 'deployment_tier', 'runner_environment'],
    ...['workflow', 'job_workflow_ref', 'job_workflow_sha', 'repository_visibility', 'project_visibility'],
    ...['actor', 'actor_id', 'user_login', 'user_id', 'user_email', 'user_access_level'],
  ].map((name) => `/${name}`),
);

/** If rules may admit workloads of other customers of the token issuer: which, and what to do. */
export function openRules(rules: readonly AssertionRule[]) {
  const open = rules.flatMap(({ conditions }, index) => (conditions.some(namesOwner) ? [] : `rule ${index + 1}`));
  if (open.length === 0) return undefined;
  return {
    problem: `${open.join(', ')}: no condition names an owner, so everybody with an account on the platform may be admitted`,
    todo: 'Name a repository, project, organization, namespace or subject, such as /repository=acme/app.',
  };
}

/** A pattern names an owner if whole names come before its first star: not `repo:*`, and not `repo:acme*`, which `acme-evil` fits too. */
function namesOwner(condition: ClaimCondition): boolean {
  const { claim, test } = condition;
  if (!isSelective(condition) || OF_ANYBODY.has(claim)) return false;
  if (!('like' in test) || !test.like.includes('*')) return true;
  return (claim === '/sub' ? /[^:/][:/]+[^:/]+[:/]$/ : /[^:/][:/]$/).test(fixedBeginning(test.like));
}

function readTest(value: unknown): ClaimTest | undefined {
  if (isValue(value)) return { is: value };
  if (Array.isArray(value)) {
    const isList = value.length > 0 && value.length <= MOST_VALUES && value.every(isValue);
    return isList ? { oneOf: value } : undefined;
  }
  if (!isObject(value) || Object.keys(value).length !== 1) return undefined;
  return isValue(value['like']) ? { like: value['like'] } : undefined;
}

function templateFlaw(template: unknown, identities: AssertionRule['identities']): string | undefined {
  const claims = typeof template === 'string' ? claimsOfTemplate(template) : undefined;
  if (!claims) return 'identity names no claim in braces, such as {/sub}';
  // Two claims could divide the same text in two ways, and one of them may be chosen by an attacker.
  return identities !== 'derived' && claims.length > 1
    ? 'identity may name only one claim if identities come from the directory'
    : undefined;
}

function areLabels(written: unknown): boolean {
  return (
    Array.isArray(written) && written.length > 0 && written.every((label) => label === LOCAL || isLabel(String(label)))
  );
}

function readIntegrations(written: unknown): AdminOutcome<readonly ClientId[] | undefined> {
  if (written === undefined) return accept(undefined);
  const list: readonly unknown[] = Array.isArray(written) ? written : [];
  const clientIds = list.map((text) => (typeof text === 'string' ? parseClientId(text) : undefined));
  const isList = clientIds.length > 0 && clientIds.every((id) => id !== undefined);
  return isList ? accept(clientIds as ClientId[]) : malformed('integrations is a list of client ids');
}

/** The rules in the format of a file. */
export function writtenRules(rules: readonly AssertionRule[]): readonly WrittenRule[] {
  return rules.map(({ conditions, identity, identities, directories, integrations }) => ({
    when: Object.fromEntries(conditions.map(({ claim, test }) => [claim, writtenTest(test)])),
    identity,
    ...(identities !== 'derived' && { directory: identities }),
    ...(directories && { directories }),
    ...(integrations && { integrations }),
  }));
}

function writtenTest(test: ClaimTest): WrittenTest {
  if ('is' in test) return test.is;
  return 'oneOf' in test ? test.oneOf : test;
}

function malformed(why: string) {
  return decline('rule-malformed', why);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isValue(value: unknown): value is string {
  return typeof value === 'string' && COMPARED_TEXT.test(value);
}
