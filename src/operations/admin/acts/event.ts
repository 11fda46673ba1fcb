import type { ClaimedCaller } from '../../../core/refusal.ts';
import { described, integer, list, named, object, optional, string } from '../../../schema.ts';
import type { LoggedEvent } from '../../../store/store.ts';
import { EVENT_QUERY } from '../event-filter.ts';
import { SELECTED_GRANTS } from '../grant-filter.ts';
import { act, listOf } from './act.ts';

const work = () => import('./work/event.ts');

export const EventObject = described<LoggedEvent>({
  ...named('Event', { sequence: integer(), at: integer(), type: string() }),
});
const Claimed = described<ClaimedCaller>({
  ...named('ClaimedCaller', {
    subject: optional(string({ description: 'Of the last certificate, as it says.' })),
    issuer: optional(string()),
    serial: optional(string({ description: 'In hex.' })),
    label: optional(string({ description: 'The issuer here that signed it, even if it was removed.' })),
    scope: optional(string({ description: 'Of a refusal for scope: what was asked for, or what the grant has.' })),
    requestId: optional(string({ description: 'The request that sent it.' })),
  }),
});
export const RefusalObject = named('RefusalCount', {
  clientId: string({ description: 'Empty: of no known integration.' }),
  identityId: string({ description: 'Empty: of no known identity.' }),
  reason: string(),
  count: integer(),
  first: string(),
  last: string(),
  lastRequestId: string(),
  claimed: optional(Claimed),
});

const REFUSALS = object({
  integration: SELECTED_GRANTS.integration,
  identity: SELECTED_GRANTS.identity,
  reason: optional(string({ description: 'For this reason.' })),
});

export const EVENT_ACTS = {
  'event-list': act('read', 'GET', '/events', {
    command: 'events',
    page: 'events',
    summary: 'List events',
    query: EVENT_QUERY,
    answers: named('EventList', { items: list(EventObject), next: optional(string()), epoch: integer() }),
    run: async ({ query }, ports) => (await work()).listEvents(query, ports),
  }),
  'refusal-list': act('read', 'GET', '/refusals', {
    command: 'refusals',
    page: 'overview',
    summary: 'What was refused',
    query: REFUSALS,
    answers: listOf(RefusalObject, 'RefusalList'),
    run: async ({ query }, ports) => (await work()).listRefusals(query, ports),
  }),
};

export const NODE_ACTS = {
  'node-list': act('read', 'GET', '/nodes', {
    command: 'status',
    page: 'overview',
    summary: 'List the running nodes',
    answers: listOf(object({ name: string(), until: string() }), 'NodeList'),
    run: async (_, ports) => (await work()).listNodes(ports),
  }),
};
