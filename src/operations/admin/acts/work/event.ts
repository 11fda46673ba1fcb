import { setImmediate as nextTurn } from 'node:timers/promises';
import { ACT_TYPES, type EventType } from '../../../../core/event.ts';
import { accept } from '../../../../core/outcome.ts';
import { requestedAt } from '../../../../core/request-id.ts';
import { type EpochSeconds, epochSeconds, isoTime, after as later, seconds } from '../../../../core/time.ts';
import { eventPages } from '../../../../store/pages.ts';
import type { LoggedEvent, StorePort } from '../../../../store/store.ts';
import type { RefusalCount } from '../../../../store/tables/figures.ts';
import { readHistory } from '../../../../store/tables/store-history.ts';
import { readRefusals } from '../../../upkeep/count-refusals.ts';
import { runningNodes } from '../../../upkeep/report-node.ts';
import { type Acted, decline } from '../../admin.ts';
import type { EventQuery } from '../../event-filter.ts';
import { findIdentity } from '../../find-identity.ts';
import { MOMENT } from '../../text-forms.ts';
import { type ActPorts, answer } from '../act.ts';

export async function listEvents(query: EventQuery, ports: ActPorts) {
  const { after, before, epoch, limit = 100 } = query;
  const filter = await filterOf(query, ports);
  if (!filter.ok) return filter;
  const history = await readHistory(ports.store);
  const page =
    after === undefined
      ? accept(await readOlderEvents({ before, limit, filter: filter.value }, ports))
      : await readNewEvents({ after, limit, epoch, filter: filter.value }, ports);
  if (!page.ok) return page;
  const { items, next } = page.value;
  return answer({ items: [...items], ...(next !== undefined && { next: `${next}` }), epoch: history.epoch });
}

interface RefusalFilter {
  readonly integration?: string;
  readonly identity?: string;
  readonly reason?: string;
}

export async function listRefusals({ integration, identity, reason }: RefusalFilter, ports: ActPorts) {
  const known = identity === undefined ? undefined : await findIdentity(identity, ports);
  if (known && !known.ok) return known;
  const found = await readRefusals(ports);
  const wanted = found.filter(
    (row) =>
      (integration === undefined || row.clientId === integration) &&
      (known === undefined || row.identityId === known.value.id) &&
      (reason === undefined || row.reason === reason),
  );
  return answer({ items: wanted.sort((a, b) => b.last - a.last).map(shownRefusal) });
}

export async function listNodes({ store }: StorePort) {
  const running = await runningNodes(store);
  return answer({ items: running.map(({ name, endsAt }) => ({ name, until: isoTime(endsAt) })) });
}

export function shownRefusal(count: RefusalCount) {
  const { key: _, first, last, ...row } = count;
  return { ...row, first: isoTime(first), last: isoTime(last) };
}

/** `2026-11-18`, or with a time, in UTC unless it says otherwise. */
function momentIn(text: string): EpochSeconds | undefined {
  const [, day, time = 'T00:00', zone = 'Z'] = MOMENT.exec(text) ?? [];
  const at = Date.parse(`${day}${time}${zone}`);
  return Number.isNaN(at) ? undefined : epochSeconds(at / 1000);
}

async function filterOf(
  { identity, by, integration, within, from, to, type, requestId, about }: EventQuery,
  ports: ActPorts,
): Acted<EventFilter> {
  const known = identity === undefined ? undefined : await findIdentity(identity, ports);
  if (known && !known.ok) return known;
  const author = by === undefined ? undefined : await findIdentity(by, ports);
  if (author && !author.ok) return author;
  const wrong = [from, to].find((text) => text !== undefined && momentIn(text) === undefined);
  if (wrong !== undefined)
    return decline('object-malformed', `${wrong} is not a date such as 2026-11-18 or 2026-11-18T03:00Z`);
  const lately = within === undefined ? undefined : later(await ports.store.now(), seconds(0 - within));
  const [since, until] = [from === undefined ? lately : momentIn(from), to === undefined ? undefined : momentIn(to)];
  const ids = { identityId: known?.value.id, by: author?.value.id, clientId: integration, requestId, about };
  return accept({ ...ids, type, since, until });
}

/** What an event must be, by what is asked for. */
const TESTS = {
  identityId: ({ identityId }: LoggedEvent, id: string) => identityId === id,
  /** The id of the identity that did it. */
  by: (event: LoggedEvent, id: string) => authorOf(event) === id,
  type: ({ type }: LoggedEvent, wanted: EventType) => type === wanted,
  since: ({ at }: LoggedEvent, since: EpochSeconds) => at >= since,
  until: ({ at }: LoggedEvent, until: EpochSeconds) => at < until,
  /** The id of the thing that an act was done to. */
  about: ({ type, detail }: LoggedEvent, id: string) => type === 'administered' && detail.id === id,
  /** The grant or the device authorization. */
  subjectId: ({ subjectId }: LoggedEvent, id: string) => subjectId === id,
  requestId: ({ requestId }: LoggedEvent, id: string) => requestId === id,
  clientId: ({ clientId }: LoggedEvent, id: string) => clientId === id,
  /** From where. */
  address: ({ presenter }: LoggedEvent, address: string) => presenter?.address === address,
};

export type EventFilter = { readonly [Name in keyof typeof TESTS]?: Parameters<(typeof TESTS)[Name]>[1] | undefined };

function passes(event: LoggedEvent, filter: EventFilter): boolean {
  const asked = Object.entries(filter).filter(([, value]) => value !== undefined);
  return asked.every(([name, value]) => TESTS[name as keyof EventFilter](event, value as never));
}

export interface EventPage {
  /** Oldest first. */
  readonly items: readonly LoggedEvent[];
  /** Where the following page begins, if there may be one. */
  readonly next?: number;
}

const STEP = 1000;
/** The most that one page reads: a filter without an index must not walk through the whole log. A page may be short. */
const MOST_READ = 10_000;

/** The newest events that pass; with `before`, of those with lower numbers. */
export async function readOlderEvents(
  draft: { readonly before?: number | undefined; readonly limit: number; readonly filter?: EventFilter },
  { store }: StorePort,
): Promise<EventPage> {
  const { limit, filter = {} } = draft;
  const end = filter.until === undefined ? undefined : (await lastBefore(filter.until, store)) + 2 * STEP;
  let [found, read, before]: [readonly LoggedEvent[], number, number | undefined] = [[], 0, draft.before ?? end];
  while (found.length < limit && read < MOST_READ) {
    const page = await store.newestEvents({ count: STEP, ...indexOf(filter), ...(before !== undefined && { before }) });
    const passing = page.filter((event) => passes(event, filter));
    const kept = passing.slice(-(limit - found.length));
    found = [...kept, ...found];
    read += page.length;
    const [oldest] = page;
    const isFirst = !oldest || page.length < STEP || oldest.at + CLOCKS_DIFFER < (filter.since ?? 0);
    if (kept.length === passing.length && isFirst) return { items: found };
    before = (kept.length < passing.length ? kept[0] : oldest)?.sequence;
    await nextTurn(); // SQLite answers at once: requests would wait for all of it
  }
  return { items: found, ...(before !== undefined && { next: before }) };
}

/** Times of nodes are not quite in order. In seconds. */
const CLOCKS_DIFFER = 60;

function isPast(page: readonly LoggedEvent[], until: EpochSeconds | undefined): boolean {
  return until !== undefined && (page.at(-1)?.at ?? 0) > until + CLOCKS_DIFFER;
}

/** `epoch`: of a follower, the one in which it began. */
export interface FollowDraft {
  readonly after: number;
  readonly limit: number;
  readonly epoch?: number | undefined;
  readonly filter?: EventFilter;
}

/**
 * What a follower reads after `after`. Refused if the store was put back: a follower would wait in silence, or miss events,
 * while those numbers are given out a second time.
 */
export async function readNewEvents(
  { epoch, after, limit, filter = {} }: FollowDraft,
  { store }: StorePort,
): Acted<EventPage> {
  const history = epoch === undefined ? undefined : await readHistory(store);
  if (history?.rollback) return decline('event-log-rolled-back', `${history.rollback.seen} when a node noticed it`);
  if (history && history.epoch !== epoch) return decline('event-log-rolled-back', `${after}, in epoch ${epoch}`);
  const start = Math.max(after, filter.since === undefined ? 0 : await lastBefore(filter.since, store));
  const found: LoggedEvent[] = [];
  let [read, last] = [0, start];
  for await (const page of eventPages(store, STEP, { after: start, ...indexOf(filter) })) {
    found.push(...page.filter((event) => passes(event, filter)).slice(0, limit - found.length));
    read += page.length;
    last = (found.length === limit ? found : page).at(-1)?.sequence ?? last;
    if (found.length === limit || read >= MOST_READ) break;
    if (isPast(page, filter.until)) return accept({ items: found });
  }
  if (read > 0 || !history) return accept({ items: found, ...(read > 0 && { next: last }) });
  const { drawn } = await store.eventProgress();
  return drawn >= after
    ? accept({ items: [] })
    : decline('event-log-rolled-back', `${after}, and ends at ${drawn} now`);
}

/** What the log has an index for. */
function indexOf({ identityId, by, about, type }: EventFilter): { readonly identityId?: string; readonly acts?: true } {
  if (identityId !== undefined) return { identityId };
  return by !== undefined || about !== undefined || ACT_TYPES.some((act) => act === type) ? { acts: true } : {};
}

function authorOf({ type, detail }: LoggedEvent): string | undefined {
  const by = type === 'administered' || type === 'revoked' ? detail.by : undefined;
  return by?.as === 'identity' ? by.id : undefined;
}

const MOST_SHOWN = 1000;

/** What happened to a grant, oldest first: its confirmation or issue, retries, reuse, its end. Refreshes are in its row. */
export async function timelineOf(
  { id, identityId, createdAt }: { readonly id: string; readonly identityId: string; readonly createdAt: string },
  ports: StorePort,
): Promise<readonly LoggedEvent[]> {
  const since = epochSeconds(Date.parse(createdAt) / 1000);
  const filter = { identityId, subjectId: id, since };
  return (await readOlderEvents({ limit: MOST_SHOWN, filter }, ports)).items;
}

/** How far the events of a request may be from the time in its id. */
const EARLIER = seconds(-10);
const LATER = seconds(60);
const MOST_STEPS = 60;

/** The id of a request begins with its time, so the log is read from there. Ids of 0.2 do not: the end of the log is read. */
export async function eventsOfRequest(requestId: string, { store }: StorePort): Promise<readonly LoggedEvent[]> {
  const at = requestedAt(requestId);
  const found: LoggedEvent[] = [];
  const start = at === undefined ? Number.MAX_SAFE_INTEGER : await lastBefore(later(at, EARLIER), store);
  let steps = 0;
  for await (const page of eventPages(store, STEP, { after: start })) {
    found.push(...page.filter((event) => event.requestId === requestId));
    if (++steps >= MOST_STEPS || isPast(page, at && later(at, LATER))) break;
  }
  if (found.length > 0) return found;
  return (await readOlderEvents({ limit: MOST_SHOWN, filter: { requestId } }, { store })).items;
}

/** A sequence number just before the first event of that time, found by halving: a long log is not read from its start. */
async function lastBefore(since: EpochSeconds, store: Pick<StorePort['store'], 'events' | 'eventProgress'>) {
  let [low, high] = [0, (await store.eventProgress()).readable];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const [event] = await store.events({ after: middle, limit: 1 });
    if (event && event.at < since) low = event.sequence;
    else high = middle;
  }
  // Clocks of nodes may differ by seconds, so that times are not quite in order.
  return Math.max(0, low - STEP);
}
