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

type Parts = Pick<ActRow, 'query' | 'body'>;

function act(
  permission: ActRow['permission'],
  route: string,
  command: string,
  summary: string,
  answers: Schema,
  parts: Parts = {},
): ActRow {
  const [method, path] = route.split(' ') as [ActRow['method'], string];
  return { permission, method, path, command, summary, answers, ...parts };
}

function listing(path: string, command: string, item: Schema, title: string, query: ActRow['query'] = paged()): ActRow {
  return act('read', `GET ${path}`, command, `List: ${path.slice(1)}`, listOf(item, title), { query });
}

/** The acts that all registered things have. */
function acts(kind: string, path: string, schema: Schema, title: string, query?: ActRow['query']) {
  const noun = kind.replace('-', ' ');
  return {
    list: listing(path, `${kind} list`, schema, `${title}List`, query),
    show: act('read', `GET ${path}/{id}`, `${kind} show`, `Show: ${noun}`, schema),
    put: act('manage', `PUT ${path}/{id}`, `${kind} add, ${kind} change`, `Make or replace: ${noun}`, schema, {
      body: schema,
    }),
    remove: act('manage', `DELETE ${path}/{id}`, `${kind} remove`, `Remove: ${noun}`, Ended, { query: CONFIRMED }),
    enable: act('operate', `POST ${path}/{id}/enable`, `${kind} enable`, `Enable: ${noun}`, schema),
    disable: act('operate', `POST ${path}/{id}/disable`, `${kind} disable`, `Disable: ${noun}`, schema),
  };
}

const integration = acts('integration', '/integrations', IntegrationObject, 'Integration');
const resourceServer = acts('resource-server', '/resource-servers', ResourceServerObject, 'ResourceServer');
const issuer = acts('issuer', '/issuers', IssuerObject, 'Issuer', paged(ALL));
const tokenIssuer = acts('token-issuer', '/token-issuers', TokenIssuerObject, 'TokenIssuer', paged(ALL));
const identity = acts('identity', '/identities', IdentityObject, 'Identity');

const SECRETS = '/resource-servers/{id}/secrets';
const REPLACES = object({ replaces: optional(boolean({ description: 'The secrets before it end at once.' })) });
const Secret = object({ secret: string() }, { title: 'Secret' });
const Password = object({ password: string({ writeOnly: true }) }, { additionalProperties: false, title: 'Password' });
const PASSKEYS = '/identities/{id}/passkeys';
const Passkey = object(
  { id: string(), name: string(), createdAt: string(), usedAt: optional(string()) },
  { title: 'Passkey' },
);
const MEANT_PASSKEYS = object({
  passkey: optional(string({ description: 'The name or the id of one.' })),
  all: optional(boolean({ description: 'All of them.' })),
});
const Selected = object(
  { ...GRANT_FILTER, confirmed: optional(boolean()) },
  { additionalProperties: false, title: 'GrantFilter' },
);
const Changes = listOf(ObjectChange, 'ObjectChanges');
const Import = object(
  {
    integrations: list(described({ type: 'object' }), { minItems: 1 }),
    update: optional(boolean({ description: 'Change those that exist.' })),
  },
  { additionalProperties: false, title: 'IntegrationImport' },
);
const Imported = listOf(object({ clientId: string(), isNew: boolean() }), 'ImportedIntegrations');
const EVENTS = object({
  after: optional(integer({ minimum: 0, description: 'The sequence number of the last event that was read.' })),
  identity: GRANT_FILTER.identity,
  type: optional(described<EventType>({ type: 'string', enum: EVENT_TYPES, description: 'Of this type.' })),
  within: optional(integer({ minimum: 0, description: 'Of the last time, in seconds.' })),
  requestId: optional(string({ description: 'That this request caused.' })),
  epoch: optional(integer({ description: 'For followers: refused if the store was put back since.' })),
  limit: optional(integer({ minimum: 1, maximum: 10_000, description: 'At most this many. Default: 100.' })),
});
const Events = object({ items: list(Event), next: optional(string()), epoch: integer() }, { title: 'EventList' });

export const ACTS: { readonly [A in ActName]: ActRow } = {
  'integration-list': integration.list,
  'integration-show': integration.show,
  'integration-put': integration.put,
  'integration-import': act(
    'manage',
    'POST /integrations/import',
    'integration import',
    'Register several integrations: all or none',
    Imported,
    { body: Import },
  ),
  'integration-enable': integration.enable,
  'integration-disable': integration.disable,
  'integration-remove': integration.remove,
  'resource-server-list': resourceServer.list,
  'resource-server-show': resourceServer.show,
  'resource-server-put': resourceServer.put,
  'resource-server-remove': resourceServer.remove,
  'resource-server-secret': act(
    'manage',
    `POST ${SECRETS}`,
    'resource-server secret',
    'Make a secret, which is shown once',
    Secret,
    { query: REPLACES },
  ),
  'resource-server-drop-secret': act(
    'manage',
    `DELETE ${SECRETS}/old`,
    'resource-server secret',
    'End the older of two secrets',
    ResourceServerObject,
  ),
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
  'identity-password': act(
    'manage',
    'POST /identities/{id}/password',
    'identity set-password',
    'Set the password of a local identity',
    IdentityObject,
    { body: Password },
  ),
  'identity-passkeys': listing(PASSKEYS, 'identity passkey list', Passkey, 'PasskeyList', object({})),
  'identity-remove-passkeys': act(
    'manage',
    `DELETE ${PASSKEYS}`,
    'identity passkey remove',
    'Remove passkeys, and end the browser sessions of the identity',
    listOf(Passkey, 'RemovedPasskeys'),
    { query: MEANT_PASSKEYS },
  ),
  'identity-enable': identity.enable,
  'identity-disable': identity.disable,
  'identity-remove': identity.remove,
  'grant-list': listing('/grants', 'grant list', Grant, 'GrantList', paged({ ...GRANT_FILTER, ...ALL })),
  'grant-show': act('read', 'GET /grants/{id}', 'grant show', 'Show a grant', Grant),
  'grant-timeline': act(
    'read',
    'GET /grants/{id}/events',
    'grant timeline',
    'What happened to a grant',
    listOf(Event, 'Timeline'),
  ),
  'grant-revoke': act('operate', 'POST /grants/{id}/revoke', 'grant revoke', 'End a grant', Ended),
  'grant-revoke-all': act(
    'operate',
    'POST /grants/revoke',
    'grant revoke',
    'End all grants that a filter selects; without confirmed, count them',
    Ended,
    { body: Selected },
  ),
  'event-list': act('read', 'GET /events', 'events', 'List events: the newest, or those after a number', Events, {
    query: EVENTS,
  }),
  'object-export': act(
    'read',
    'GET /objects',
    'export',
    'Everything registered as one document, without secrets',
    Document,
  ),
  'object-plan': act('read', 'POST /objects/plan', 'diff', 'What applying a document would do', Changes, {
    body: Applied,
  }),
  'object-apply': act('manage', 'POST /objects/apply', 'apply', 'Apply a document: all of it, or nothing', Changes, {
    body: Applied,
  }),
  'node-list': act(
    'read',
    'GET /nodes',
    'status',
    'List the running nodes',
    listOf(object({ name: string(), until: string() }), 'NodeList'),
  ),
};
