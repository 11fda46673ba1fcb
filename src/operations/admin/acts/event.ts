import { accept } from '../../../core/outcome.ts';
import { type EpochSeconds, epochSeconds, isoTime, after as later, seconds } from '../../../core/time.ts';
import { rows } from '../../../store/pages.ts';
import type { RefusalCount } from '../../../store/tables/figures.ts';
import { nodes } from '../../../store/tables/leases.ts';
import { readHistory } from '../../../store/tables/store-history.ts';
import { readRefusals } from '../../upkeep/count-refusals.ts';
import type { Takes } from '../act-formats.ts';
import { type Acted, decline } from '../admin.ts';
import { findIdentity } from '../find-identity.ts';
import { type EventFilter, readNewEvents, readOlderEvents } from '../read-events.ts';
import { type ActPorts, answer, type RunsOf } from './act.ts';

export const RUNS: RunsOf<'event' | 'node' | 'refusal'> = {
  'event-list': async ({ query }, ports) => {
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
  },
  'refusal-list': async ({ query: { integration, identity, reason } }, ports) => {
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
  },
  'node-list': async (_, { store }) => {
    const now = await store.now();
    const running = (await Array.fromAsync(rows(store, nodes))).filter(({ endsAt }) => endsAt > now);
    return answer({ items: running.map(({ name, endsAt }) => ({ name, until: isoTime(endsAt) })) });
  },
};

export function shownRefusal(count: RefusalCount) {
  const { key: _, first, last, ...row } = count;
  return { ...row, first: isoTime(first), last: isoTime(last) };
}

/** `2026-11-18`, or with a time, in UTC unless it says otherwise. */
function momentIn(text: string): EpochSeconds | undefined {
  const [, day, time = 'T00:00', zone = 'Z'] = /^(\d{4}-\d\d-\d\d)(T[\d:.]+)?(Z|[+-]\d\d:\d\d)?$/.exec(text) ?? [];
  const at = Date.parse(`${day}${time}${zone}`);
  return Number.isNaN(at) ? undefined : epochSeconds(at / 1000);
}

async function filterOf(
  { identity, by, integration, within, from, to, type, requestId, about }: Takes<'event-list'>['query'],
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
  return accept({
    ...(known && { identityId: known.value.id }),
    ...(author && { by: author.value.id }),
    ...(type && { type }),
    ...(integration !== undefined && { clientId: integration }),
    ...(requestId !== undefined && { requestId }),
    ...(about !== undefined && { about }),
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
  });
}
