import type { WrittenResourceServer } from '../../operations/admin/objects.ts';
import type { CliCommand } from '../terminal/cli-command.ts';
import { describedBy, type Flag, type Flags, withFlags } from '../terminal/flags.ts';
import { print, printOnly, remark, result } from '../terminal/output.ts';
import { accepted } from '../terminal/wording.ts';
import { administering } from './administration.ts';
import { type Administration, change } from './steps.ts';
import { declareList, declareShow, type Things } from './things.ts';

const SERVERS: Things<'resource-server'> = { kind: 'resource-server', argument: ['<id>'] };

const FLAGS: readonly Flag[] = [
  ['--audience <uri>', 'what tokens and the parameter resource call it', 'audience'],
  ['--resource <name>', 'a resource of scopes that it serves; may be repeated; replaces all', 'resources'],
  ['--name <text>', 'its name, as people see it', 'name'],
  [
    '--identity <id>',
    'the identity, by user name or id, whose certificate or access token speaks for it',
    'identity',
    { as: (given: string | false) => given || '' },
  ],
  ['--no-identity', 'no identity speaks for it'],
  ['--enabled <yes|no>', 'whether it may check tokens and tokens are for it', 'enabled'],
];

export function resourceServerCommands(program: CliCommand): void {
  const group = program.command('resource-server').description('register the APIs that check tokens by introspection');
  const add = group.command('add').argument('<id>', 'what it sends as client_id; never that of an integration');
  withFlags(add, FLAGS, ['--audience', '--resource'])
    .description('register a resource server')
    .examples(
      'tessera resource-server add orders-api --audience https://orders.example.com --resource orders',
      'tessera resource-server add stock-api --audience urn:example:stock --resource stock --identity stock-gateway',
    )
    .runs(administering(addOne));
  declareList(group, SERVERS, {
    about: 'list the resource servers',
    columns: ['id', 'audience', 'enabled', 'resources', 'secrets'],
    row: ({ id, audience, enabled = true, resources, secrets = [] }) => [
      ...[id, audience, yesNo(enabled), resources.join(' ')],
      secrets.length,
    ],
    examples: ['tessera resource-server list'],
  });
  declareShow(group, SERVERS, {
    about: 'show one resource server; its secrets are not kept, only when they were made',
    record: recordOf,
    examples: ['tessera resource-server show orders-api'],
  });
  withFlags(group.command('change').argument('<id>'), FLAGS)
    .description(
      'change what the flags name; the rest stays. Grants that are limited to an old audience are for nobody',
    )
    .examples(
      'tessera resource-server change orders-api --resource orders --resource invoices',
      'tessera resource-server change orders-api --enabled no',
    )
    .runs(administering(changeOne));
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
    .runs(administering(makeSecret));
  group
    .command('remove')
    .argument('<id>')
    .description('remove a resource server: it may no longer check tokens, and no token is for it')
    .option('--yes', 'confirm')
    .examples('tessera resource-server remove orders-api --yes')
    .runs(administering(removeOne));
}

async function addOne(id: string, flags: Flags, { act }: Administration): Promise<void> {
  const body = describedBy(FLAGS, flags);
  const server = accepted(await act('resource-server-put', { id, body, onlyIf: 'absent' })).value;
  print(`Registered ${id} for ${server.audience}`);
  result(server);
  if (!flags['identity']) remark(`Make its secret with: tessera resource-server secret ${id}`);
}

async function changeOne(id: string, flags: Flags, administration: Administration): Promise<void> {
  const server = await change('resource-server', id, (before) => describedBy(FLAGS, flags, before), administration);
  print(`Changed ${id}`);
  result(server);
}

async function removeOne(id: string, { yes = false }: { yes?: boolean }, { act }: Administration): Promise<void> {
  accepted(await act('resource-server-remove', { id, query: { confirmed: yes } }));
  print(`Removed ${id}`);
  result({ id });
}

interface SecretFlags {
  readonly dropOld?: boolean;
  readonly replace?: boolean;
}

/** The secret alone goes to standard output, so that it can be sent to a file. */
async function makeSecret(id: string, { dropOld, replace = false }: SecretFlags, { act }: Administration) {
  if (dropOld) {
    accepted(await act('resource-server-secret-drop', { id }));
    print(`The old secret of ${id} is no longer valid`);
    return result({ id });
  }
  const { secret } = accepted(await act('resource-server-secret-make', { id, query: { replaces: replace } })).value;
  printOnly(secret, { id, secret });
  remark('This is shown once. It is valid within a second.');
}

function recordOf({ id, audience, name, resources, enabled = true, identity, secrets = [] }: WrittenResourceServer) {
  return {
    id,
    audience,
    name,
    resources: resources.join(' '),
    enabled: yesNo(enabled),
    identity,
    'secrets made': secrets.map(({ createdAt }) => createdAt).join(', '),
  };
}

function yesNo(value: boolean): string {
  return value ? 'yes' : 'no';
}
