import type { CliCommand } from '../terminal/cli-command.ts';
import { asCount, asDuration } from '../terminal/options.ts';

const work = () => import('./work/grant.ts');

export function grantCommands(program: CliCommand): void {
  const group = program.command('grant').description('list, show and end grants');
  declareList(group);
  declareShow(group);
  declareRevoke(group);
}

function withFilter(command: CliCommand): CliCommand {
  return command
    .option('--identity <identity>', 'of this identity, by user name or id')
    .option('--integration <client_id>', 'of this integration')
    .option('--guest <address>', 'of the client whose document has this address');
}

function declareList(group: CliCommand): void {
  withFilter(group.command('list'))
    .description('list live grants')
    .option('--ending <duration>', 'that end within this time', asDuration)
    .option('--all', 'include ended grants')
    .option('--limit <count>', 'at most this many', asCount, 1000)
    .option('--json', 'as JSON')
    .examples('tessera grant list --ending 30d', 'tessera grant list --identity ada --json')
    .acts(async () => (await work()).listGrants);
}

function declareShow(group: CliCommand): void {
  group
    .command('show')
    .argument('<grant>', 'its id, or the first digits of it, at least four')
    .description('show one grant')
    .option('--json', 'as JSON')
    .examples('tessera grant show 0192f3…')
    .acts(async () => (await work()).printGrant);
}

function declareRevoke(group: CliCommand): void {
  withFilter(group.command('revoke').argument('[grant]', 'its id, or the first digits of it, at least four'))
    .description('end one grant, or all grants of an identity, an integration or a guest, immediately and for good')
    .option('--yes', 'confirm ending more than one grant')
    .examples('tessera grant revoke 0192f3…', 'tessera grant revoke --identity ada --yes')
    .acts(async () => (await work()).revokeGrants);
}
