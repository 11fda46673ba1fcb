import { setTimeout as sleep } from 'node:timers/promises';
import { EVENT_TYPES, type EventType } from '../../core/event.ts';
import { EVENT_COLUMNS, eventAsCsv } from '../../core/event-csv.ts';
import type { Seconds } from '../../core/time.ts';
import type { LoggedEvent } from '../../store/store.ts';
import type { CliCommand } from '../terminal/cli-command.ts';
import { CommandFailure } from '../terminal/exit.ts';
import { asCount, asDuration } from '../terminal/options.ts';
import { printJson, printJsonLine, printTable, remark } from '../terminal/output.ts';
import { accepted } from '../terminal/wording.ts';
import { administering } from './administration.ts';
import { printEventLines } from './event-lines.ts';
import type { Administration } from './steps.ts';

export function eventsCommand(program: CliCommand): void {
  program
    .command('events')
    .description('show what changed, newest last: the latest 50 events, or all after a number or a time')
    .option('--after <sequence>', 'all events after this one; 0 for all there are', asCount)
    .option('--identity <identity>', 'of this identity, by user name or id; without refreshes')
    .option('--integration <client_id>', 'of this integration')
    .option('--by <identity>', 'what this identity did, by user name or id')
    .option('--about <name>', 'what was done to the thing of this name, such as an issuer')
    .choice('--type <type>', 'of this type', EVENT_TYPES)
    .option('--since <duration>', 'all of this last time, such as 24h', asDuration)
    .option('--from <moment>', 'all since then: 2026-11-18, or with a time in UTC such as 2026-11-18T03:00')
    .option('--to <moment>', 'only before then')
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
      'tessera events --about partners --from 2026-11-17 --to 2026-11-18',
    )
    .runs(administering(printEvents));
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
    .runs(administering(printRefusals));
}

interface EventsFlags {
  readonly after?: number;
  readonly identity?: string;
  readonly integration?: string;
  readonly by?: string;
  readonly about?: string;
  readonly type?: EventType;
  readonly since?: Seconds;
  readonly from?: string;
  readonly to?: string;
  readonly request?: string;
  readonly limit?: number | undefined;
  readonly follow?: true;
  readonly json?: true;
  readonly csv?: true;
}

const POLL_MS = 1000;
const STEP = 1000;

/** Without `--limit`, if neither a time nor a number says from where on. */
const NEWEST = 50;

const EXCLUSIVE = [
  ['since', 'from'],
  ['follow', 'to'],
] as const;

async function printEvents(flags: EventsFlags, administration: Administration): Promise<void> {
  const { after, limit, since, from, follow, csv } = flags;
  const both = EXCLUSIVE.find((pair) => pair.every((name) => flags[name] !== undefined));
  if (both) throw new CommandFailure('usage', `--${both.join(' and --')} cannot be combined`, 'Give one of them.');
  if (csv) process.stdout.write(`${EVENT_COLUMNS.join(',')}\n`);
  const isNewest = after === undefined && (limit !== undefined || (since === undefined && from === undefined));
  const start = isNewest ? await printNewest(flags, administration) : (after ?? 0);
  if (!isNewest || follow) await printFrom(start, isNewest ? { ...flags, limit: undefined } : flags, administration);
}

/** As the door calls them. */
function queryOf({ identity, integration, by, about, type, from, to, since, request }: EventsFlags): object {
  const query = { identity, integration, by, about, type, from, to, within: since, requestId: request };
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined));
}

/** Returns the sequence number of the last one. */
async function printNewest(flags: EventsFlags, { act }: Administration): Promise<number> {
  const { limit = NEWEST } = flags;
  let [found, before]: [readonly LoggedEvent[], number | undefined] = [[], undefined];
  while (found.length < limit) {
    const query: object = { ...queryOf(flags), limit: Math.min(STEP, limit - found.length), ...(before && { before }) };
    const { items, next } = accepted(await act('event-list', { query })).value;
    found = [...items, ...found];
    if (next === undefined) break;
    before = Number(next);
  }
  printAll(found, flags);
  if (found.length === NEWEST && flags.limit === undefined && !flags.follow)
    remark(`These are the latest ${NEWEST}. All of them: --after 0; of a last time: --since 24h`);
  return found.at(-1)?.sequence ?? 0;
}

/** All after a number, or the first `limit` of them; with --follow, also those that are yet to come. */
async function printFrom(start: number, flags: EventsFlags, { act }: Administration): Promise<void> {
  let [left, after, epoch] = [flags.limit ?? Number.POSITIVE_INFINITY, start, undefined as number | undefined];
  while (left > 0) {
    const query = { ...queryOf(flags), after, limit: STEP, ...(flags.follow && epoch !== undefined && { epoch }) };
    const { items, next, epoch: known } = accepted(await act('event-list', { query })).value;
    printAll(items.slice(0, left), flags);
    left -= items.length;
    epoch = known;
    if (next !== undefined) after = Number(next);
    else if (flags.follow) await sleep(POLL_MS);
    else return;
  }
}

function printAll(events: readonly LoggedEvent[], { json, csv }: EventsFlags): void {
  if (json) for (const event of events) printJsonLine(event);
  else if (csv) process.stdout.write(events.map((event) => `${eventAsCsv(event)}\n`).join(''));
  else printEventLines(events);
}

interface RefusalFlags {
  readonly integration?: string;
  readonly identity?: string;
  readonly reason?: string;
  readonly json?: true;
}

async function printRefusals({ json, ...query }: RefusalFlags, { act }: Administration): Promise<void> {
  const { items } = accepted(await act('refusal-list', { query })).value;
  if (json) return printJson(items);
  const whoOf = ({ identityId, claimed }: (typeof items)[number]) => identityId || (claimed?.subject ?? '');
  const lines = items.map((row) => [row.reason, row.clientId, whoOf(row), row.count, row.last, row.lastRequestId]);
  printTable(['reason', 'client id', 'identity or certificate', 'count', 'last', 'last request'], lines);
}
