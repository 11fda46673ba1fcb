import { readFileSync } from 'node:fs';
import { oncePer } from '../../core/once-per.ts';
import { describeTest } from '../../core/rules/claims.ts';
import type { AssertionRule } from '../../core/token-issuer.ts';
import { openRules, readRules, type WrittenRule, type WrittenTest } from '../../operations/admin/assertion-rules.ts';
import { TokenIssuerObject, type WrittenTokenIssuer } from '../../operations/admin/issuer-objects.ts';
import { group } from '../terminal/command.ts';
import { CommandFailure } from '../terminal/exit.ts';
import { readInput } from '../terminal/input.ts';
import { argument, flag, type Given, oneOf, text, texts } from '../terminal/options.ts';
import { accepted } from '../terminal/wording.ts';
import { explainAssertion } from './explain.ts';
import { byHand, fieldsOf } from './fields.ts';
import { registered } from './things.ts';

const KEYS = {
  discovery: flag('find the keys by ISSUER/.well-known/openid-configuration (default)'),
  jwksUrl: text('<url>', 'fetch the keys from this address'),
  jwksFile: text('<file>', 'store the keys of this file (JSON Web Key Set); change it when keys rotate'),
};

const RULES = {
  when: texts('<claim=value>', 'a claim must have this value, or one of several'),
  whenLike: texts('<claim=pattern>', 'a claim must fit: * is any text without : and /, ** any text'),
  identity: text('<template>', "names the identity by claims (default: '{/sub}')"),
  directory: oneOf(
    '<name>',
    ['user-name', 'email', 'upn'],
    'look the identity up in the directory by this name, instead of making it from the claims',
  ),
  onlyIntegration: texts('<client_id>', 'for this integration only'),
  rules: text('<file>', 'JSON: a list of rules, instead of the five flags above; - for standard input'),
};
type RuleFlags = Given<typeof RULES>;

const FIELDS = fieldsOf(
  TokenIssuerObject,
  {
    issuer: { value: '<iss>', on: 'add' },
    keys: { ...byHand(KEYS, oncePer(keysOf)), shown: (_, issuer) => describeKeys(issuer) },
    allowedAddresses: { option: 'allowAddress' },
    authorities: {
      ...byHand(
        { caFile: text('<file>', 'PEM: trust only these authorities when keys are fetched') },
        oncePer(authoritiesOf),
      ),
      label: 'trusted for TLS',
      shown: (authorities) => (authorities ? 'only the given authorities' : ''),
    },
    algorithms: { option: 'algorithm' },
    audience: { value: '<text>', shown: (audience) => audience || 'the public address of this service' },
    assertions: { value: '<use>' },
    maxAssertionLifetime: { option: 'maxLifetime', label: 'longest lifetime' },
    tokenEndpointAudience: { label: 'also the token endpoint' },
    rules: {
      ...byHand(RULES, oncePer(rulesOf)),
      shown: (rules) => rules?.map(shownRule),
    },
    enabled: { label: 'registered', shown: (isRegistered) => (isRegistered ? 'yes' : 'removed') },
  },
  ['label', 'enabled', 'issuer', 'keys', 'assertions', 'rules'],
  { rules: [] },
);

const tokenIssuer = registered('token-issuer', {
  id: argument('names the token issuer, and identities made from its claims', '<label>'),
  fields: FIELDS,
  added: (label, { issuer }) => `Registered ${label}: ${issuer}`,
  remarks: openRuleWords,
  asJson: shown,
  removed: (label) => [`Assertions of ${label} are no longer accepted`, { label }],
});

export const commands = {
  'token-issuer': group(
    'platforms whose signed tokens (JWTs) workloads may authorize with: CI systems, clusters, clouds',
    {
      add: tokenIssuer.add({
        about: 'register a token issuer',
        examples: [
          'tessera token-issuer add github --issuer https://token.actions.githubusercontent.com --when /repository=acme/app --when /ref=refs/heads/main',
          "tessera token-issuer add gitlab --issuer https://gitlab.example.com --when-like '/project_path=acme/*' --when /ref_protected=true --identity '{/project_path}'",
          'tessera token-issuer add spire --issuer https://spire.example.com --jwks-file bundle.json --assertions reusable --when-like /sub=spiffe://example.com/ns/*/sa/*',
        ],
      }),
      change: tokenIssuer.change({
        about: 'change what the flags name; the rest stays. Flags about claims replace all rules',
        examples: [
          'tessera token-issuer change spire --jwks-file bundle.json',
          'tessera token-issuer change github --rules rules.json',
        ],
      }),
      list: tokenIssuer.list({
        about: 'list the token issuers',
        options: { all: flag('include removed ones') },
        examples: ['tessera token-issuer list', 'tessera token-issuer list --all --json'],
      }),
      show: tokenIssuer.show({
        about: 'show one token issuer with its rules, also a removed one; --json has them in the format of --rules',
        examples: [
          'tessera token-issuer show github',
          'tessera token-issuer show github --json | jq .rules > rules.json',
        ],
      }),
      remove: tokenIssuer.remove({
        about: 'accept its assertions no longer; existing grants stay',
        examples: ['tessera token-issuer remove github'],
      }),
      explain: explainAssertion,
    },
  ),
};

function openRuleWords({ rules }: WrittenTokenIssuer): readonly string[] {
  const open = openRules(accepted(readRules(rules)));
  return open ? [`Warning: ${open.problem}`, `  ${open.todo}`] : [];
}

function authoritiesOf({ caFile }: { readonly caFile?: string }): string | undefined {
  return caFile === undefined ? undefined : readFileSync(caFile, 'latin1');
}

function keysOf({ discovery, jwksUrl, jwksFile }: Given<typeof KEYS>): WrittenTokenIssuer['keys'] {
  const given = [discovery, jwksUrl, jwksFile].filter((each) => each !== undefined);
  const todo = 'Use one of --discovery, --jwks-url and --jwks-file.';
  if (given.length > 1) throw new CommandFailure('usage', 'the keys are given twice', todo);
  if (jwksUrl !== undefined) return { from: 'url', url: jwksUrl };
  if (jwksFile !== undefined) return { from: 'file', set: readFileSync(jwksFile, 'utf8') };
  return discovery ? { from: 'discovery' } : undefined;
}

/** Undefined if no flag is about rules. */
function rulesOf({ rules: file, ...flags }: RuleFlags): readonly unknown[] | undefined {
  const { when, whenLike, identity, directory, onlyIntegration } = flags;
  const hasFlags = [when, whenLike, identity, directory, onlyIntegration].some((given) => given !== undefined);
  if (file === undefined) return hasFlags ? [ruleOf(flags)] : undefined;
  if (hasFlags)
    throw new CommandFailure('usage', 'the rules are given twice', 'Use --rules alone, or the flags for one rule.');
  try {
    return JSON.parse(readInput(file)) as readonly unknown[];
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

function describeKeys({ keys }: Pick<WrittenTokenIssuer, 'keys'>): string {
  if (!keys || keys.from === 'discovery') return 'by discovery';
  return keys.from === 'url' ? keys.url : 'from a file';
}

/** One that this release cannot read must not hide the others. */
function shownRule(rule: unknown): string {
  const read = readRules([rule]);
  return read.ok ? read.value.map(describeRule).join() : `cannot be read: ${JSON.stringify(rule)}`;
}

function describeRule({ conditions, identity, identities, directories, integrations }: AssertionRule): string {
  const tests = conditions.map(({ claim, test }) => `${claim} ${describeTest(test)}`).join(', ');
  const who =
    identities === 'derived'
      ? identity
      : `${identity} as ${identities} in the directory ${directories?.join(', ') ?? 'local'}`;
  return `${tests}: ${who}${integrations ? `, for ${integrations.join(', ')}` : ''}`;
}
