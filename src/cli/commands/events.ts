import type { Command } from 'commander';
import { asCount, examples } from '../terminal/options.ts';
import type { EventsFlags } from './work/events.ts';

export function eventsCommand(program: Command): void {
  program
    .command('events')
    .description('show what changed, newest last: the latest events, or those after a sequence number')
    .option('--after <sequence>', 'only events after this one', asCount)
    .option('--limit <count>', 'at most this many', asCount, 50)
    .option('--follow', 'keep printing new events until interrupted')
    .option('--json', 'one JSON object per line')
    .addHelpText('after', examples('tessera events', 'tessera events --follow', 'tessera events --after 1200 --json'))
    .action(async (flags: EventsFlags, command: Command) =>
      (await import('./work/events.ts')).printEvents(flags, command),
    );
}
