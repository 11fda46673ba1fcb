import { ACCESS_TOKEN_FORMATS, BINDINGS } from '../../core/integration.ts';
import type { CliCommand } from '../terminal/cli-command.ts';
import { asDuration, asYesNo, collect } from '../terminal/options.ts';
import { administers } from './administration.ts';

const work = () => import('./work/integration.ts');
const keyWork = () => import('./work/integration-keys.ts');

export function integrationCommands(program: CliCommand): void {
  const group = program
    .command('integration')
    .description('register API integrations; each fixes the scope of its tokens');
  declareAdd(group);
  declareChange(group);
  declareImport(group);
  declareList(group);
  declareShow(group);
  declareSwitch(group, 'disable', 'refuse the integration at every door, within a second; its grants stay');
  declareSwitch(group, 'enable', 'accept a disabled integration again');
  declareRemove(group);
  declareKeys(group);
  declareSecret(group);
}

function withFlags(command: CliCommand): CliCommand {
  return command
    .option('--name <text>', 'its name, as people see it')
    .option('--description <text>', 'what it is for')
    .option('--vendor <text>', 'who makes it')
    .choice('--access-token-format <format>', 'of the access tokens of new grants', ACCESS_TOKEN_FORMATS)
    .option('--access-token-lifetime <duration>', 'overrides the server setting', asDuration)
    .option('--grant-lifetime <duration>', 'overrides the server setting', asDuration)
    .option('--refresh-retry-window <duration>', 'overrides the server setting', asDuration)
    .option('--refresh <yes|no>', 'whether its answers carry a refresh token', asYesNo)
    .choice('--on-reuse <what>', 'what reuse of a spent refresh token does', ['revoke', 'report'])
    .option('--device <yes|no>', 'whether people may authorize it in a browser', asYesNo)
    .option('--certificate <yes|no>', 'whether callers may authorize by certificate', asYesNo)
    .option('--assertion <yes|no>', 'whether workloads may authorize by assertion of a token issuer', asYesNo)
    .option('--code <yes|no>', 'whether programs may send people to a browser for an authorization code', asYesNo)
    .option(
      '--redirect-uri <uri>',
      'where the code may be sent; may be repeated; replaces all; turns --code on',
      collect,
    )
    .option('--secret <yes|no>', 'whether callers may authenticate with a generated secret', asYesNo)
    .option('--secret-address <address>', 'where alone a secret works (10.0.0.0/8), or any; may be repeated', collect)
    .option(
      '--token-endpoint-audience <yes|no>',
      'whether aud of a client assertion may be the token endpoint',
      asYesNo,
    )
    .option(
      '--public-enterprise <yes|no>',
      'whether assertions of an enterprise need no client authentication',
      asYesNo,
    )
    .option('--resource-server <id>', 'the resource server that it runs and may exchange tokens of; empty for none')
    .option(
      '--exchange <client_id=scope>',
      'who may exchange its tokens, and for which scope; may be repeated',
      collect,
    )
    .option('--no-exchange', 'nobody may exchange its tokens')
    .choice('--binding <what>', 'what a refresh must come with: a certificate, or a DPoP proof', BINDINGS)
    .option('--only-identity <id>', 'allow this identity only, by user name or id; may be repeated', collect)
    .option('--only-group <group>', 'allow this group only; may be repeated', collect)
    .option('--everyone', 'allow every identity')
    .option('--owner <group>', 'a group that looks after it from elsewhere; may be repeated', collect);
}

function declareAdd(group: CliCommand): void {
  withFlags(group.command('add').argument('<client_id>', 'what callers send as client_id'))
    .description('register an integration')
    .requiredOption('--scope <scope>', 'all that its tokens may carry')
    .examples(
      "tessera integration add orders-sync --scope 'orders:read,write;stock:read'",
      'tessera integration add till --scope sales:read --only-group shops --grant-lifetime 30d',
      'tessera integration add web-shop --scope orders:read --access-token-format jwt',
      'tessera integration add coder --scope orders:read --redirect-uri http://127.0.0.1/callback',
    )
    .runs(administers(async () => (await work()).addOne));
}

function declareChange(group: CliCommand): void {
  withFlags(group.command('change').argument('<client_id>'))
    .description('change what the flags name; the rest stays')
    .option('--scope <scope>', 'narrowing takes effect at once; widening changes no existing grant')
    .examples('tessera integration change orders-sync --scope orders:read --refresh-retry-window 0')
    .runs(administers(async () => (await work()).changeOne));
}

function declareImport(group: CliCommand): void {
  group
    .command('import')
    .argument('<file>', 'JSON: {"id","name","description","scope"}, or a list of these; - for standard input')
    .description('register integrations from a file')
    .option('--update', 'change those that are registered already')
    .examples('tessera integration import integrations.json', 'tessera integration import --update - < one.json')
    .runs(administers(async () => (await work()).importFile));
}

function declareList(group: CliCommand): void {
  group
    .command('list')
    .description('list the integrations')
    .option('--json', 'as JSON')
    .examples('tessera integration list', "tessera integration list --json | jq -r '.[].clientId'")
    .runs(administers(async () => (await work()).printIntegrations));
}

function declareShow(group: CliCommand): void {
  group
    .command('show')
    .argument('<client_id>')
    .description('show one integration')
    .option('--json', 'as JSON')
    .examples('tessera integration show orders-sync')
    .runs(administers(async () => (await work()).printIntegration));
}

function declareSwitch(group: CliCommand, name: 'enable' | 'disable', description: string): void {
  group
    .command(name)
    .argument('<client_id>')
    .description(description)
    .examples(`tessera integration ${name} orders-sync`)
    .runs(administers(async () => (await work()).switchIntegration(name === 'enable')));
}

function declareRemove(group: CliCommand): void {
  group
    .command('remove')
    .argument('<client_id>')
    .description('remove an integration for good: its grants end, its client id is free again')
    .option('--yes', 'confirm it')
    .examples('tessera integration remove orders-sync --yes')
    .runs(administers(async () => (await work()).removeOne));
}

function declareKeys(group: CliCommand): void {
  const keys = group.command('key').description('public keys that an integration authenticates with (private_key_jwt)');
  keys
    .command('add')
    .argument('<client_id>')
    .argument('[file]', 'public keys: PEM, or JSON (a key or a key set); - for standard input')
    .description('add public keys; the private ones stay with the caller')
    .option('--url <url>', 'fetch the keys from this address instead of a file; replaces what was there')
    .option('--ca-file <file>', 'PEM: trust only these authorities when keys are fetched')
    .option(
      '--allow-address <address>',
      'an address or network off the public internet to fetch from; may be repeated',
      collect,
    )
    .examples(
      'tessera integration key add orders-sync orders-sync.pub.pem',
      'tessera integration key add orders-sync --url https://orders.example.com/jwks',
    )
    .runs(administers(async () => (await keyWork()).addKeys));
  keys
    .command('list')
    .argument('<client_id>')
    .description('list the public keys of an integration')
    .option('--json', 'as JSON')
    .examples('tessera integration key list orders-sync')
    .runs(administers(async () => (await keyWork()).printKeys));
  keys
    .command('remove')
    .argument('<client_id>')
    .argument('<kid>', 'the id of the key, or the address of the keys')
    .description('accept a key no longer; existing grants stay')
    .examples('tessera integration key remove orders-sync 2027-01')
    .runs(administers(async () => (await keyWork()).removeKey));
}

function declareSecret(group: CliCommand): void {
  group
    .command('secret')
    .argument('<client_id>')
    .description('make a secret and print it, this once; an earlier one stays valid beside it, until its own end')
    .option('--ends-in <duration>', 'how long it is valid; required, at most 180d', asDuration)
    .option('--drop-old', 'make none; end the older of two')
    .option('--drop-all', 'make none; end all of them')
    .examples(
      'tessera integration secret orders-sync --ends-in 90d > orders-sync.secret',
      'tessera integration secret orders-sync --drop-old',
    )
    .runs(administers(async () => (await keyWork()).makeSecret));
}
