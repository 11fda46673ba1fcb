import { setTimeout as sleep } from 'node:timers/promises';
import { EVENT_TYPES, type EventType } from '../../core/event.ts';
import { isoTime, type Seconds } from '../../core/time.ts';
import type { LoggedEvent } from '../../store/store.ts';
import type { CliCommand } from '../terminal/cli-command.ts';
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
  readonly by?: string;
  readonly type?: EventType;
  readonly since?: Seconds;
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

async function printEvents(flags: EventsFlags, administration: Administration): Promise<void> {
  if (flags.csv) process.stdout.write(`${COLUMNS.join(',')}\n`);
  const isNewest = flags.after === undefined && (flags.limit !== undefined || flags.since === undefined);
  const start = isNewest ? await printNewest(flags, administration) : (flags.after ?? 0);
  if (!isNewest || flags.follow)
    await printFrom(start, isNewest ? { ...flags, limit: undefined } : flags, administration);
}

function queryOf({ identity, by, type, since, request }: EventsFlags) {
  return {
    ...(identity !== undefined && { identity }),
    ...(by !== undefined && { by }),
    ...(type && { type }),
    ...(since !== undefined && { within: since }),
    ...(request !== undefined && { requestId: request }),
  };
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
  if (!json && !csv) printEventLines(events);
  else for (const event of events) (json ? printJsonLine : printCsvLine)(event);
}

const COLUMNS = ['sequence', 'at', 'type', 'clientId', 'identityId', 'subjectId', 'address', 'requestId', 'detail'];

/** RFC 4180. A cell that a spreadsheet would take for a formula begins with an apostrophe. */
function printCsvLine({ presenter, detail, at, ...event }: LoggedEvent): void {
  const { sequence, type, clientId, identityId, subjectId, requestId } = event;
  const told = detail === undefined ? undefined : JSON.stringify(detail);
  const cells = [sequence, isoTime(at), type, clientId, identityId, subjectId, presenter?.address, requestId, told];
  process.stdout.write(`${cells.map((cell) => csvCell(String(cell ?? ''))).join(',')}\n`);
}

function csvCell(text: string): string {
  const inert = /^[=+@\t\r-]/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
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
  const lines = items.map((row) => [row.reason, row.clientId, row.identityId, row.count, row.last, row.lastRequestId]);
  printTable(['reason', 'client id', 'identity', 'count', 'last', 'last request'], lines);
}
