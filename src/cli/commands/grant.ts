import type { CliCommand } from '../terminal/cli-command.ts';
import { asCount, asDuration } from '../terminal/options.ts';
import { administers } from './administration.ts';

const work = () => import('./work/grant.ts');

export function grantCommands(program: CliCommand): void {
  const group = program.command('grant').description('list, show and end grants');
  declareList(group);
  declareShow(group);
  declareTimeline(group);
  declareRevoke(group);
}

function withFilter(command: CliCommand): CliCommand {
  return command
    .option('--identity <identity>', 'of this identity, by user name or id')
    .option('--integration <client_id>', 'of this integration')
    .option('--guest <address>', 'of the client whose document has this address')
    .option('--certificate <digits>', 'by this certificate: its serial number, or the SHA-256 of its key')
    .option('--address <address>', 'whose newest token this address got')
    .option('--since <duration>', 'made at most this long ago', asDuration)
    .option('--until <duration>', 'made at least this long ago', asDuration);
}

function declareList(group: CliCommand): void {
  withFilter(group.command('list'))
    .description('list live grants')
    .option('--ending <duration>', 'that end within this time', asDuration)
    .option('--all', 'include ended grants')
    .option('--limit <count>', 'at most this many', asCount, 1000)
    .option('--json', 'as JSON')
    .examples('tessera grant list --ending 30d', 'tessera grant list --identity ada --json')
    .runs(administers(async () => (await work()).listGrants));
}

function declareShow(group: CliCommand): void {
  group
    .command('show')
    .argument('<grant>', 'its id, or the first digits of it, at least four')
    .description('show one grant')
    .option('--json', 'as JSON')
    .examples('tessera grant show 0192f3…')
    .runs(administers(async () => (await work()).printGrant));
}

function declareTimeline(group: CliCommand): void {
  group
    .command('timeline')
    .argument('<grant>', 'its id, or the first digits of it, at least four')
    .description('show what happened to a grant, except for refreshes')
    .option('--json', 'as JSON')
    .examples('tessera grant timeline 0192f3…')
    .runs(administers(async () => (await work()).printTimeline));
}

function declareRevoke(group: CliCommand): void {
  withFilter(group.command('revoke').argument('[grant]', 'its id, or the first digits of it, at least four'))
    .description('end one grant, or all that the flags select, immediately and for good; says how many before it does')
    .option('--yes', 'confirm ending more than one grant')
    .examples('tessera grant revoke 0192f3…', 'tessera grant revoke --identity ada --yes')
    .runs(administers(async () => (await work()).revokeGrants));
}
