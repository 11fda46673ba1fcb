import { accept } from '../../../core/outcome.ts';
import { isoTime, after as later, seconds } from '../../../core/time.ts';
import { rows } from '../../../store/pages.ts';
import type { LoggedEvent } from '../../../store/store.ts';
import { nodes } from '../../../store/tables/nodes.ts';
import { readHistory } from '../../../store/tables/store-history.ts';
import type { AdminOutcome } from '../admin.ts';
import { findIdentity } from '../find-identity.ts';
import { type EventFilter, lastBefore, passes, readNewEvents, readNewest } from '../read-events.ts';
import { type ActPorts, answer, type RunsOf } from './act.ts';

interface Query extends Omit<EventFilter, 'since' | 'identityId' | 'clientId'> {
  readonly integration?: string;
  readonly before?: number;
  readonly identity?: string;
  readonly within?: number;
  readonly after?: number;
  readonly epoch?: number;
  readonly limit?: number;
}

export const RUNS: RunsOf<'event'> = {
  'event-list': async ({ query = {} }, ports) => {
    const { after, before, epoch, limit = 100 }: Query = query;
    const filter = await filterOf(query, ports);
    if (!filter.ok) return filter;
    const history = epoch ?? (await readHistory(ports.store)).epoch;
    const page = await (after === undefined
      ? newest({ limit, filter: filter.value, before }, ports)
      : following({ after, limit, epoch: history }, filter.value, ports));
    if (!page.ok) return page;
    const { items, next, older } = page.value;
    const more = { ...(next !== undefined && { next: `${next}` }), ...(older !== undefined && { older }) };
    return answer({ items, ...more, epoch: history });
  },
};

interface Page {
  readonly items: readonly LoggedEvent[];
  /** The number after which the following page begins. */
  readonly next?: number;
  /** The number before which older ones are. */
  readonly older?: number;
}

/** Events that a filter reads at most: a request must not read a whole log to find nothing. */
const MOST_READ = 50_000;

async function newest(draft: Parameters<typeof readNewest>[0], ports: ActPorts): Promise<AdminOutcome<Page>> {
  const { found: items, ...more } = await readNewest(draft, ports, MOST_READ);
  return accept({ items, ...more });
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
  { identity, integration, within, type, requestId }: Query,
  ports: ActPorts,
): Promise<AdminOutcome<EventFilter>> {
  const known = identity === undefined ? undefined : await findIdentity(identity, ports);
  if (known && !known.ok) return known;
  return accept({
    ...(known && { identityId: known.value.id }),
    ...(type && { type }),
    ...(integration !== undefined && { clientId: integration }),
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
