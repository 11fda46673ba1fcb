import { boolean, described, integer, named, object, optional, type Schema, string } from '../../../schema.ts';
import type { ShownGrant } from '../find-grants.ts';
import { GRANT_FILTER, SELECTED_GRANTS } from '../grant-filter.ts';
import { CLOSED } from '../members.ts';
import { act, answer, answering, CONFIRMED, Ended, listOf, PAGED } from './act.ts';
import { EventObject } from './event.ts';

const work = () => import('./work/grant.ts');
const found = () => import('../find-grants.ts');

const time = (description: string) => string({ description, format: 'date-time' });
const Grant = described<ShownGrant>({
  ...named('Grant', {
    id: string(),
    state: string({ description: 'live, expired or revoked.' }),
    unused: optional(boolean({ description: 'It was never refreshed, and its access token has expired.' })),
    clientId: string(),
    identityId: string(),
    userName: optional(string()),
    scope: string(),
    resource: optional(string({ description: 'The audiences that it is limited to.' })),
    origin: string({ description: 'How it was proved.' }),
    guest: optional(string({ description: 'The address of the document of its client.' })),
    tokenIssuer: optional(string()),
    certificate: optional(string({ description: 'Its mark.' })),
    certificateKey: optional(string({ description: 'The mark of its key.' })),
    proof: optional(string({ description: 'How the integration, or the person, was authenticated.' })),
    parent: optional(string({ description: 'The grant whose access token was exchanged for it.' })),
    exchangedBy: optional(string({ description: 'The integration that exchanged it.' })),
    boundToKey: optional(string({ description: 'The thumbprint of the key of its DPoP proofs.' })),
    createdAt: time('When it was issued.'),
    refreshUntil: time('When it ends.'),
    refreshable: boolean(),
    generation: integer({ description: 'How often it has been refreshed.' }),
    keyId: integer({ description: 'The key of the keyring that its tokens were made with.' }),
    lastIssuedAt: time('When its newest tokens were issued.'),
    accessTokenExpiresAt: time('When its newest access token expires.'),
    lastAddress: string({ description: 'Who got its newest tokens.' }),
    lastAgent: string(),
    revokedAt: optional(time('When it was revoked.')),
    revokedFor: optional(string()),
  } satisfies Record<keyof ShownGrant, Schema>),
});
const Selected = object({ ...SELECTED_GRANTS, ...CONFIRMED }, { ...CLOSED, title: 'GrantFilter' });

export const GRANT_ACTS = {
  'grant-list': act('read', 'GET', '/grants', {
    command: 'grant list',
    page: 'grants',
    summary: 'List grants',
    query: object({ ...GRANT_FILTER.properties, ...PAGED }),
    answers: listOf(Grant, 'GrantList'),
    run: async ({ query: { limit = 100, cursor, ...filter } }, ports) => {
      const { pageOfGrants, shownGrants } = await found();
      const page = await pageOfGrants(filter, { limit, after: cursor }, ports);
      if (!page.ok) return page;
      const { next } = page.value;
      return answer({ items: await shownGrants(page.value, ports), ...(next !== undefined && { next }) });
    },
  }),
  'grant-show': act('read', 'GET', '/grants/{id}', {
    command: 'grant show',
    page: 'grants',
    summary: 'Show a grant',
    answers: Grant,
    run: async ({ id }, ports) => answering(await (await found()).showGrant(id, ports), (grant) => grant),
  }),
  'grant-timeline': act('read', 'GET', '/grants/{id}/events', {
    command: 'grant timeline',
    page: 'grants',
    summary: 'What happened to a grant',
    answers: listOf(EventObject, 'Timeline'),
    run: async ({ id }, ports) => {
      const shown = await (await found()).showGrant(id, ports);
      if (!shown.ok) return shown;
      const { timelineOf } = await import('./work/event.ts');
      return answer({ items: await timelineOf(shown.value, ports) });
    },
  }),
  'grant-revoke': act('operate', 'POST', '/grants/{id}/revoke', {
    command: 'grant revoke',
    page: 'grants',
    summary: 'End a grant',
    answers: Ended,
    run: async ({ id }, ports) =>
      answering(await (await work()).endGrant(id, ports), (grant) => ({ id: grant, endedGrants: 1 })),
  }),
  'grant-revoke-all': act('operate', 'POST', '/grants/revoke', {
    command: 'grant revoke',
    page: 'grants',
    summary: 'End all that a filter selects; 409 with their number',
    body: Selected,
    answers: Ended,
    run: async ({ body: { confirmed: isConfirmed = false, ...filter } }, ports) => {
      const ended = await (await work()).endGrants({ filter, isConfirmed }, ports);
      return answering(ended, ({ grants, codes }) => ({ endedGrants: grants, endedCodes: codes }));
    },
  }),
};
