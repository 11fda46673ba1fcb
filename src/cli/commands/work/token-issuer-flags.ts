// Converts flags of `tessera token-issuer` to drafts, and token issuers to what is printed.
import { readFileSync } from 'node:fs';
import { formatDuration } from '../../../core/duration.ts';
import { describeTest } from '../../../core/rules/claims.ts';
import type { EpochSeconds, Seconds } from '../../../core/time.ts';
import type { AssertionAlgorithm, AssertionRule, TokenIssuer } from '../../../core/token-issuer.ts';
import { readRules, type WrittenRule, type WrittenTest } from '../../../operations/admin/assertion-rules.ts';
import type { WrittenTokenIssuer } from '../../../operations/admin/objects.ts';
import type { KeyDraft, TokenIssuerDraft } from '../../../operations/admin/token-issuer-draft.ts';
import { CommandFailure } from '../../terminal/exit.ts';
import { accepted } from '../../terminal/wording.ts';

export interface TokenIssuerFlags extends RuleFlags {
  readonly discovery?: true;
  readonly jwksUrl?: string;
  readonly jwksFile?: string;
  readonly caFile?: string;
  readonly allowAddress?: readonly string[];
  readonly rules?: string;
  readonly audience?: string;
  readonly algorithm?: readonly AssertionAlgorithm[];
  readonly assertions?: TokenIssuer['assertions'];
  readonly maxLifetime?: Seconds;
  readonly kind?: 'platform' | 'enterprise';
  readonly tokenEndpointAudience?: boolean;
}

export interface AddFlags extends TokenIssuerFlags {
  readonly issuer: string;
}

interface RuleFlags {
  readonly when?: readonly string[];
  readonly whenLike?: readonly string[];
  readonly identity?: string;
  readonly directory?: Exclude<AssertionRule['identities'], 'derived'>;
  readonly onlyIntegration?: readonly string[];
}

export interface ListFlags {
  readonly all?: true;
  readonly json?: true;
}

export interface ExplainFlags {
  readonly at?: EpochSeconds;
  readonly json?: true;
}

export function draftOf(flags: TokenIssuerFlags): TokenIssuerDraft {
  const { caFile, allowAddress, audience, algorithm, assertions, maxLifetime, kind, tokenEndpointAudience } = flags;
  const [keys, rules] = [keysOf(flags), rulesOf(flags)];
  return {
    ...(keys && { keys }),
    ...(allowAddress && { allowedAddresses: allowAddress }),
    ...(caFile !== undefined && { authorities: readFileSync(caFile, 'latin1') }),
    ...(algorithm && { algorithms: algorithm }),
    ...(audience !== undefined && { audience }),
    ...(kind && { kind }),
    ...(tokenEndpointAudience !== undefined && { tokenEndpointAudience }),
    ...(assertions && { assertions }),
    ...(maxLifetime !== undefined && { maxAssertionLifetime: maxLifetime }),
    ...(rules !== undefined && { rules }),
  };
}

function keysOf({ discovery, jwksUrl, jwksFile }: TokenIssuerFlags): KeyDraft | undefined {
  const given = [discovery, jwksUrl, jwksFile].filter((flag) => flag !== undefined);
  if (given.length > 1)
    throw new CommandFailure(
      'usage',
      'the keys are given twice',
      'Use one of --discovery, --jwks-url and --jwks-file.',
    );
  if (jwksUrl !== undefined) return { from: 'url', url: jwksUrl };
  if (jwksFile !== undefined) return { from: 'file', set: readFileSync(jwksFile, 'utf8') };
  return discovery && { from: 'discovery' };
}

/** Undefined if no flag is about rules. */
function rulesOf({ rules: file, when, whenLike, identity, directory, onlyIntegration }: TokenIssuerFlags): unknown {
  const hasFlags = [when, whenLike, identity, directory, onlyIntegration].some((flag) => flag !== undefined);
  if (file === undefined)
    return hasFlags ? [ruleOf({ ...given({ when, whenLike, identity, directory, onlyIntegration }) })] : undefined;
  if (hasFlags)
    throw new CommandFailure('usage', 'the rules are given twice', 'Use --rules alone, or the flags for one rule.');
  try {
    return JSON.parse(readFileSync(file === '-' ? 0 : file, 'utf8')) as unknown;
  } catch (fault) {
    if (!(fault instanceof SyntaxError)) throw fault;
    throw new CommandFailure('refused', `${file} is not JSON`, 'See "Rules" in docs/workloads.md.');
  }
}

function given(flags: { readonly [Key in keyof RuleFlags]: RuleFlags[Key] | undefined }): RuleFlags {
  return Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined));
}

function ruleOf({ when = [], whenLike = [], identity = '{/sub}', directory, onlyIntegration }: RuleFlags): WrittenRule {
  const tests = new Map<string, WrittenTest>();
  for (const [claim, value] of when.map((flag) => splitFlag('--when', flag))) {
    const before = tests.get(claim);
    tests.set(claim, before === undefined ? value : [before as string, value].flat());
  }
  for (const [claim, like] of whenLike.map((flag) => splitFlag('--when-like', flag))) {
    if (tests.has(claim))
      throw new CommandFailure('usage', `${claim} has two conditions`, 'Give one pattern, or values, for each claim.');
    tests.set(claim, { like });
  }
  return {
    when: Object.fromEntries(tests),
    identity,
    ...(directory && { directory }),
    ...(onlyIntegration && { integrations: onlyIntegration }),
  };
}

function splitFlag(name: string, flag: string): [claim: string, value: string] {
  const at = flag.indexOf('=');
  if (at < 1) throw new CommandFailure('usage', `${name} ${flag}: there is no =`, `Write ${name} /claim=value.`);
  return [flag.slice(0, at), flag.slice(at + 1)];
}

/** Rules in the format of --rules, so that they can be edited and given back; the settings of fetching with the keys. */
export function shown({ keys, allowedAddresses, authorities, rules, ...rest }: WrittenTokenIssuer): object {
  const settings = { ...(allowedAddresses && { allowedAddresses }), ...(authorities !== undefined && { authorities }) };
  const source = keys?.from === 'file' ? { from: 'file', set: JSON.parse(keys.set) as unknown } : keys;
  return { ...rest, keys: { ...source, ...settings }, rules };
}

export function recordOf(tokenIssuer: WrittenTokenIssuer): Record<string, string> {
  const { label = '', issuer, allowedAddresses, authorities, algorithms = [], audience, assertions = '' } = tokenIssuer;
  const { maxAssertionLifetime = 0, rules, enabled } = tokenIssuer;
  return {
    label,
    registered: enabled ? 'yes' : 'removed',
    issuer,
    keys: describeKeys(tokenIssuer),
    ...(authorities !== undefined && { 'trusted for TLS': 'only the given authorities' }),
    ...(allowedAddresses && { 'allowed addresses': allowedAddresses.join(' ') }),
    algorithms: algorithms.join(' '),
    ...(tokenIssuer.kind === 'enterprise' && { kind: 'enterprise' }),
    audience: audience ?? 'the public address of this service',
    ...(tokenIssuer.tokenEndpointAudience && { 'also the token endpoint': 'yes' }),
    assertions,
    'longest lifetime': formatDuration(maxAssertionLifetime),
    ...Object.fromEntries(accepted(readRules(rules)).map((rule, index) => [`rule ${index + 1}`, describeRule(rule)])),
  };
}

export function describeKeys({ keys }: Pick<WrittenTokenIssuer, 'keys'>): string {
  if (!keys || keys.from === 'discovery') return 'by discovery';
  return keys.from === 'url' ? keys.url : 'from a file';
}

function describeRule({ conditions, identity, identities, directories, integrations }: AssertionRule): string {
  const tests = conditions.map(({ claim, test }) => `${claim} ${describeTest(test)}`).join(', ');
  const who =
    identities === 'derived'
      ? identity
      : `${identity} as ${identities} in the directory ${directories?.join(', ') ?? 'local'}`;
  return `${tests}: ${who}${integrations ? `, for ${integrations.join(', ')}` : ''}`;
}
