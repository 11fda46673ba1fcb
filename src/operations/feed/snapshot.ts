// All that a new follower must know, in pages. Changes older than the window concern no living token, so a snapshot is the
// recent part of the log, newest first, as the states that hold now; and every integration.
import { isNews } from '../../core/act.ts';
import { FEED_WINDOW, type FeedState } from '../../core/feed.ts';
import { rows } from '../../store/pages.ts';
import type { LoggedEvent } from '../../store/store.ts';
import { integrations } from '../../store/tables/integrations.ts';
import { isInLog, newestPosition, type Position } from './cursor.ts';
import { accessChangeOf, type FeedStore, itemsOf } from './read-feed.ts';

export interface SnapshotPage {
  /** Where the stream begins. Taken before the first page, so that what changes meanwhile is streamed. */
  readonly from: Position;
  readonly states: readonly FeedState[];
  /** The next page has the events before this number. Undefined: this is the last page. */
  readonly next: number | undefined;
}

const PAGE = 500;

export async function firstPage(store: FeedStore): Promise<SnapshotPage> {
  const from = await newestPosition(store);
  const known = await Array.fromAsync(rows(store, integrations));
  const page = await nextPage(from, from.sequence + 1, store);
  if (!page) return firstPage(store); // the store was put back meanwhile
  // First the plain states: those of recent changes say more.
  const states = known.map((integration): FeedState => ({ about: 'integration', integration }));
  return { ...page, states: [...states, ...page.states] };
}

/** Undefined if the snapshot was begun in another history of the store. Checked last, so that all of the page is of this one. */
export async function nextPage(from: Position, before: number, store: FeedStore): Promise<SnapshotPage | undefined> {
  const page = await pageBefore(from, before, store);
  return (await isInLog(from, store)) ? page : undefined;
}

async function pageBefore(from: Position, before: number, store: FeedStore): Promise<SnapshotPage> {
  const oldest = (await store.now()) - FEED_WINDOW;
  const events = await store.newestEvents({ count: PAGE, acts: true, before });
  const recent = events.filter(({ at }) => at >= oldest);
  const isLast = events.length < PAGE || recent.length < events.length;
  const items = await itemsOf(newestOfEach(recent.filter(isFeedEvent)), from.epoch, store);
  const states = items.map(({ state }) => state).filter((state) => state !== undefined);
  return { from, states, next: isLast ? undefined : events[0]?.sequence };
}

/** An act without news must not hide an earlier one: a password that was set after its identity was disabled. */
function isFeedEvent({ type, detail }: LoggedEvent): boolean {
  return type === 'revoked' || (type === 'administered' && isNews(detail));
}

/** States are current, so the last change of a thing is enough. A change that says more about issued tokens stays. */
function newestOfEach(events: readonly LoggedEvent[]): LoggedEvent[] {
  const seen = new Set<string>();
  return events.toReversed().filter((event) => {
    const { type, subjectId, identityId, clientId, detail } = event;
    const { formerScope, isRecheck } = accessChangeOf(event);
    const former = typeof formerScope === 'object' ? formerScope.text : formerScope;
    const key = JSON.stringify(
      type === 'administered' ? [detail.kind, identityId, clientId, isRecheck, former] : [subjectId],
    );
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
