import type { EventType } from '../../core/event.ts';
import { accept } from '../../core/outcome.ts';
import { type EpochSeconds, epochSeconds } from '../../core/time.ts';
import { eventPages } from '../../store/pages.ts';
import type { LoggedEvent } from '../../store/store.ts';
import { readHistory } from '../../store/tables/store-history.ts';
import { type AdminOutcome, type AdminPorts, decline } from './admin.ts';

export interface EventsDraft {
  /** A sequence number; without it, the newest events. */
  readonly after?: number;
  readonly limit: number;
  readonly filter?: EventFilter;
}

/** Absent: all. */
export interface EventFilter {
  readonly identityId?: string;
  readonly type?: EventType;
  readonly since?: EpochSeconds;
  /** The grant or the device authorization. */
  readonly subjectId?: string;
  readonly requestId?: string;
}

/** Events in the order of their sequence numbers: the newest, or with `after` the first after it. */
export async function readEvents(
  { after, limit, filter = {} }: EventsDraft,
  ports: Pick<AdminPorts, 'store'>,
): Promise<readonly LoggedEvent[]> {
  if (after === undefined) return readNewest(limit, filter, ports);
  const found: LoggedEvent[] = [];
  for await (const page of readAllEvents({ after, filter }, ports)) {
    found.push(...page);
    if (found.length >= limit) break;
  }
  return found.slice(0, limit);
}

/** From the end of the log back to the first that is wanted. */
async function readNewest(
  limit: number,
  filter: EventFilter,
  { store }: Pick<AdminPorts, 'store'>,
): Promise<readonly LoggedEvent[]> {
  const { identityId, since = 0 } = filter;
  const of = identityId === undefined ? {} : { identityId };
  const isSelective = filter.type !== undefined || filter.requestId !== undefined || filter.subjectId !== undefined;
  const count = isSelective ? STEP : Math.min(limit, STEP);
  let found: LoggedEvent[] = [];
  for (let before: number | undefined; found.length < limit; ) {
    const page = await store.newestEvents({ count, ...of, ...(before !== undefined && { before }) });
    found = [...page.filter((event) => passes(event, filter)), ...found];
    const [oldest] = page;
    if (!oldest || page.length < count || oldest.at + CLOCKS_DIFFER < since) break;
    before = oldest.sequence;
  }
  return limit === 0 ? [] : found.slice(-limit);
}

/** Times of nodes are not quite in order. In seconds. */
const CLOCKS_DIFFER = 60;

/** What happened to a grant, oldest first: its confirmation or issue, retries, reuse, its end. Refreshes are in its row. */
export function timelineOf(
  { id, identityId, createdAt }: { readonly id: string; readonly identityId: string; readonly createdAt: string },
  ports: Pick<AdminPorts, 'store'>,
): Promise<readonly LoggedEvent[]> {
  const since = epochSeconds(Date.parse(createdAt) / 1000);
  return readEvents({ limit: MOST_SHOWN, filter: { identityId, subjectId: id, since } }, ports);
}

const MOST_SHOWN = 1000;

/** However many there are. */
async function* readAllEvents(
  { after = 0, filter = {} }: Omit<EventsDraft, 'limit'>,
  { store }: Pick<AdminPorts, 'store'>,
): AsyncGenerator<readonly LoggedEvent[]> {
  const { identityId, since } = filter;
  const of = identityId === undefined ? {} : { identityId };
  const start = Math.max(after, since === undefined ? 0 : await lastBefore(since, store));
  for await (const page of eventPages(store, STEP, { after: start, ...of }))
    yield page.filter((event) => passes(event, filter));
}

const STEP = 1000;

export function passes({ type, at, identityId, subjectId, requestId }: LoggedEvent, filter: EventFilter): boolean {
  return (
    (filter.subjectId === undefined || subjectId === filter.subjectId) &&
    (filter.requestId === undefined || requestId === filter.requestId) &&
    (filter.type === undefined || type === filter.type) &&
    (filter.since === undefined || at >= filter.since) &&
    (filter.identityId === undefined || identityId === filter.identityId)
  );
}

/** A sequence number just before the first event of that time, found by halving: a long log is not read from its start. */
export async function lastBefore(since: EpochSeconds, store: Pick<AdminPorts['store'], 'events' | 'eventProgress'>) {
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

/** `epoch`: the one in which the follower began. */
export interface FollowDraft extends Required<Pick<EventsDraft, 'after' | 'limit'>> {
  readonly epoch: number;
}

/**
 * What a follower reads after `after`. Refused if the store was put back: a follower would wait in silence, or miss events,
 * while those numbers are given out a second time.
 */
export async function readNewEvents(
  { epoch, ...draft }: FollowDraft,
  ports: Pick<AdminPorts, 'store'>,
): Promise<AdminOutcome<readonly LoggedEvent[]>> {
  const history = await readHistory(ports.store);
  if (history.rollback) return decline('event-log-rolled-back', `${history.rollback.seen} when a node noticed it`);
  if (history.epoch !== epoch) return decline('event-log-rolled-back', `${draft.after}, in epoch ${epoch}`);
  const events = await readEvents(draft, ports);
  if (events.length > 0) return accept(events);
  const { drawn } = await ports.store.eventProgress();
  return drawn >= draft.after
    ? accept(events)
    : decline('event-log-rolled-back', `${draft.after}, and ends at ${drawn} now`);
}
