import { readFileSync } from 'node:fs';
import { type Command, Option } from 'commander';
import { rows } from '../../store/pages.ts';
import { asDuration, asYesNo, collect, examples } from '../terminal/options.ts';
import { print, printJson, printRecord, printTable } from '../terminal/output.ts';
import { atWorkplace } from '../terminal/workplace.ts';
import type { IntegrationFlags } from './integration-flags.ts';

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
}

function withFlags(command: Command): Command {
  return command
    .option('--name <text>', 'its name, as people see it')
    .option('--description <text>', 'what it is for')
    .option('--vendor <text>', 'who makes it')
    .option('--access-token-lifetime <duration>', 'over the server setting', asDuration)
    .option('--grant-lifetime <duration>', 'over the server setting', asDuration)
    .option('--refresh-retry-window <duration>', 'over the server setting', asDuration)
    .option('--refresh <yes|no>', 'whether its answers carry a refresh token', asYesNo)
    .addOption(
      new Option('--on-reuse <what>', 'what reuse of a spent refresh token does').choices(['revoke', 'report']),
    )
    .option('--device <yes|no>', 'whether people may authorize it in a browser', asYesNo)
    .option('--certificate <yes|no>', 'whether callers may authorize by certificate', asYesNo)
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
      ),
    )
    .action((clientId: string, flags: IntegrationFlags, command: Command) =>
      atWorkplace(command, async (workplace) => {
        const { draftOf } = await import('./integration-flags.ts');
        const { registerIntegration } = await import('../../operations/admin/register-integration.ts');
        const { granted } = await import('../terminal/wording.ts');
        const { scope } = granted(
          await registerIntegration(clientId, await draftOf(flags, workplace.store), workplace),
        );
        print(`Registered ${clientId} with the scope ${scope.text}`);
      }),
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
    .action((clientId: string, flags: IntegrationFlags, command: Command) =>
      atWorkplace(command, async (workplace) => {
        const { draftOf } = await import('./integration-flags.ts');
        const { changeIntegration } = await import('../../operations/admin/change-integration.ts');
        const { granted } = await import('../terminal/wording.ts');
        granted(await changeIntegration(clientId, await draftOf(flags, workplace.store), workplace));
        print(`Changed ${clientId}`);
      }),
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
    .action((file: string, { update }: { update?: true }, command: Command) =>
      atWorkplace(command, async (workplace) => {
        const { importFile } = await import('../integration-import.ts');
        await importFile(readFileSync(file === '-' ? 0 : file, 'utf8'), update === true, workplace);
      }),
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
    .action(({ json }: { json?: true }, command: Command) =>
      atWorkplace(command, async ({ store }) => {
        const { integrations } = await import('../../store/tables/registry.ts');
        const { shownIntegration } = await import('./integration-flags.ts');
        const found = await Array.fromAsync(rows(store, integrations));
        if (json) return printJson(found.map(shownIntegration));
        const lines = found.map(({ clientId, name, scope, enabled }) => [
          clientId,
          name,
          enabled ? 'yes' : 'no',
          scope.text,
        ]);
        printTable(['client id', 'name', 'enabled', 'scope'], lines);
      }),
    );
}

function declareShow(group: Command): void {
  group
    .command('show')
    .argument('<client_id>')
    .description('show one integration')
    .option('--json', 'as JSON')
    .addHelpText('after', examples('tessera integration show orders-sync'))
    .action((clientId: string, { json }: { json?: true }, command: Command) =>
      atWorkplace(command, async ({ store }) => {
        const { integrations } = await import('../../store/tables/registry.ts');
        const { recordOf, shownIntegration } = await import('./integration-flags.ts');
        const { decline } = await import('../../operations/admin/admin.ts');
        const { granted } = await import('../terminal/wording.ts');
        const { found } = await store.load(integrations, clientId);
        const integration = found?.row ?? granted<never>(decline('integration-unknown', clientId));
        if (json) printJson(shownIntegration(integration));
        else printRecord(recordOf(integration));
      }),
    );
}

function declareSwitch(group: Command, name: 'enable' | 'disable', description: string): void {
  group
    .command(name)
    .argument('<client_id>')
    .description(description)
    .addHelpText('after', examples(`tessera integration ${name} orders-sync`))
    .action((clientId: string, _: unknown, command: Command) =>
      atWorkplace(command, async (workplace) => {
        const { enableIntegration } = await import('../../operations/admin/change-integration.ts');
        const { granted } = await import('../terminal/wording.ts');
        granted(await enableIntegration(clientId, name === 'enable', workplace));
        print(`The integration ${clientId} is ${name}d`);
      }),
    );
}
