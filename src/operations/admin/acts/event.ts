import { accept } from '../../../core/outcome.ts';
import { isoTime, after as later, seconds } from '../../../core/time.ts';
import { rows } from '../../../store/pages.ts';
import type { LoggedEvent } from '../../../store/store.ts';
import { nodes } from '../../../store/tables/nodes.ts';
import { readHistory } from '../../../store/tables/store-history.ts';
import type { AdminOutcome } from '../admin.ts';
import { findIdentity } from '../find-identity.ts';
import { type EventFilter, lastBefore, passes, readEvents, readNewEvents } from '../read-events.ts';
import { type ActPorts, answer, type RunsOf } from './act.ts';

interface Query extends Omit<EventFilter, 'since' | 'identityId'> {
  readonly identity?: string;
  readonly within?: number;
  readonly after?: number;
  readonly epoch?: number;
  readonly limit?: number;
}

export const RUNS: RunsOf<'event'> = {
  'event-list': async ({ query = {} }, ports) => {
    const { after, epoch, limit = 100 }: Query = query;
    const filter = await filterOf(query, ports);
    if (!filter.ok) return filter;
    const history = epoch ?? (await readHistory(ports.store)).epoch;
    const page = await (after === undefined
      ? newest(limit, filter.value, ports)
      : following({ after, limit, epoch: history }, filter.value, ports));
    if (!page.ok) return page;
    const { items, next } = page.value;
    return answer({ items, ...(next !== undefined && { next: `${next}` }), epoch: history });
  },
};

interface Page {
  readonly items: readonly LoggedEvent[];
  /** The number after which the following page begins. */
  readonly next?: number;
}

async function newest(limit: number, filter: EventFilter, ports: ActPorts): Promise<AdminOutcome<Page>> {
  return accept({ items: await readEvents({ limit, filter }, ports) });
}

/** Reads as many as are asked for, and returns those of them that pass: a page may be short, even empty. */
async function following(
  draft: { readonly after: number; readonly limit: number; readonly epoch: number },
  filter: EventFilter,
  ports: ActPorts,
): Promise<AdminOutcome<Page>> {
  const { since } = filter;
  const after = Math.max(draft.after, since === undefined ? 0 : await lastBefore(since, ports.store));
  const read = await readNewEvents({ ...draft, after }, ports);
  if (!read.ok) return read;
  const items = read.value.filter((event) => passes(event, filter));
  const last = read.value.at(-1);
  return accept({ items, ...(last && { next: last.sequence }) });
}

async function filterOf(
  { identity, within, type, requestId }: Query,
  ports: ActPorts,
): Promise<AdminOutcome<EventFilter>> {
  const known = identity === undefined ? undefined : await findIdentity(identity, ports);
  if (known && !known.ok) return known;
  return accept({
    ...(known && { identityId: known.value.id }),
    ...(type && { type }),
    ...(requestId !== undefined && { requestId }),
    ...(within !== undefined && { since: later(await ports.store.now(), seconds(0 - within)) }),
  });
}

export const NODE_RUNS: RunsOf<'node'> = {
  'node-list': async (_, { store }) => {
    const now = await store.now();
    const running = (await Array.fromAsync(rows(store, nodes))).filter(({ endsAt }) => endsAt > now);
    return answer({ items: running.map(({ name, endsAt }) => ({ name, until: isoTime(endsAt) })) });
  },
};
