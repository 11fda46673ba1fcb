import { type Command, Option } from 'commander';
import { ACCESS_TOKEN_FORMATS } from '../../core/integration.ts';
import { asDuration, asYesNo, collect, examples } from '../terminal/options.ts';
import type { IntegrationFlags } from './work/integration-flags.ts';

const work = () => import('./work/integration.ts');

export function integrationCommands(program: Command): void {
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

function withFlags(command: Command): Command {
  return command
    .option('--name <text>', 'its name, as people see it')
    .option('--description <text>', 'what it is for')
    .option('--vendor <text>', 'who makes it')
    .addOption(
      new Option('--access-token-format <format>', 'of the access tokens of new grants').choices(ACCESS_TOKEN_FORMATS),
    )
    .option('--access-token-lifetime <duration>', 'overrides the server setting', asDuration)
    .option('--grant-lifetime <duration>', 'overrides the server setting', asDuration)
    .option('--refresh-retry-window <duration>', 'overrides the server setting', asDuration)
    .option('--refresh <yes|no>', 'whether its answers carry a refresh token', asYesNo)
    .addOption(
      new Option('--on-reuse <what>', 'what reuse of a spent refresh token does').choices(['revoke', 'report']),
    )
    .option('--device <yes|no>', 'whether people may authorize it in a browser', asYesNo)
    .option('--certificate <yes|no>', 'whether callers may authorize by certificate', asYesNo)
    .option('--assertion <yes|no>', 'whether workloads may authorize by assertion of a token issuer', asYesNo)
    .addOption(
      new Option('--binding <what>', 'the certificate a refresh must come with').choices([
        'none',
        'identity',
        'certificate',
      ]),
    )
    .option('--only-identity <id>', 'allow this identity only, by user name or id; may be repeated', collect)
    .option('--only-group <group>', 'allow this group only; may be repeated', collect)
    .option('--everyone', 'allow every identity');
}

function declareAdd(group: Command): void {
  withFlags(group.command('add').argument('<client_id>', 'what callers send as client_id'))
    .description('register an integration')
    .requiredOption('--scope <scope>', 'all that its tokens may carry')
    .addHelpText(
      'after',
      examples(
        "tessera integration add orders-sync --scope 'orders:read,write;stock:read'",
        'tessera integration add till --scope sales:read --only-group shops --grant-lifetime 30d',
        'tessera integration add web-shop --scope orders:read --access-token-format jwt',
      ),
    )
    .action(async (clientId: string, flags: IntegrationFlags, command: Command) =>
      (await work()).addOne(clientId, flags, command),
    );
}

function declareChange(group: Command): void {
  withFlags(group.command('change').argument('<client_id>'))
    .description('change what the flags name; the rest stays')
    .option('--scope <scope>', 'narrowing takes effect at once; widening changes no existing grant')
    .addHelpText(
      'after',
      examples('tessera integration change orders-sync --scope orders:read --refresh-retry-window 0'),
    )
    .action(async (clientId: string, flags: IntegrationFlags, command: Command) =>
      (await work()).changeOne(clientId, flags, command),
    );
}

function declareImport(group: Command): void {
  group
    .command('import')
    .argument('<file>', 'JSON: {"id","name","description","scope"}, or a list of these; - for standard input')
    .description('register integrations from a file')
    .option('--update', 'change those that are registered already')
    .addHelpText(
      'after',
      examples('tessera integration import integrations.json', 'tessera integration import --update - < one.json'),
    )
    .action(async (file: string, flags: { update?: true }, command: Command) =>
      (await work()).importFile(file, flags, command),
    );
}

function declareList(group: Command): void {
  group
    .command('list')
    .description('list the integrations')
    .option('--json', 'as JSON')
    .addHelpText(
      'after',
      examples('tessera integration list', "tessera integration list --json | jq -r '.[].clientId'"),
    )
    .action(async (flags: { json?: true }, command: Command) => (await work()).printIntegrations(flags, command));
}

function declareShow(group: Command): void {
  group
    .command('show')
    .argument('<client_id>')
    .description('show one integration')
    .option('--json', 'as JSON')
    .addHelpText('after', examples('tessera integration show orders-sync'))
    .action(async (clientId: string, flags: { json?: true }, command: Command) =>
      (await work()).printIntegration(clientId, flags, command),
    );
}

function declareSwitch(group: Command, name: 'enable' | 'disable', description: string): void {
  group
    .command(name)
    .argument('<client_id>')
    .description(description)
    .addHelpText('after', examples(`tessera integration ${name} orders-sync`))
    .action(async (clientId: string, _: unknown, command: Command) =>
      (await work()).switchIntegration(clientId, name === 'enable', command),
    );
}

function declareRemove(group: Command): void {
  group
    .command('remove')
    .argument('<client_id>')
    .description('remove an integration for good: its grants end, its client id is free again')
    .option('--yes', 'confirm it')
    .addHelpText('after', examples('tessera integration remove orders-sync --yes'))
    .action(async (clientId: string, flags: { yes?: true }, command: Command) =>
      (await work()).removeOne(clientId, flags, command),
    );
}
