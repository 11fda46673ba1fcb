import type { GrantFilter } from '../../operations/admin/find-grants.ts';
import type { ShownGrant } from '../../operations/admin/show-grant.ts';
import type { CliCommand } from '../terminal/cli-command.ts';
import { CommandFailure } from '../terminal/exit.ts';
import { asCount, asDuration } from '../terminal/options.ts';
import { counted, print, printJson, printRecord, printTable, remark, result } from '../terminal/output.ts';
import { accepted } from '../terminal/wording.ts';
import { administering } from './administration.ts';
import { printEventLines } from './event-lines.ts';
import { type Administration, itemsOf } from './steps.ts';

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
    .runs(administering(listGrants));
}

function declareShow(group: CliCommand): void {
  group
    .command('show')
    .argument('<grant>', 'its id, or the first digits of it, at least four')
    .description('show one grant')
    .option('--json', 'as JSON')
    .examples('tessera grant show 0192f3…')
    .runs(administering(printGrant));
}

function declareTimeline(group: CliCommand): void {
  group
    .command('timeline')
    .argument('<grant>', 'its id, or the first digits of it, at least four')
    .description('show what happened to a grant, except for refreshes')
    .option('--json', 'as JSON')
    .examples('tessera grant timeline 0192f3…')
    .runs(administering(printTimeline));
}

function declareRevoke(group: CliCommand): void {
  withFilter(group.command('revoke').argument('[grant]', 'its id, or the first digits of it, at least four'))
    .description('end one grant, or all that the flags select, immediately and for good; says how many before it does')
    .option('--yes', 'confirm ending more than one grant')
    .examples('tessera grant revoke 0192f3…', 'tessera grant revoke --identity ada --yes')
    .runs(administering(revokeGrants));
}

interface ListFlags extends GrantFilter {
  readonly limit: number;
  readonly json?: true;
}

async function listGrants({ limit, json, ...filter }: ListFlags, administration: Administration): Promise<void> {
  const found = await itemsOf('grant-list', filter, administration, limit + 1);
  const shown = found.slice(0, limit);
  if (json) printJson(shown);
  else printTable(['grant', 'state', 'client id', 'user name', 'identity', 'ends', 'scope'], shown.map(rowOf));
  if (found.length > limit) remark(`There are more than ${limit}; see --limit.`);
}

function rowOf({ id, state, clientId, guest, userName, identityId, refreshUntil, scope }: ShownGrant) {
  return [id, state, guest ?? clientId, userName, identityId, refreshUntil, scope];
}

async function printGrant(id: string, { json }: { json?: true }, { act }: Administration): Promise<void> {
  const shown = accepted(await act('grant-show', { id })).value;
  if (json) printJson(shown);
  else printRecord(shown);
}

async function printTimeline(id: string, { json }: { json?: true }, { act }: Administration): Promise<void> {
  const { items } = accepted(await act('grant-timeline', { id })).value;
  if (json) printJson(items);
  else printEventLines(items);
}

interface RevokeFlags extends Omit<GrantFilter, 'ending' | 'all'> {
  readonly yes?: true;
}

async function revokeGrants(id: string | undefined, flags: RevokeFlags, { act }: Administration): Promise<void> {
  const { yes = false, ...filter } = flags;
  const hasFilter = Object.values(filter).some((value) => value !== undefined);
  if (hasFilter === (id !== undefined)) {
    throw new CommandFailure('usage', 'name one grant, or flags that select some', 'See: tessera grant revoke --help');
  }
  if (id !== undefined) {
    const { id: grant } = accepted(await act('grant-revoke', { id })).value;
    print(`Ended the grant ${grant}`);
    return result({ id: grant, endedGrants: 1 });
  }
  const ended = accepted(await act('grant-revoke-all', { body: { ...filter, confirmed: yes } })).value;
  const { endedGrants = 0, endedCodes = 0 } = ended;
  print(
    `Ended ${counted(endedGrants, 'grant')}${endedCodes > 0 ? ` and ${counted(endedCodes, 'confirmed code')}` : ''}`,
  );
  result({ endedGrants, endedCodes });
}
