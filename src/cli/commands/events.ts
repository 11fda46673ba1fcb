import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import type { LoggedEvent, Store } from '../../store/store.ts';
import { CommandFailure } from '../terminal/exit.ts';
import { asCount, examples } from '../terminal/options.ts';
import { moment, print } from '../terminal/output.ts';
import { atWorkplace } from '../terminal/workplace.ts';

interface EventsFlags {
  readonly after?: number;
  readonly limit: number;
  readonly follow?: true;
  readonly json?: true;
}

const POLL_MS = 1000;

export function eventsCommand(program: Command): void {
  program
    .command('events')
    .description('show what changed, newest last: the latest events, or those behind a sequence number')
    .option('--after <sequence>', 'only events behind this one', asCount)
    .option('--limit <count>', 'at most this many', asCount, 50)
    .option('--follow', 'go on as events happen, until interrupted')
    .option('--json', 'one JSON object per line')
    .addHelpText('after', examples('tessera events', 'tessera events --follow', 'tessera events --after 1200 --json'))
    .action((flags: EventsFlags, command: Command) =>
      atWorkplace(command, async ({ store }) => {
        const { after, limit } = flags;
        let events = await (after === undefined
          ? store.newestEvents({ count: limit })
          : store.events({ after, limit }));
        let last = after ?? 0;
        for (;;) {
          for (const event of events) print(flags.json ? JSON.stringify(event) : eventLine(event));
          if (!flags.follow) return;
          last = events.at(-1)?.sequence ?? last;
          if (events.length === 0) {
            await sleep(POLL_MS);
            await refuseRolledBack(store, last);
          }
          events = await store.events({ after: last, limit: 500 });
        }
      }),
    );
}

/** Whoever follows must not wait in silence for numbers that are given a second time. */
async function refuseRolledBack(store: Store, last: number): Promise<void> {
  const { drawn } = await store.eventProgress();
  if (drawn >= last) return;
  throw new CommandFailure(
    'store',
    `the event log ended at ${last}, and ends at ${drawn} now: the store was put back to an older state`,
    'See "A store that was put back" in docs/operators.md. Then follow it anew, and expect these numbers a second time.',
  );
}

function eventLine({ sequence, at, type, clientId, identityId, subjectId, presenter, detail }: LoggedEvent): string {
  const notes = Object.entries(detail ?? {}).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  const parts = [sequence, moment(at), type, clientId, identityId, subjectId, presenter?.address, ...notes];
  return parts.filter((part) => part !== undefined && part !== '').join('  ');
}
