import { setTimeout as sleep } from 'node:timers/promises';
import { EVENT_COLUMNS, EVENT_TYPES, eventAsCsv } from '../../core/event.ts';
import type { LoggedEvent } from '../../store/store.ts';
import { CommandFailure } from '../terminal/exit.ts';
import { AS_JSON, count, duration, flag, type Given, oneOf, text } from '../terminal/options.ts';
import { printJson, printJsonLine, printTable, remark } from '../terminal/output.ts';
import { administers } from './administration.ts';
import { printEventLines } from './event-lines.ts';
import type { Administration } from './steps.ts';

const OPTIONS = {
  after: count('all events after this one; 0 for all there are', '<sequence>'),
  identity: text('<identity>', 'of this identity, by user name or id; without refreshes'),
  integration: text('<client_id>', 'of this integration'),
  by: text('<identity>', 'what this identity did, by user name or id'),
  about: text('<name>', 'what was done to the thing of this name, such as an issuer'),
  type: oneOf('<type>', EVENT_TYPES, 'of this type'),
  since: duration('all of this last time, such as 24h'),
  from: text('<moment>', 'all since then: 2026-11-18, or with a time in UTC such as 2026-11-18T03:00'),
  to: text('<moment>', 'only before then'),
  request: text('<id>', 'that this request caused'),
  limit: count('at most this many'),
  follow: flag('keep printing new events until interrupted'),
  json: flag('one JSON object per line'),
  csv: flag('as CSV, for spreadsheets'),
};
type EventsFlags = Given<typeof OPTIONS>;

export const commands = {
  events: administers({
    about: 'show what changed, newest last: the latest 50 events, or all after a number or a time',
    options: OPTIONS,
    examples: [
      'tessera events',
      'tessera events --follow',
      'tessera events --after 1200 --json',
      'tessera events --type reused --since 7d',
      'tessera events --by olga --since 24h',
      'tessera events --about partners --from 2026-11-17 --to 2026-11-18',
    ],
    run: printEvents,
  }),
  refusals: administers({
    about:
      'show what was refused: how often, when last, and the id of the last request; seconds late, in a flood a minute',
    options: {
      integration: text('<client_id>', 'of this integration'),
      identity: text('<identity>', 'of this identity, by user name or id'),
      reason: text('<refusal>', 'for this reason, such as scope-exceeds-integration'),
      ...AS_JSON,
    },
    examples: ['tessera refusals', 'tessera refusals --integration orders-sync'],
    run: async ({ json, ...query }, { act }) => {
      const { items } = await act('refusal-list', { query });
      if (json) return printJson(items);
      const whoOf = ({ identityId, claimed }: (typeof items)[number]) => identityId || (claimed?.subject ?? '');
      const lines = items.map((row) => [row.reason, row.clientId, whoOf(row), row.count, row.last, row.lastRequestId]);
      printTable(['reason', 'client id', 'identity or certificate', 'count', 'last', 'last request'], lines);
    },
  }),
};
const POLL_MS = 1000;
const STEP = 1000;

/** Without `--limit`, if neither a time nor a number says from where on. */
const NEWEST = 50;

const EXCLUSIVE = [
  ['since', 'from'],
  ['follow', 'to'],
  ['json', 'csv'],
] as const;

async function printEvents(flags: EventsFlags, administration: Administration): Promise<void> {
  const { limit, ...rest } = flags;
  const { after, since, from, follow, csv } = rest;
  const both = EXCLUSIVE.find((pair) => pair.every((name) => flags[name] !== undefined));
  if (both) throw new CommandFailure('usage', `--${both.join(' and --')} cannot be combined`, 'Give one of them.');
  if (csv) process.stdout.write(`${EVENT_COLUMNS.join(',')}\n`);
  const isNewest = after === undefined && (limit !== undefined || (since === undefined && from === undefined));
  const start = isNewest ? await printNewest(flags, administration) : (after ?? 0);
  if (!isNewest || follow) await printFrom(start, isNewest ? rest : flags, administration);
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
    const { items, next } = await act('event-list', { query });
    found = [...items, ...found];
    if (next === undefined) break;
    before = Number(next);
  }
  printAll(found, flags);
  if (found.length === 0 && !flags.follow) remark('(none)');
  if (found.length === NEWEST && flags.limit === undefined && !flags.follow)
    remark(`These are the latest ${NEWEST}. All of them: --after 0; of a last time: --since 24h`);
  return found.at(-1)?.sequence ?? 0;
}

/** All after a number, or the first `limit` of them; with --follow, also those that are yet to come. */
async function printFrom(start: number, flags: EventsFlags, { act }: Administration): Promise<void> {
  const most = flags.limit ?? Number.POSITIVE_INFINITY;
  let [printed, after, epoch] = [0, start, undefined as number | undefined];
  while (printed < most) {
    const query = { ...queryOf(flags), after, limit: STEP, ...(flags.follow && epoch !== undefined && { epoch }) };
    const { items, next, epoch: known } = await act('event-list', { query });
    printAll(items.slice(0, most - printed), flags);
    printed += items.length;
    epoch = known;
    if (next !== undefined) after = Number(next);
    else if (flags.follow) await sleep(POLL_MS);
    else return void (printed === 0 && remark('(none)'));
  }
}

function printAll(events: readonly LoggedEvent[], { json, csv }: EventsFlags): void {
  if (json) for (const event of events) printJsonLine(event);
  else if (csv) process.stdout.write(events.map((event) => `${eventAsCsv(event)}\n`).join(''));
  else printEventLines(events);
}
