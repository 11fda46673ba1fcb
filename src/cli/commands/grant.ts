import type { Command } from 'commander';
import { asCount, asDuration, examples } from '../terminal/options.ts';
import type { ListFlags, RevokeFlags } from './work/grant.ts';

const work = () => import('./work/grant.ts');

export function grantCommands(program: Command): void {
  const group = program.command('grant').description('list, show and end grants');
  declareList(group);
  declareShow(group);
  declareRevoke(group);
}

function withFilter(command: Command): Command {
  return command
    .option('--identity <identity>', 'of this identity, by user name or id')
    .option('--integration <client_id>', 'of this integration');
}

function declareList(group: Command): void {
  withFilter(group.command('list'))
    .description('list live grants')
    .option('--ending <duration>', 'that end within this time', asDuration)
    .option('--all', 'include ended grants')
    .option('--limit <count>', 'at most this many', asCount, 1000)
    .option('--json', 'as JSON')
    .addHelpText('after', examples('tessera grant list --ending 30d', 'tessera grant list --identity ada --json'))
    .action(async (flags: ListFlags, command: Command) => (await work()).listGrants(flags, command));
}

function declareShow(group: Command): void {
  group
    .command('show')
    .argument('<grant>', 'its id, 32 hex digits')
    .description('show one grant')
    .option('--json', 'as JSON')
    .addHelpText('after', examples('tessera grant show 0192f3…'))
    .action(async (id: string, flags: { json?: true }, command: Command) =>
      (await work()).printGrant(id, flags, command),
    );
}

function declareRevoke(group: Command): void {
  withFilter(group.command('revoke').argument('[grant]', 'its id'))
    .description('end one grant, or all grants of an identity or an integration, immediately and for good')
    .option('--yes', 'confirm ending more than one grant')
    .addHelpText('after', examples('tessera grant revoke 0192f3…', 'tessera grant revoke --identity ada --yes'))
    .action(async (id: string | undefined, flags: RevokeFlags, command: Command) =>
      (await work()).revokeGrants(id, flags, command),
    );
}
