import { ASSERTION_ALGORITHMS } from '../../core/token-issuer.ts';
import type { CliCommand } from '../terminal/cli-command.ts';
import { asDuration, asMoment, asYesNo, collect } from '../terminal/options.ts';
import { administers } from './administration.ts';

const work = () => import('./work/token-issuer.ts');

export function tokenIssuerCommands(program: CliCommand): void {
  const group = program
    .command('token-issuer')
    .description('platforms whose signed tokens (JWTs) workloads may authorize with: CI systems, clusters, clouds');
  declareAdd(group);
  declareChange(group);
  declareList(group);
  declareShow(group);
  declareRemove(group);
  declareExplain(group);
}

function withFlags(command: CliCommand): CliCommand {
  return withRules(withKeys(command))
    .option('--audience <text>', 'what aud of an assertion must contain (default: the public address of this service)')
    .option('--token-endpoint-audience <yes|no>', 'whether aud may also be the token endpoint of this service', asYesNo)
    .choice('--kind <kind>', 'whose JWTs: of a platform (default), or of the provider of an enterprise (ID-JAG)', [
      'platform',
      'enterprise',
    ])
    .choice('--algorithm <algorithms...>', 'allowed signature algorithms (default: RS256 ES256)', ASSERTION_ALGORITHMS)
    .choice('--assertions <use>', 'whether an assertion gives one grant, or any number until it expires', [
      'once',
      'reusable',
    ])
    .option(
      '--max-lifetime <duration>',
      'the longest lifetime of an assertion, at most 366d (default: 1h)',
      asDuration,
    );
}

function withKeys(command: CliCommand): CliCommand {
  return command
    .option('--discovery', 'find the keys by ISSUER/.well-known/openid-configuration (default)')
    .option('--jwks-url <url>', 'fetch the keys from this address')
    .option('--jwks-file <file>', 'store the keys of this file (JSON Web Key Set); change it when keys rotate')
    .option('--ca-file <file>', 'PEM: trust only these authorities when keys are fetched')
    .option(
      '--allow-address <address>',
      'an address or network (10.0.0.0/8) off the public internet from which keys are fetched; may be repeated',
      collect,
    );
}

function withRules(command: CliCommand): CliCommand {
  return command
    .option('--when <claim=value>', 'a claim must have this value, or one of several if repeated for a claim', collect)
    .option(
      '--when-like <claim=pattern>',
      'a claim must fit: * is any text without : and /, ** any text; may be repeated',
      collect,
    )
    .option('--identity <template>', "names the identity by claims (default: '{/sub}')")
    .choice(
      '--directory <name>',
      'look the identity up in the directory by this name, instead of making it from the claims',
      ['user-name', 'email', 'upn'],
    )
    .option('--only-integration <client_id>', 'for this integration only; may be repeated', collect)
    .option('--rules <file>', 'JSON: a list of rules, instead of the five flags above; - for standard input');
}

function declareAdd(group: CliCommand): void {
  withFlags(group.command('add').argument('<label>', 'names the token issuer, and identities made from its claims'))
    .description('register a token issuer')
    .requiredOption('--issuer <iss>', 'iss of its assertions, exactly')
    .examples(
      'tessera token-issuer add github --issuer https://token.actions.githubusercontent.com --when /repository=acme/app --when /ref=refs/heads/main',
      "tessera token-issuer add gitlab --issuer https://gitlab.example.com --when-like '/project_path=acme/*' --when /ref_protected=true --identity '{/project_path}'",
      'tessera token-issuer add spire --issuer https://spire.example.com --jwks-file bundle.json --assertions reusable --when-like /sub=spiffe://example.com/ns/*/sa/*',
    )
    .runs(administers(async () => (await work()).addTokenIssuer));
}

function declareChange(group: CliCommand): void {
  withFlags(group.command('change').argument('<label>'))
    .description('change what the flags name; the rest stays. Flags about claims replace all rules')
    .examples(
      'tessera token-issuer change spire --jwks-file bundle.json',
      'tessera token-issuer change github --rules rules.json',
    )
    .runs(administers(async () => (await work()).changeOne));
}

function declareList(group: CliCommand): void {
  group
    .command('list')
    .description('list the token issuers')
    .option('--all', 'include removed ones')
    .option('--json', 'as JSON')
    .examples('tessera token-issuer list', 'tessera token-issuer list --all --json')
    .runs(administers(async () => (await work()).printTokenIssuers));
}

function declareShow(group: CliCommand): void {
  group
    .command('show')
    .argument('<label>')
    .description('show one token issuer with its rules, also a removed one')
    .option('--json', 'as JSON; its rules are in the format of --rules')
    .examples('tessera token-issuer show github', 'tessera token-issuer show github --json | jq .rules > rules.json')
    .runs(administers(async () => (await work()).printTokenIssuer));
}

function declareRemove(group: CliCommand): void {
  group
    .command('remove')
    .argument('<label>')
    .description('accept its assertions no longer; existing grants stay')
    .examples('tessera token-issuer remove github')
    .runs(administers(async () => (await work()).removeOne));
}

function declareExplain(group: CliCommand): void {
  group
    .command('explain')
    .argument('<file>', 'the assertion: a JWT in compact form; - for standard input')
    .description('a dry run: show step by step why the service accepts an assertion or not; changes nothing')
    .option('--at <time>', 'judge as of this moment, such as 2027-01-31T12:00:00Z (default: now)', asMoment)
    .option('--json', 'as JSON')
    .examples('tessera token-issuer explain assertion.jwt', 'tessera token-issuer explain - < assertion.jwt')
    .runs(async () => (await import('./work/explain-assertion.ts')).explain);
}
