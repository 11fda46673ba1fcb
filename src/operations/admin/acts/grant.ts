import { endGrant, endGrants } from '../end-grants.ts';
import { type GrantFilter, pageOfGrants } from '../find-grants.ts';
import { timelineOf } from '../read-events.ts';
import { showGrant, shownGrants } from '../show-grant.ts';
import { answer, answering, type RunsOf } from './act.ts';

interface Query extends GrantFilter {
  readonly limit?: number;
  readonly cursor?: string;
  readonly confirmed?: boolean;
}

export const RUNS: RunsOf<'grant'> = {
  'grant-list': async ({ query = {} }, ports) => {
    const { limit = 100, cursor, ...filter }: Query = query;
    const page = await pageOfGrants(filter, { limit, after: cursor }, ports);
    if (!page.ok) return page;
    const { next } = page.value;
    return answer({ items: [...(await shownGrants(page.value, ports))], ...(next !== undefined && { next }) });
  },
  'grant-show': async ({ id = '' }, ports) => answering(await showGrant(id, ports), (grant) => grant),
  'grant-timeline': async ({ id = '' }, ports) => {
    const shown = await showGrant(id, ports);
    return shown.ok ? answer({ items: [...(await timelineOf(shown.value, ports))] }) : shown;
  },
  'grant-revoke': async ({ id = '' }, ports) =>
    answering(await endGrant(id, ports), (grant) => ({ id: grant, endedGrants: 1 })),
  'grant-revoke-all': async ({ body }, ports) => {
    const { confirmed: isConfirmed = false, ...filter } = body as Query;
    const ended = await endGrants({ filter, isConfirmed }, ports);
    return answering(ended, ({ grants, codes }) => ({ endedGrants: grants, endedCodes: codes }));
  },
};
