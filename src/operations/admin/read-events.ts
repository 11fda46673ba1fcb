import type { EventType } from '../../core/event.ts';
import { accept } from '../../core/outcome.ts';
import type { EpochSeconds } from '../../core/time.ts';
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
}

/** Events in the order of their sequence numbers: the newest, or with `after` the first after it. */
export async function readEvents(
  { after, limit, filter = {} }: EventsDraft,
  ports: Pick<AdminPorts, 'store'>,
): Promise<readonly LoggedEvent[]> {
  const { store } = ports;
  const { identityId, type, since } = filter;
  const of = identityId === undefined ? {} : { identityId };
  if (type === undefined && since === undefined) {
    return after === undefined ? store.newestEvents({ count: limit, ...of }) : store.events({ after, limit, ...of });
  }
  let found: LoggedEvent[] = [];
  for await (const page of readAllEvents({ ...(after !== undefined && { after }), filter }, ports)) {
    found.push(...page);
    if (after !== undefined && found.length >= limit) return found.slice(0, limit);
    found = limit === 0 ? [] : found.slice(-limit); // the newest, without keeping the whole log in memory
  }
  return found;
}

/** However many there are. */
export async function* readAllEvents(
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

export function passes({ type, at, identityId }: LoggedEvent, filter: EventFilter): boolean {
  return (
    (filter.type === undefined || type === filter.type) &&
    (filter.since === undefined || at >= filter.since) &&
    (filter.identityId === undefined || identityId === filter.identityId)
  );
}

/** A sequence number just before the first event of that time, found by halving: a long log is not read from its start. */
async function lastBefore(since: EpochSeconds, store: Pick<AdminPorts['store'], 'events' | 'eventProgress'>) {
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
