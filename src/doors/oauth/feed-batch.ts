// States of the revocation feed as this door's JSON, and what is sent to followers at a time, as server-sent events.
import type { FeedState } from '../../core/feed.ts';
import { keepNewest } from '../../core/keep-newest.ts';
import type { ResourceServer } from '../../core/resource-server.ts';
import { isConcerned, serves } from '../../core/rules/audience.ts';
import { narrowToResources, scopeItems } from '../../core/scope.ts';
import { cursorText, type Position, serverMark } from '../../operations/feed/cursor.ts';
import type { FeedItem } from '../../operations/feed/read-feed.ts';
import type { FeedEntry } from './schemas.ts';

/** A batch ends with the item that reaches this. It is what the service holds for a follower that does not read. */
const BATCH_BYTES = 16_384;
/** Batches whose bytes are kept. */
const SHARED = 32;

export interface FeedBatch {
  readonly bytes: Buffer;
  readonly last: Position;
}

/** Followers are mostly at the same place: those of one resource server share the bytes of a batch. */
export class FeedBatches {
  readonly #known = new Map<string, FeedBatch>();

  /** The first of these items. `history`: of the tail that they are from; the same numbers mean other events in another one. */
  of(items: readonly [FeedItem, ...FeedItem[]], server: ResourceServer, history: number): FeedBatch {
    const mark = serverMark(server);
    const key = `${history} ${items[0].sequence} ${items.at(-1)?.sequence} ${mark}`;
    const known = this.#known.get(key);
    if (known) return known;
    return keepNewest(this.#known, key, batchOf(items, server, mark), SHARED);
  }
}

function batchOf(items: readonly [FeedItem, ...FeedItem[]], server: ResourceServer, mark: string): FeedBatch {
  const texts: string[] = [];
  let length = 0;
  let [last] = items;
  for (const item of items) {
    const text = itemText(item, server, mark);
    texts.push(text);
    length += text.length;
    last = item;
    if (length >= BATCH_BYTES) break;
  }
  return { bytes: Buffer.from(texts.join('')), last };
}

function itemText(item: FeedItem, server: ResourceServer, mark: string): string {
  const entry = item.state && feedEntry(item.state, server);
  // Without data, it only moves the cursor.
  const data = entry ? `data: ${JSON.stringify(entry)}\n` : '';
  return `id: ${cursorText(item, mark)}\n${data}\n`;
}

/** Undefined for what this resource server is not sent. */
export function feedEntry(state: FeedState, server: ResourceServer): FeedEntry | undefined {
  if (!isConcerned(server, state)) return undefined;
  switch (state.about) {
    case 'grant':
      return { type: 'grant', grant: state.grantId, keep_until: state.keepUntil };
    case 'identity': {
      const { identity, isAllowed: allowed, keepUntil: keep_until } = state;
      const except = state.except.filter(({ scope }) => serves(server, scope)).map(({ clientId }) => clientId);
      return { type: 'identity', identity, allowed, except, keep_until };
    }
    case 'integration': {
      const { clientId: client_id, enabled, scope } = state.integration;
      const seen = narrowToResources(scope, new Set(server.resources));
      const recheck = state.recheckBefore !== undefined && { recheck_before: state.recheckBefore };
      return { type: 'integration', client_id, enabled, scope: seen ? scopeItems(seen).join(' ') : '', ...recheck };
    }
    case 'keys':
      return { type: 'keys', changed: state.changedAt };
    case 'resource-server':
      return undefined;
  }
}
