import type { CliCommand } from '../terminal/cli-command.ts';
import { asYesNo, collect } from '../terminal/options.ts';
import { administers } from './administration.ts';

const work = () => import('./work/resource-server.ts');

export function resourceServerCommands(program: CliCommand): void {
  const group = program.command('resource-server').description('register the APIs that check tokens by introspection');
  declareAdd(group);
  declareList(group);
  declareShow(group);
  declareChange(group);
  declareSecret(group);
  declareRemove(group);
}

function withFlags(command: CliCommand): CliCommand {
  return command
    .option('--name <text>', 'its name, as people see it')
    .option('--identity <id>', 'the identity, by user name or id, whose certificate or access token speaks for it');
}

function declareAdd(group: CliCommand): void {
  withFlags(group.command('add').argument('<id>', 'what it sends as client_id; never that of an integration'))
    .description('register a resource server')
    .requiredOption('--audience <uri>', 'what tokens and the parameter resource call it')
    .requiredOption('--resource <name>', 'a resource of scopes that it serves; may be repeated', collect)
    .examples(
      'tessera resource-server add orders-api --audience https://orders.example.com --resource orders',
      'tessera resource-server add stock-api --audience urn:example:stock --resource stock --identity stock-gateway',
    )
    .runs(administers(async () => (await work()).addOne));
}

function declareChange(group: CliCommand): void {
  withFlags(group.command('change').argument('<id>'))
    .description('change what the flags name; the rest stays')
    .option('--audience <uri>', 'a new audience; no resource server accepts grants that are limited to the old one')
    .option('--resource <name>', 'replaces the whole list; may be repeated', collect)
    .option('--no-identity', 'no identity speaks for it any more')
    .option('--enabled <yes|no>', 'whether it may check tokens and tokens are for it', asYesNo)
    .examples(
      'tessera resource-server change orders-api --resource orders --resource invoices',
      'tessera resource-server change orders-api --enabled no',
    )
    .runs(administers(async () => (await work()).changeOne));
}

function declareList(group: CliCommand): void {
  group
    .command('list')
    .description('list the resource servers')
    .option('--json', 'as JSON')
    .examples('tessera resource-server list')
    .runs(administers(async () => (await work()).printAll));
}

function declareShow(group: CliCommand): void {
  group
    .command('show')
    .argument('<id>')
    .description('show one resource server; its secrets are not kept, only when they were made')
    .option('--json', 'as JSON')
    .examples('tessera resource-server show orders-api')
    .runs(administers(async () => (await work()).printOne));
}

function declareSecret(group: CliCommand): void {
  group
    .command('secret')
    .argument('<id>')
    .description('make a secret and print it, this once; an earlier one stays valid beside it')
    .option('--drop-old', 'make none; end the older of two')
    .option('--replace', 'end the earlier ones at once')
    .examples(
      'tessera resource-server secret orders-api > orders-api.secret',
      'tessera resource-server secret orders-api --drop-old',
    )
    .runs(administers(async () => (await work()).makeSecret));
}

function declareRemove(group: CliCommand): void {
  group
    .command('remove')
    .argument('<id>')
    .description('remove a resource server: it may no longer check tokens, and no token is for it')
    .option('--yes', 'confirm')
    .examples('tessera resource-server remove orders-api --yes')
    .runs(administers(async () => (await work()).removeOne));
}
