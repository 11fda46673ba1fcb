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
    )
    .runs(administers(async () => (await import('./work/events.ts')).printEvents));
}
