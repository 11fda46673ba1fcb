import { seconds } from '../../../core/time.ts';
import { endGrant, endGrants } from '../end-grants.ts';
import { type GrantFilter, pageOfGrants } from '../find-grants.ts';
import { timelineOf } from '../read-events.ts';
import { showGrant, shownGrants } from '../show-grant.ts';
import { type ActPorts, answer, answering, type RunsOf } from './act.ts';

interface Query extends Omit<GrantFilter, 'ending' | 'all'> {
  readonly ending?: number;
  readonly all?: boolean;
  readonly limit?: number;
  readonly cursor?: string;
  readonly confirmed?: boolean;
}

export const RUNS: RunsOf<'grant'> = {
  'grant-list': async ({ query = {} }, ports) => {
    const { limit = 100, cursor }: Query = query;
    const page = await pageOfGrants(filterOf(query), { limit, after: cursor }, ports);
    if (!page.ok) return page;
    const { next } = page.value;
    return answer({ items: await shownGrants(page.value, ports), ...(next !== undefined && { next }) });
  },
  'grant-show': async ({ id = '' }, ports) => answering(await showGrant(id, ports), (grant) => grant),
  'grant-timeline': async ({ id = '' }, ports) => timeline(id, ports),
  'grant-revoke': async ({ id = '' }, ports) =>
    answering(await endGrant(id, ports), (grant) => ({ id: grant, endedGrants: 1 })),
  'grant-revoke-all': async ({ body }, ports) => {
    const { confirmed: isConfirmed = false } = body as Query;
    const ended = await endGrants({ filter: filterOf(body as Query), isConfirmed }, ports);
    return answering(ended, (endedGrants) => ({ endedGrants }));
  },
};

async function timeline(text: string, ports: Pick<ActPorts, 'store'>) {
  const shown = await showGrant(text, ports);
  if (!shown.ok) return shown;
  return answer({ items: await timelineOf(shown.value, ports) });
}

function filterOf(query: Query): GrantFilter {
  const { ending, all, limit: _, cursor: __, confirmed: ___, ...rest } = query;
  return { ...rest, ...(ending !== undefined && { ending: seconds(ending) }), ...(all && { all: true as const }) };
}
