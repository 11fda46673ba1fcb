import type { Author } from '../../../core/act.ts';
import type { Presenter } from '../../../core/presenter.ts';
import type { ClaimedCaller } from '../../../core/refusal.ts';
import { boolean, described, integer, list, named, object, optional, type Schema, string } from '../../../schema.ts';
import type { LoggedEvent } from '../../../store/store.ts';
import { EVENT_QUERY } from '../event-filter.ts';
import { SELECTED_GRANTS } from '../grant-filter.ts';
import { ChangedObject } from '../objects.ts';
import { act, listOf } from './act.ts';

const work = () => import('./work/event.ts');

/** The members of all of a union. */
type KeysOf<Union> = Union extends unknown ? keyof Union : never;

const AuthorObject = named('Author', {
  as: string({ description: 'identity, command or service.' }),
  id: optional(string({ description: 'Of the identity.' })),
  proof: optional(string({ description: 'How the identity proved itself.' })),
  user: optional(string({ description: 'Of the system, at a command line.' })),
  why: optional(string({ description: 'Of the service.' })),
} satisfies Record<KeysOf<Author>, Schema>);

const TEXTS = list(string());
/** What events say besides who, what and when; which of it, depends on the type, and of acts on what was done. */
const DetailObject = named('EventDetail', {
  by: optional(
    described({ description: 'Who did it; of a grant, how it was proved.', anyOf: [string(), AuthorObject] }),
  ),
  tokenIssuer: optional(string()),
  guest: optional(string({ description: 'The address of the document of a client.' })),
  proof: optional(string()),
  parent: optional(string({ description: 'The grant whose access token was exchanged.' })),
  scope: optional(string()),
  resource: optional(described({ anyOf: [string(), TEXTS] })),
  until: optional(integer()),
  firstAddress: optional(string({ description: 'Of a retry: who got the first answer.' })),
  firstAgent: optional(string()),
  alarm: optional(boolean({ description: 'Another presenter sent the token again.' })),
  generations: optional(integer({ description: 'How many refreshes the store had lost.' })),
  ended: optional(
    described({
      description: 'Whether the grant ended; what ended, or how many.',
      anyOf: [boolean(), TEXTS, integer()],
    }),
  ),
  reason: optional(string()),
  kind: optional(string({ description: 'Of the thing that an act was done to.' })),
  id: optional(string({ description: 'Of that thing.' })),
  did: optional(string({ description: 'What was done to it.' })),
  changed: optional(ChangedObject),
  accessChanged: optional(boolean()),
  userName: optional(string()),
  source: optional(string()),
  key: optional(string()),
  name: optional(string()),
  names: optional(TEXTS),
  fingerprint: optional(string()),
  issuer: optional(string()),
  rules: optional(integer()),
  audience: optional(string()),
  resources: optional(string()),
  state: optional(string()),
  before: optional(integer()),
  why: optional(string()),
  living: optional(integer()),
  epoch: optional(integer()),
  seen: optional(integer()),
  found: optional(integer()),
  words: optional(string()),
} satisfies Record<KeysOf<NonNullable<LoggedEvent['detail']>>, Schema>);

const PresenterObject = named('Presenter', {
  address: string(),
  agent: string(),
  traceId: optional(string({ description: 'Of the trace that the caller named.' })),
} satisfies Record<keyof Presenter, Schema>);

export const EventObject = described<LoggedEvent>({
  ...named('Event', {
    sequence: integer({ description: 'Grows in the order of commits.' }),
    at: integer({ description: 'In seconds since 1970.' }),
    type: string(),
    clientId: optional(string()),
    identityId: optional(string()),
    subjectId: optional(string({ description: 'The grant or the device authorization.' })),
    presenter: optional(PresenterObject),
    requestId: optional(string({ description: 'As in the log.' })),
    detail: optional(DetailObject),
  } satisfies Record<keyof LoggedEvent, Schema>),
});
const Claimed = described<ClaimedCaller>({
  ...named('ClaimedCaller', {
    subject: optional(string({ description: 'Of the last certificate, as it says.' })),
    issuer: optional(string()),
    serial: optional(string({ description: 'In hex.' })),
    label: optional(string({ description: 'The issuer here that signed it, even if it was removed.' })),
    scope: optional(string({ description: 'Of a refusal for scope: what was asked for, or what the grant has.' })),
    document: optional(string({ description: 'The document of a client that was refused.' })),
    why: optional(string({ description: 'Why the document was refused.' })),
    allow: optional(string({ description: 'The setting that would allow the document.' })),
    requestId: optional(string({ description: 'The request that sent it.' })),
  } satisfies Record<keyof ClaimedCaller, Schema>),
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
