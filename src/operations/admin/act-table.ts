// Every administrative act that can be done from elsewhere: its permission, its route, its command, and what goes in and out.
// The admin door, its OpenAPI document, the command line and the test of permissions are made from this table.
// What is not here stays on the machine: keyring, backup, restore, migrations, configuration.
import type { EventType } from '../../core/event.ts';
import { EVENT_TYPES } from '../../core/event.ts';
import {
  boolean,
  described,
  integer,
  list,
  type ObjectSchema,
  object,
  optional,
  type Schema,
  string,
} from '../../schema.ts';
import type { ActName, ActRow } from './act-types.ts';
import { IdentityObject, IntegrationObject, IssuerObject, ResourceServerObject, TokenIssuerObject } from './objects.ts';

const Ended = object(
  { id: optional(string()), endedGrants: optional(integer({ description: 'How many grants ended.' })) },
  { title: 'Ended' },
);

const SIZE = {
  limit: optional(integer({ minimum: 1, maximum: 1000, description: 'At most this many. Default: 100.' })),
  cursor: optional(string({ description: 'The next of the page before.' })),
};
const ALL = { all: optional(boolean({ description: 'Include ended ones.' })) };
const CONFIRMED = object({ confirmed: optional(boolean({ description: 'Without it, nothing is done.' })) });

const GRANT_FILTER = {
  identity: optional(string({ description: 'Of this identity: a user name or an id.' })),
  integration: optional(string({ description: 'Of this integration.' })),
  certificate: optional(string({ description: 'By this certificate: its mark or its key, as a grant shows them.' })),
  address: optional(string({ description: 'Whose newest token this address got.' })),
  ending: optional(described<number>({ type: 'integer', minimum: 0, description: 'That end within these seconds.' })),
};

const Grant = object({ id: string(), state: string(), clientId: string(), identityId: string() }, { title: 'Grant' });
const Event = object({ sequence: integer(), at: integer(), type: string() }, { title: 'Event' });

const Document = described({
  type: 'object',
  title: 'Objects',
  description: 'By section, then by name: docs/as-code.md.',
});
const Applied = object(
  { objects: Document, prune: optional(boolean({ description: 'Remove what the sections do not have.' })) },
  { additionalProperties: false, title: 'ObjectsToApply' },
);
const ObjectChange = object(
  { section: string(), id: string(), does: string(), fields: described({ type: 'object' }) },
  { title: 'ObjectChange' },
);

function listOf(items: Schema, title: string): Schema {
  return object(
    { items: list(items), next: optional(string({ description: 'The cursor of the next page, if there is one.' })) },
    { title },
  );
}

function paged(more: Record<string, Schema> = {}): ObjectSchema<Record<string, Schema>> {
  return object({ ...more, ...SIZE });
}

/** The acts that all registered things have. */
function crud<Schema_ extends Schema>(
  kind: string,
  path: string,
  schema: Schema_,
  title: string,
  listQuery: Record<string, Schema> = {},
): Record<'list' | 'show' | 'put' | 'remove', ActRow> {
  const one = `${path}/{id}`;
  const noun = kind.replace('-', ' ');
  return {
    list: {
      permission: 'read',
      method: 'GET',
      path,
      command: `${kind} list`,
      summary: `List: ${noun}`,
      query: paged(listQuery),
      answers: listOf(schema, `${title}List`),
    },
    show: {
      permission: 'read',
      method: 'GET',
      path: one,
      command: `${kind} show`,
      summary: `Show: ${noun}`,
      answers: schema,
    },
    put: {
      permission: 'manage',
      method: 'PUT',
      path: one,
      command: `${kind} add, ${kind} change`,
      summary: `Make or replace: ${noun}`,
      body: schema,
      answers: schema,
    },
    remove: {
      permission: 'manage',
      method: 'DELETE',
      path: one,
      command: `${kind} remove`,
      summary: `Remove: ${noun}`,
      query: CONFIRMED,
      answers: Ended,
    },
  };
}

const integration = crud('integration', '/integrations', IntegrationObject, 'Integration');
const resourceServer = crud('resource-server', '/resource-servers', ResourceServerObject, 'ResourceServer');
const issuer = crud('issuer', '/issuers', IssuerObject, 'Issuer', ALL);
const tokenIssuer = crud('token-issuer', '/token-issuers', TokenIssuerObject, 'TokenIssuer', ALL);
const identity = crud('identity', '/identities', IdentityObject, 'Identity');

function switching(kind: string, path: string, what: 'enable' | 'disable', answers: Schema): ActRow {
  const summary = `${what === 'enable' ? 'Enable' : 'Disable'}: ${kind}`;
  return {
    permission: 'operate',
    method: 'POST',
    path: `${path}/{id}/${what}`,
    command: `${kind} ${what}`,
    summary,
    answers,
  };
}

export const ACTS: { readonly [A in ActName]: ActRow } = {
  'integration-list': integration.list,
  'integration-show': integration.show,
  'integration-put': integration.put,
  'integration-import': {
    permission: 'manage',
    method: 'POST',
    path: '/integrations/import',
    command: 'integration import',
    summary: 'Register several integrations, or change them: all or none',
    body: object(
      {
        integrations: list(described({ type: 'object' }), { minItems: 1 }),
        update: optional(boolean({ description: 'Change those that exist.' })),
      },
      { additionalProperties: false, title: 'IntegrationImport' },
    ),
    answers: listOf(object({ clientId: string(), isNew: boolean() }), 'ImportedIntegrations'),
  },
  'integration-enable': switching('integration', '/integrations', 'enable', IntegrationObject),
  'integration-disable': switching('integration', '/integrations', 'disable', IntegrationObject),
  'integration-remove': integration.remove,
  'resource-server-list': resourceServer.list,
  'resource-server-show': resourceServer.show,
  'resource-server-put': resourceServer.put,
  'resource-server-remove': resourceServer.remove,
  'resource-server-secret': {
    permission: 'manage',
    method: 'POST',
    path: '/resource-servers/{id}/secrets',
    command: 'resource-server secret',
    summary: 'Make a secret, which is shown once',
    query: object({ replaces: optional(boolean({ description: 'The secrets before it end at once.' })) }),
    answers: object({ secret: string() }, { title: 'Secret' }),
  },
  'resource-server-drop-secret': {
    permission: 'manage',
    method: 'DELETE',
    path: '/resource-servers/{id}/secrets/old',
    command: 'resource-server secret',
    summary: 'End the older of two secrets',
    answers: ResourceServerObject,
  },
  'issuer-list': issuer.list,
  'issuer-show': issuer.show,
  'issuer-put': issuer.put,
  'issuer-remove': issuer.remove,
  'token-issuer-list': tokenIssuer.list,
  'token-issuer-show': tokenIssuer.show,
  'token-issuer-put': tokenIssuer.put,
  'token-issuer-remove': tokenIssuer.remove,
  'identity-list': identity.list,
  'identity-show': identity.show,
  'identity-put': identity.put,
  'identity-password': {
    permission: 'manage',
    method: 'POST',
    path: '/identities/{id}/password',
    command: 'identity password',
    summary: 'Set the password of a local identity',
    body: object({ password: string({ writeOnly: true }) }, { additionalProperties: false, title: 'Password' }),
    answers: IdentityObject,
  },
  'identity-enable': switching('identity', '/identities', 'enable', IdentityObject),
  'identity-disable': switching('identity', '/identities', 'disable', IdentityObject),
  'identity-remove': identity.remove,
  'grant-list': {
    permission: 'read',
    method: 'GET',
    path: '/grants',
    command: 'grant list',
    summary: 'List grants',
    query: paged({ ...GRANT_FILTER, ...ALL }),
    answers: listOf(Grant, 'GrantList'),
  },
  'grant-show': {
    permission: 'read',
    method: 'GET',
    path: '/grants/{id}',
    command: 'grant show',
    summary: 'Show a grant',
    answers: Grant,
  },
  'grant-timeline': {
    permission: 'read',
    method: 'GET',
    path: '/grants/{id}/events',
    command: 'grant timeline',
    summary: 'What happened to a grant',
    answers: listOf(Event, 'Timeline'),
  },
  'grant-revoke': {
    permission: 'operate',
    method: 'POST',
    path: '/grants/{id}/revoke',
    command: 'grant revoke',
    summary: 'End a grant',
    answers: Ended,
  },
  'grant-revoke-all': {
    permission: 'operate',
    method: 'POST',
    path: '/grants/revoke',
    command: 'grant revoke',
    summary: 'End all grants that a filter selects; without confirmed, the refusal has their number',
    body: object(
      { ...GRANT_FILTER, confirmed: optional(boolean()) },
      { additionalProperties: false, title: 'GrantFilter' },
    ),
    answers: Ended,
  },
  'event-list': {
    permission: 'read',
    method: 'GET',
    path: '/events',
    command: 'events',
    summary: 'List events: the newest, or those after a number',
    query: object({
      after: optional(integer({ minimum: 0, description: 'The sequence number of the last event that was read.' })),
      identity: optional(string({ description: 'Of this identity: a user name or an id.' })),
      type: optional(described<EventType>({ type: 'string', enum: EVENT_TYPES, description: 'Of this type.' })),
      within: optional(integer({ minimum: 0, description: 'Of the last time, in seconds.' })),
      requestId: optional(string({ description: 'That this request caused.' })),
      epoch: optional(integer({ description: 'For followers: refused if the store was put back since.' })),
      limit: optional(integer({ minimum: 1, maximum: 10_000, description: 'At most this many. Default: 100.' })),
    }),
    answers: object({ items: list(Event), next: optional(string()), epoch: integer() }, { title: 'EventList' }),
  },
  'object-export': {
    permission: 'read',
    method: 'GET',
    path: '/objects',
    command: 'export',
    summary: 'Everything registered as one document, without secrets',
    answers: Document,
  },
  'object-plan': {
    permission: 'read',
    method: 'POST',
    path: '/objects/plan',
    command: 'diff',
    summary: 'What applying a document would do',
    body: Applied,
    answers: listOf(ObjectChange, 'ObjectChanges'),
  },
  'object-apply': {
    permission: 'manage',
    method: 'POST',
    path: '/objects/apply',
    command: 'apply',
    summary: 'Apply a document: all of it, or nothing',
    body: Applied,
    answers: listOf(ObjectChange, 'ObjectChanges'),
  },
  'node-list': {
    permission: 'read',
    method: 'GET',
    path: '/nodes',
    command: 'status',
    summary: 'List the running nodes',
    answers: listOf(object({ name: string(), until: string() }), 'NodeList'),
  },
};
