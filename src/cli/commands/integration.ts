import { ACCESS_TOKEN_FORMATS } from '../../core/integration.ts';
import type { CliCommand } from '../terminal/cli-command.ts';
import { asDuration, asYesNo, collect } from '../terminal/options.ts';

const work = () => import('./work/integration.ts');

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
    .choice('--binding <what>', 'the certificate a refresh must come with', ['none', 'identity', 'certificate'])
    .option('--only-identity <id>', 'allow this identity only, by user name or id; may be repeated', collect)
    .option('--only-group <group>', 'allow this group only; may be repeated', collect)
    .option('--everyone', 'allow every identity');
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
    .acts(async () => (await work()).addOne);
}

function declareChange(group: CliCommand): void {
  withFlags(group.command('change').argument('<client_id>'))
    .description('change what the flags name; the rest stays')
    .option('--scope <scope>', 'narrowing takes effect at once; widening changes no existing grant')
    .examples('tessera integration change orders-sync --scope orders:read --refresh-retry-window 0')
    .acts(async () => (await work()).changeOne);
}

function declareImport(group: CliCommand): void {
  group
    .command('import')
    .argument('<file>', 'JSON: {"id","name","description","scope"}, or a list of these; - for standard input')
    .description('register integrations from a file')
    .option('--update', 'change those that are registered already')
    .examples('tessera integration import integrations.json', 'tessera integration import --update - < one.json')
    .acts(async () => (await work()).importFile);
}

function declareList(group: CliCommand): void {
  group
    .command('list')
    .description('list the integrations')
    .option('--json', 'as JSON')
    .examples('tessera integration list', "tessera integration list --json | jq -r '.[].clientId'")
    .acts(async () => (await work()).printIntegrations);
}

function declareShow(group: CliCommand): void {
  group
    .command('show')
    .argument('<client_id>')
    .description('show one integration')
    .option('--json', 'as JSON')
    .examples('tessera integration show orders-sync')
    .acts(async () => (await work()).printIntegration);
}

function declareSwitch(group: CliCommand, name: 'enable' | 'disable', description: string): void {
  group
    .command(name)
    .argument('<client_id>')
    .description(description)
    .examples(`tessera integration ${name} orders-sync`)
    .acts(async () => (await work()).switchIntegration(name === 'enable'));
}

function declareRemove(group: CliCommand): void {
  group
    .command('remove')
    .argument('<client_id>')
    .description('remove an integration for good: its grants end, its client id is free again')
    .option('--yes', 'confirm it')
    .examples('tessera integration remove orders-sync --yes')
    .acts(async () => (await work()).removeOne);
}
