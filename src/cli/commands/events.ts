import { EVENT_TYPES } from '../../core/event.ts';
import type { CliCommand } from '../terminal/cli-command.ts';
import { asCount, asDuration } from '../terminal/options.ts';
import { administers } from './administration.ts';

export function eventsCommand(program: CliCommand): void {
  program
    .command('events')
    .description('show what changed, newest last: the latest 50 events, or all after a number or a time')
    .option('--after <sequence>', 'all events after this one; 0 for all there are', asCount)
    .option('--identity <identity>', 'of this identity, by user name or id; without refreshes')
    .option('--by <identity>', 'what this identity did, by user name or id')
    .choice('--type <type>', 'of this type', EVENT_TYPES)
    .option('--since <duration>', 'all of this last time, such as 24h', asDuration)
    .option('--request <id>', 'that this request caused')
    .option('--limit <count>', 'at most this many', asCount)
    .option('--follow', 'keep printing new events until interrupted')
    .option('--json', 'one JSON object per line')
    .option('--csv', 'as CSV, for spreadsheets')
    .examples(
      'tessera events',
      'tessera events --follow',
      'tessera events --after 1200 --json',
      'tessera events --type reused --since 7d',
      'tessera events --by olga --since 24h',
    )
    .runs(administers(async () => (await import('./work/events.ts')).printEvents));
}

export function refusalsCommand(program: CliCommand): void {
  program
    .command('refusals')
    .description('show what was refused: how often, when last, and the id of the last request; a minute late')
    .option('--integration <client_id>', 'of this integration')
    .option('--identity <identity>', 'of this identity, by user name or id')
    .option('--reason <refusal>', 'for this reason, such as scope-exceeds-integration')
    .option('--json', 'as JSON')
    .examples('tessera refusals', 'tessera refusals --integration orders-sync')
    .runs(administers(async () => (await import('./work/events.ts')).printRefusals));
}
