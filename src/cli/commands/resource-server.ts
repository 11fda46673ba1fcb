import type { Command } from 'commander';
import { asYesNo, collect, examples } from '../terminal/options.ts';
import type { ResourceServerFlags, SecretFlags } from './work/resource-server.ts';

const work = () => import('./work/resource-server.ts');

export function resourceServerCommands(program: Command): void {
  const group = program.command('resource-server').description('register the APIs that check tokens by introspection');
  declareAdd(group);
  declareList(group);
  declareShow(group);
  declareChange(group);
  declareSecret(group);
  declareRemove(group);
}

function withFlags(command: Command): Command {
  return command
    .option('--name <text>', 'its name, as people see it')
    .option('--identity <id>', 'the identity, by user name or id, whose certificate or access token speaks for it');
}

function declareAdd(group: Command): void {
  withFlags(group.command('add').argument('<id>', 'what it sends as client_id; never that of an integration'))
    .description('register a resource server')
    .requiredOption('--audience <uri>', 'what tokens and the parameter resource call it')
    .requiredOption('--resource <name>', 'a resource of scopes that it serves; may be repeated', collect)
    .addHelpText(
      'after',
      examples(
        'tessera resource-server add orders-api --audience https://orders.example.com --resource orders',
        'tessera resource-server add stock-api --audience urn:example:stock --resource stock --identity stock-gateway',
      ),
    )
    .action(async (id: string, flags: ResourceServerFlags, command: Command) =>
      (await work()).addOne(id, flags, command),
    );
}

function declareChange(group: Command): void {
  withFlags(group.command('change').argument('<id>'))
    .description('change what the flags name; the rest stays')
    .option('--audience <uri>', 'a new audience; no resource server accepts grants that are limited to the old one')
    .option('--resource <name>', 'replaces the whole list; may be repeated', collect)
    .option('--no-identity', 'no identity speaks for it any more')
    .option('--enabled <yes|no>', 'whether it may check tokens and tokens are for it', asYesNo)
    .addHelpText(
      'after',
      examples(
        'tessera resource-server change orders-api --resource orders --resource invoices',
        'tessera resource-server change orders-api --enabled no',
      ),
    )
    .action(async (id: string, flags: ResourceServerFlags, command: Command) =>
      (await work()).changeOne(id, flags, command),
    );
}

function declareList(group: Command): void {
  group
    .command('list')
    .description('list the resource servers')
    .option('--json', 'as JSON')
    .addHelpText('after', examples('tessera resource-server list'))
    .action(async (flags: { json?: true }, command: Command) => (await work()).printAll(flags, command));
}

function declareShow(group: Command): void {
  group
    .command('show')
    .argument('<id>')
    .description('show one resource server; its secrets are not kept, only when they were made')
    .option('--json', 'as JSON')
    .addHelpText('after', examples('tessera resource-server show orders-api'))
    .action(async (id: string, flags: { json?: true }, command: Command) =>
      (await work()).printOne(id, flags, command),
    );
}

function declareSecret(group: Command): void {
  group
    .command('secret')
    .argument('<id>')
    .description('make a secret and print it, this once; an earlier one stays valid beside it')
    .option('--drop-old', 'make none; end the older of two')
    .option('--replace', 'end the earlier ones at once')
    .addHelpText(
      'after',
      examples(
        'tessera resource-server secret orders-api > orders-api.secret',
        'tessera resource-server secret orders-api --drop-old',
      ),
    )
    .action(async (id: string, flags: SecretFlags, command: Command) => (await work()).makeSecret(id, flags, command));
}

function declareRemove(group: Command): void {
  group
    .command('remove')
    .argument('<id>')
    .description('remove a resource server: it may no longer check tokens, and no token is for it')
    .option('--yes', 'confirm')
    .addHelpText('after', examples('tessera resource-server remove orders-api --yes'))
    .action(async (id: string, flags: { yes?: true }, command: Command) =>
      (await work()).removeOne(id, flags, command),
    );
}
