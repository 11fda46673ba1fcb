import type { Command } from 'commander';
import type { Seconds } from '../../core/time.ts';
import type { GrantFilter } from '../grant-filter.ts';
import { CommandFailure } from '../terminal/exit.ts';
import { asCount, asDuration, examples } from '../terminal/options.ts';
import { counted, print, printJson, printRecord, printTable, remark } from '../terminal/output.ts';
import { atWorkplace } from '../terminal/workplace.ts';

export function grantCommands(program: Command): void {
  const group = program.command('grant').description('grants: see and end them');
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
    .option('--all', 'those that ended, too')
    .option('--limit <count>', 'at most this many', asCount, 1000)
    .option('--json', 'as JSON')
    .addHelpText('after', examples('tessera grant list --ending 30d', 'tessera grant list --identity ada --json'))
    .action((flags: GrantFilter & { ending?: Seconds; limit: number; json?: true }, command: Command) =>
      atWorkplace(command, async ({ store }) => {
        const { findGrants } = await import('../grant-filter.ts');
        const { shownGrant } = await import('../terminal/shown-grant.ts');
        const now = await store.now();
        const found = (await findGrants(flags, flags.limit + 1, store)).map((grant) => shownGrant(grant, now));
        const shown = found.slice(0, flags.limit);
        if (flags.json) printJson(shown);
        else {
          const rows = shown.map(({ id, state, clientId, identityId, refreshUntil, scope }) => [
            id,
            state,
            clientId,
            identityId,
            refreshUntil,
            scope,
          ]);
          printTable(['grant', 'state', 'client id', 'identity', 'ends', 'scope'], rows);
        }
        if (found.length > shown.length) remark(`There are more than ${flags.limit}; see --limit.`);
      }),
    );
}

function declareShow(group: Command): void {
  group
    .command('show')
    .argument('<grant>', 'its id, 32 hex digits')
    .description('show one grant')
    .option('--json', 'as JSON')
    .addHelpText('after', examples('tessera grant show 0192f3…'))
    .action((text: string, { json }: { json?: true }, command: Command) =>
      atWorkplace(command, async ({ store }) => {
        const { grants } = await import('../../store/tables/grants.ts');
        const { shownGrant } = await import('../terminal/shown-grant.ts');
        const { found, now } = await store.load(grants, grantId(text));
        if (!found) throw unknownGrant(text);
        const shown = shownGrant(found.row, now);
        if (json) printJson(shown);
        else printRecord(shown);
      }),
    );
}

function declareRevoke(group: Command): void {
  withFilter(group.command('revoke').argument('[grant]', 'its id'))
    .description('end one grant, or all of an identity or an integration, at once and for good')
    .option('--yes', 'for more than one grant: do it')
    .addHelpText('after', examples('tessera grant revoke 0192f3…', 'tessera grant revoke --identity ada --yes'))
    .action((text: string | undefined, flags: GrantFilter & { yes?: true }, command: Command) =>
      atWorkplace(command, async (workplace) => {
        const { revokeById } = await import('../../operations/grant/revoke-grant.ts');
        const { revokeFound } = await import('../grant-filter.ts');
        const isFiltered = flags.identity !== undefined || flags.integration !== undefined;
        if (isFiltered === (text !== undefined)) {
          throw new CommandFailure(
            'usage',
            'name one grant, or --identity or --integration',
            'See: tessera grant revoke --help',
          );
        }
        if (text === undefined)
          return print(`Ended ${counted(await revokeFound(flags, flags.yes === true, workplace.store), 'grant')}`);
        if (!(await revokeById(grantId(text), 'by-operator', workplace)))
          throw unknownGrant(text, ' that is not revoked already');
        print(`Ended the grant ${text}`);
      }),
    );
}

function grantId(text: string): import('../../core/grant.ts').GrantId {
  if (!/^[0-9a-f]{32}$/.test(text)) throw unknownGrant(text);
  return text as import('../../core/grant.ts').GrantId;
}

function unknownGrant(text: string, which = ''): CommandFailure {
  return new CommandFailure(
    'refused',
    `there is no grant ${JSON.stringify(text)}${which}`,
    'List them with: tessera grant list --all',
  );
}
