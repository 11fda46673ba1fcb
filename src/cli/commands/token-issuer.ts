import { readFileSync } from 'node:fs';
import { formatDuration } from '../../core/duration.ts';
import { oncePer } from '../../core/once-per.ts';
import { describeTest } from '../../core/rules/claims.ts';
import { ASSERTION_ALGORITHMS, type AssertionRule } from '../../core/token-issuer.ts';
import { openRules, readRules, type WrittenRule, type WrittenTest } from '../../operations/admin/assertion-rules.ts';
import type { WrittenTokenIssuer } from '../../operations/admin/issuer-objects.ts';
import { CommandFailure } from '../terminal/exit.ts';
import { readInput } from '../terminal/input.ts';
import { declares, describes, type Flags } from '../terminal/manual.ts';
import { asMoment } from '../terminal/options.ts';
import { accepted } from '../terminal/wording.ts';
import { administers } from './administration.ts';
import { worksOf } from './things.ts';

const FLAGS = `
  --discovery                 find the keys by ISSUER/.well-known/openid-configuration (default)
  --jwks-url <url>            fetch the keys from this address
  --jwks-file <file>          store the keys of this file (JSON Web Key Set); change it when keys rotate
  --ca-file <file>            PEM: trust only these authorities when keys are fetched -> authorities
  --allow-address <address>   an address or network (10.0.0.0/8) off the public internet from which keys are fetched;
      may be repeated -> allowedAddresses
  --when <claim=value>        a claim must have this value, or one of several; may be repeated
  --when-like <claim=pattern>  a claim must fit: * is any text without : and /, ** any text; may be repeated
  --identity <template>       names the identity by claims (default: '{/sub}')
  --directory <name>          look the identity up in the directory by this name, instead of making it from the claims
      [user-name|email|upn]
  --only-integration <client_id>  for this integration only; may be repeated
  --rules <file>              JSON: a list of rules, instead of the five flags above; - for standard input
  --audience <text>           what aud of an assertion must contain (default: the public address of this service)
      -> audience
  --token-endpoint-audience <yes|no>  whether aud may also be the token endpoint of this service
      -> tokenEndpointAudience
  --kind <kind>               whose JWTs: of a platform (default), or of the provider of an enterprise (ID-JAG)
      [platform|enterprise] -> kind
  --algorithm <algorithms...>  allowed signature algorithms (default: RS256 ES256) [${ASSERTION_ALGORITHMS.join('|')}]
      -> algorithms
  --assertions <use>          whether an assertion gives one grant, or any number until it expires [once|reusable]
      -> assertions
  --max-lifetime <duration>   the longest lifetime of an assertion, at most 366d (default: 1h) -> maxAssertionLifetime
`;

const TEXT = `
token-issuer                  platforms whose signed tokens (JWTs) workloads may authorize with: CI systems, clusters,
      clouds
token-issuer add <label>      register a token issuer
  <label>                     names the token issuer, and identities made from its claims
  needs --issuer
${FLAGS}
  --issuer <iss>              iss of its assertions, exactly
  $ tessera token-issuer add github --issuer https://token.actions.githubusercontent.com --when /repository=acme/app
      --when /ref=refs/heads/main
  $ tessera token-issuer add gitlab --issuer https://gitlab.example.com --when-like '/project_path=acme/*'
      --when /ref_protected=true --identity '{/project_path}'
  $ tessera token-issuer add spire --issuer https://spire.example.com --jwks-file bundle.json --assertions reusable
      --when-like /sub=spiffe://example.com/ns/*/sa/*
token-issuer change <label>   change what the flags name; the rest stays. Flags about claims replace all rules
${FLAGS}
  $ tessera token-issuer change spire --jwks-file bundle.json
  $ tessera token-issuer change github --rules rules.json
token-issuer list             list the token issuers
  --all                       include removed ones
  --json                      as JSON
  $ tessera token-issuer list
  $ tessera token-issuer list --all --json
token-issuer show <label>     show one token issuer with its rules, also a removed one; --json has them in the format of
      --rules
  --json                      as JSON
  $ tessera token-issuer show github
  $ tessera token-issuer show github --json | jq .rules > rules.json
token-issuer remove <label>   accept its assertions no longer; existing grants stay
  $ tessera token-issuer remove github
token-issuer explain <file>   a dry run: show step by step why the service accepts an assertion or not; changes nothing
  <file>                      the assertion: a JWT in compact form; - for standard input
  --at <time>                 judge as of this moment, such as 2027-01-31T12:00:00Z (default: now)
  --json                      as JSON
  $ tessera token-issuer explain assertion.jwt
  $ tessera token-issuer explain - < assertion.jwt
`;

const described = describes(FLAGS, { authorities: (file: string) => readFileSync(file, 'latin1') });

export const commands = declares(
  TEXT,
  {
    ...worksOf('token-issuer', {
      body: bodyOf,
      added: (label, { issuer }) => `Registered ${label}: ${issuer}`,
      remarks: openRuleWords,
      columns: ['label', 'registered', 'issuer', 'keys', 'assertions', 'rules'],
      row: rowOf,
      record: recordOf,
      asJson: shown,
      removed: (label) => [`Assertions of ${label} are no longer accepted`, { label }],
    }),
    'token-issuer explain': administers(async () => (await import('./work/explain-assertion.ts')).explain),
  },
  { '--at': asMoment },
);

function bodyOf(flags: Flags, before: object = { rules: [], issuer: flags['issuer'] }): object {
  return { ...before, ...given(flags) };
}

/** A change may be made again, but standard input and pipes are read once. */
const given = oncePer((flags: Flags) => {
  const [keys, rules] = [keysOf(flags), rulesOf(flags)];
  return { ...described(flags), ...(keys && { keys }), ...(rules !== undefined && { rules }) };
});

function openRuleWords({ rules }: WrittenTokenIssuer): readonly string[] {
  const open = openRules(accepted(readRules(rules)));
  return open ? [`Warning: ${open.problem}`, `  ${open.todo}`] : [];
}

interface RuleFlags {
  readonly when?: readonly string[];
  readonly whenLike?: readonly string[];
  readonly identity?: string;
  readonly directory?: Exclude<AssertionRule['identities'], 'derived'>;
  readonly onlyIntegration?: readonly string[];
}

function keysOf({ discovery, jwksUrl, jwksFile }: Flags): object | undefined {
  const given = [discovery, jwksUrl, jwksFile].filter((flag) => flag !== undefined);
  const todo = 'Use one of --discovery, --jwks-url and --jwks-file.';
  if (given.length > 1) throw new CommandFailure('usage', 'the keys are given twice', todo);
  if (jwksUrl !== undefined) return { from: 'url', url: jwksUrl };
  if (typeof jwksFile === 'string') return { from: 'file', set: readFileSync(jwksFile, 'utf8') };
  return discovery ? { from: 'discovery' } : undefined;
}

/** Undefined if no flag is about rules. */
function rulesOf({ rules: file, ...flags }: Flags): unknown {
  const { when, whenLike, identity, directory, onlyIntegration } = flags as RuleFlags;
  const hasFlags = [when, whenLike, identity, directory, onlyIntegration].some((flag) => flag !== undefined);
  if (typeof file !== 'string') return hasFlags ? [ruleOf(flags)] : undefined;
  if (hasFlags)
    throw new CommandFailure('usage', 'the rules are given twice', 'Use --rules alone, or the flags for one rule.');
  try {
    return JSON.parse(readInput(file)) as unknown;
  } catch (fault) {
    if (!(fault instanceof SyntaxError)) throw fault;
    throw new CommandFailure('refused', `${file} is not JSON`, 'See "Rules" in docs/workloads.md.');
  }
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
function shown({ keys, allowedAddresses, authorities, rules, ...rest }: WrittenTokenIssuer): object {
  const settings = { ...(allowedAddresses && { allowedAddresses }), ...(authorities !== undefined && { authorities }) };
  const source = keys?.from === 'file' ? { from: 'file', set: JSON.parse(keys.set) as unknown } : keys;
  return { ...rest, keys: { ...source, ...settings }, rules };
}

function rowOf(tokenIssuer: WrittenTokenIssuer) {
  const { label, issuer, assertions, rules, enabled } = tokenIssuer;
  return [label, enabled ? 'yes' : 'removed', issuer, describeKeys(tokenIssuer), assertions, rules.length];
}

function recordOf(tokenIssuer: WrittenTokenIssuer): Record<string, string> {
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

function describeKeys({ keys }: Pick<WrittenTokenIssuer, 'keys'>): string {
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
