import { setTimeout as sleep } from 'node:timers/promises';
import type { EventType } from '../../../core/event.ts';
import { isoTime, type Seconds } from '../../../core/time.ts';
import type { LoggedEvent } from '../../../store/store.ts';
import { printJson, printJsonLine, printTable, remark } from '../../terminal/output.ts';
import { accepted } from '../../terminal/wording.ts';
import { printEventLines } from './event-lines.ts';
import type { Administration } from './steps.ts';

export interface EventsFlags {
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

export async function printEvents(flags: EventsFlags, administration: Administration): Promise<void> {
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

export interface RefusalFlags {
  readonly integration?: string;
  readonly identity?: string;
  readonly reason?: string;
  readonly json?: true;
}

export async function printRefusals({ json, ...query }: RefusalFlags, { act }: Administration): Promise<void> {
  const { items } = accepted(await act('refusal-list', { query })).value;
  if (json) return printJson(items);
  const lines = items.map((row) => [row.reason, row.clientId, row.identityId, row.count, row.last, row.lastRequestId]);
  printTable(['reason', 'client id', 'identity', 'count', 'last', 'last request'], lines);
}
