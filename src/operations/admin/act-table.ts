// Every administrative act that can be done from elsewhere: its permission, its route, its command, the page of the console that
// offers it, and what goes in and out. The admin door, its OpenAPI document, the command line and the test of permissions are
// made from this table. What is not here stays on the machine: keyring, backup, restore, migrations, configuration.
import { EVENT_TYPES, type EventType } from '../../core/event.ts';
import type { Permission } from '../../core/rules/operator.ts';
import type { Seconds } from '../../core/time.ts';
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
import type { LoggedEvent } from '../../store/store.ts';
import type { AssertionExplanation } from './explain-assertion.ts';
import type { CallerExplanation } from './explain-caller.ts';
import type { ScopeExplanation } from './explain-scope.ts';
import type { TokenExplanation } from './explain-token.ts';
import {
  IdentityObject,
  IntegrationObject,
  IssuerObject,
  type ObjectChange,
  type Objects,
  ResourceServerObject,
  TokenIssuerObject,
} from './objects.ts';
import type { ShownGrant } from './show-grant.ts';

type Query = ObjectSchema<Record<string, Schema>>;

export interface ActRow<T = unknown> {
  readonly permission: Permission;
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** Below the mount of the door. `{id}` names the thing. */
  readonly path: string;
  /** Of `tessera`. */
  readonly command: string;
  /** Of the console; empty: none. */
  readonly page: string;
  readonly summary: string;
  readonly query?: Query;
  readonly body?: Schema;
  readonly answers: Schema<T>;
}

/** What an act is given. The door, or the command, has checked query and body against the schemas of the table. */
export interface Given {
  readonly id?: string | undefined;
  readonly query?: object | undefined;
  readonly body?: unknown;
  /** `absent`: make it, and refuse if it exists. A number: the revision that the thing must have. */
  readonly onlyIf?: number | 'absent' | undefined;
}

export interface Answered<T> {
  readonly value: T;
  /** Of the thing, if it can be changed. */
  readonly revision?: number;
}

/** One page of a list. `next`: where the following one begins. */
export interface Listed<T> {
  readonly items: readonly T[];
  readonly next?: string;
}

const CLOSED = { additionalProperties: false };

const Ended = object(
  { id: optional(string()), endedGrants: optional(integer({ description: 'How many grants ended.' })) },
  { title: 'Ended' },
);

const PAGED = {
  limit: optional(integer({ minimum: 1, maximum: 1000, description: 'At most this many. Default: 100.' })),
  cursor: optional(string({ description: 'The next of the page before.' })),
};
const ALL = { all: optional(boolean({ description: 'Include ended ones.' })) };
const CONFIRMED = { confirmed: optional(boolean({ description: 'Without it, nothing is done.' })) };

function ago(description: string) {
  return optional(described<Seconds>({ type: 'integer', minimum: 0, description: `${description} In seconds.` }));
}

const GRANT_FILTER = {
  identity: optional(string({ description: 'Of this identity: a user name or an id.' })),
  integration: optional(string({ description: 'Of this integration.' })),
  certificate: optional(
    string({ description: 'By this certificate: its serial number, the SHA-256 of its key, or its mark in a grant.' }),
  ),
  address: optional(string({ description: 'Whose newest token this address got.' })),
  since: ago('Made at most this long ago.'),
  until: ago('Made at least this long ago.'),
  ending: ago('That end within this time.'),
};

const Grant = described<ShownGrant>({
  ...object({ id: string(), state: string(), clientId: string(), identityId: string() }, { title: 'Grant' }),
});
const Event = described<LoggedEvent>({
  ...object({ sequence: integer(), at: integer(), type: string() }, { title: 'Event' }),
});
const Refusal = object(
  {
    clientId: string({ description: 'Empty: of no known integration.' }),
    identityId: string({ description: 'Empty: of no known identity.' }),
    reason: string(),
    count: integer(),
    first: string(),
    last: string(),
    lastRequestId: string(),
  },
  { title: 'RefusalCount' },
);

const Document = described<Objects>({
  type: 'object',
  title: 'Objects',
  description: 'By section, then by name: docs/administration.md.',
});
const PRUNE = optional(boolean({ description: 'Remove what the sections do not have.' }));
const Applied = object({ objects: Document, prune: PRUNE }, { ...CLOSED, title: 'ObjectsToApply' });
const Change = described<ObjectChange>({
  ...object(
    { section: string(), id: string(), does: string(), fields: described({ type: 'object' }) },
    { title: 'ObjectChange' },
  ),
});

function listOf<T>(items: Schema<T>, title: string): Schema<Listed<T>> {
  const next = optional(string({ description: 'The cursor of the next page, if there is one.' }));
  return object({ items: list(items), next }, { title });
}

/** The acts of one kind of things. */
function on(kind: string, path: string) {
  const page = path.slice(1);
  return <T>(
    permission: Permission,
    route: string,
    summary: string,
    answers: Schema<T>,
    parts: { query?: Record<string, Schema>; body?: Schema; command?: string; page?: string } = {},
  ): ActRow<T> => {
    const [method, ...rest] = route.split(' ');
    const { query, command = `${kind} ${rest.at(-1)?.replace(/.*\//, '')}`, ...more } = parts;
    return {
      ...{
        permission,
        method: method as ActRow['method'],
        path: path + (rest[0] ?? ''),
        command,
        page,
        summary,
        answers,
      },
      ...more,
      ...(query && { query: object(query) }),
    };
  };
}

/** Those that all registered things have. */
function common<T>(kind: string, path: string, schema: Schema<T>, title: string, query: Record<string, Schema> = {}) {
  const act = on(kind, path);
  const noun = kind.replace('-', ' ');
  const put = { body: schema, command: `${kind} add, ${kind} change` };
  return {
    list: act('read', 'GET', `List: ${path.slice(1)}`, listOf(schema, `${title}List`), {
      query: { ...query, ...PAGED },
      command: `${kind} list`,
    }),
    show: act('read', 'GET /{id}', `Show: ${noun}`, schema, { command: `${kind} show` }),
    put: act('manage', 'PUT /{id}', `Make or replace: ${noun}`, schema, put),
    remove: act('manage', 'DELETE /{id}', `Remove: ${noun}`, Ended, { query: CONFIRMED, command: `${kind} remove` }),
    enable: act('operate', 'POST /{id}/enable', `Enable: ${noun}`, schema),
    disable: act('operate', 'POST /{id}/disable', `Disable: ${noun}`, schema),
  };
}

const integration = common('integration', '/integrations', IntegrationObject, 'Integration');
const resourceServer = common('resource-server', '/resource-servers', ResourceServerObject, 'ResourceServer');
const issuer = common('issuer', '/issuers', IssuerObject, 'Issuer', ALL);
const tokenIssuer = common('token-issuer', '/token-issuers', TokenIssuerObject, 'TokenIssuer', ALL);
const identity = common('identity', '/identities', IdentityObject, 'Identity');
const onIntegration = on('integration', '/integrations');
const onServer = on('resource-server', '/resource-servers');
const onGrant = on('grant', '/grants');
const onExplain = on('explain', '/explain');

const Secret = object({ secret: string(), endsAt: optional(string()) }, { title: 'Secret' });
const Password = object({ password: string({ writeOnly: true }) }, { ...CLOSED, title: 'Password' });
const Selected = object({ ...GRANT_FILTER, ...CONFIRMED }, { ...CLOSED, title: 'GrantFilter' });
const Changes = listOf(Change, 'ObjectChanges');
const UPDATE = optional(boolean({ description: 'Change those that exist.' }));
const Import = object(
  { integrations: list(described({ type: 'object' }), { minItems: 1 }), update: UPDATE },
  { ...CLOSED, title: 'IntegrationImport' },
);
const Imported = listOf(object({ clientId: string(), isNew: boolean() }), 'ImportedIntegrations');
const KeyAddition = object(
  {
    file: optional(string({ description: 'Public keys: PEM, or JSON (a key or a key set).' })),
    url: optional(string({ description: 'Fetch them from here instead.' })),
    authorities: optional(string({ description: 'PEM: the only authorities for the TLS connection.' })),
    allowedAddresses: optional(list(string(), { description: 'Addresses off the public internet to fetch from.' })),
  },
  { ...CLOSED, title: 'KeyAddition' },
);
const Key = described<Readonly<Record<string, string>>>({ type: 'object', title: 'PublicKey' });
const EVENTS = {
  after: optional(integer({ minimum: 0, description: 'After this number. Without it, the newest.' })),
  before: optional(integer({ minimum: 0, description: 'The newest before this number.' })),
  integration: GRANT_FILTER.integration,
  identity: GRANT_FILTER.identity,
  type: optional(described<EventType>({ type: 'string', enum: EVENT_TYPES, description: 'Of this type.' })),
  within: ago('Of the last time.'),
  requestId: optional(string({ description: 'That this request caused.' })),
  epoch: optional(integer({ description: 'For followers: refused if the store was put back since.' })),
  limit: optional(integer({ minimum: 1, maximum: 10_000, description: 'At most this many. Default: 100.' })),
};
const Events = object({ items: list(Event), next: optional(string()), epoch: integer() }, { title: 'EventList' });
const Nodes = listOf(object({ name: string(), until: string() }), 'NodeList');
const OfRequest = object({ events: list(Event), refusals: list(Refusal) }, { title: 'RequestExplanation' });
const Token = object({ token: string({ writeOnly: true }) }, { ...CLOSED, title: 'TokenToExplain' });
const OfToken = described<TokenExplanation>({ type: 'object', title: 'TokenExplanation' });
const PEM = string({ description: 'PEM: the certificate, and any others that the caller sends with it.' });
const Certificates = object({ certificates: PEM }, { ...CLOSED, title: 'CertificatesToExplain' });
const OfCaller = described<CallerExplanation>({ type: 'object', title: 'CertificateExplanation' });
const Assertion = object({ assertion: string({ writeOnly: true }) }, { ...CLOSED, title: 'AssertionToExplain' });
const OfAssertion = described<AssertionExplanation>({ type: 'object', title: 'AssertionExplanation' });
const OfScope = described<ScopeExplanation>({ type: 'object', title: 'ScopeExplanation' });
const SCOPE = { integration: string({ description: 'Its client id.' }), scope: string({ description: 'To ask for.' }) };
const REFUSALS = {
  integration: GRANT_FILTER.integration,
  identity: GRANT_FILTER.identity,
  reason: optional(string({ description: 'For this reason.' })),
};
const AS_CODE = { page: '' };

export const ACTS = {
  'integration-list': integration.list,
  'integration-show': integration.show,
  'integration-put': integration.put,
  'integration-import': onIntegration('manage', 'POST /import', 'Register several: all or none', Imported, {
    body: Import,
  }),
  'integration-enable': integration.enable,
  'integration-disable': integration.disable,
  'integration-remove': integration.remove,
  'integration-key-list': onIntegration('read', 'GET /{id}/keys', 'List its public keys', listOf(Key, 'KeyList'), {
    command: 'integration key list',
  }),
  'integration-key-add': onIntegration('manage', 'POST /{id}/keys', 'Add public keys', IntegrationObject, {
    body: KeyAddition,
    command: 'integration key add',
  }),
  'integration-key-remove': onIntegration('operate', 'DELETE /{id}/keys', 'Remove a key', IntegrationObject, {
    query: { key: string({ description: 'Its id, or the address of the keys.' }) },
    command: 'integration key remove',
  }),
  'integration-secret-make': onIntegration('manage', 'POST /{id}/secrets', 'Make a secret, shown once', Secret, {
    query: { endsIn: integer({ minimum: 1, description: 'How long it is valid, in seconds.' }) },
    command: 'integration secret',
  }),
  'integration-secret-drop': onIntegration(
    'operate',
    'DELETE /{id}/secrets',
    'End the older of two',
    IntegrationObject,
    {
      query: { all: optional(boolean({ description: 'End all of them.' })) },
      command: 'integration secret',
    },
  ),
  'resource-server-list': resourceServer.list,
  'resource-server-show': resourceServer.show,
  'resource-server-put': resourceServer.put,
  'resource-server-remove': resourceServer.remove,
  'resource-server-secret-make': onServer('manage', 'POST /{id}/secrets', 'Make a secret, shown once', Secret, {
    query: { replaces: optional(boolean({ description: 'The secrets before it end at once.' })) },
    command: 'resource-server secret',
  }),
  'resource-server-secret-drop': onServer(
    'manage',
    'DELETE /{id}/secrets',
    'End the older of two',
    ResourceServerObject,
    {
      command: 'resource-server secret',
    },
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
  'identity-password': on('identity', '/identities')(
    'manage',
    'POST /{id}/password',
    'Set the password of a local identity',
    IdentityObject,
    { body: Password, command: 'identity set-password' },
  ),
  'identity-enable': identity.enable,
  'identity-disable': identity.disable,
  'identity-remove': identity.remove,
  'grant-list': onGrant('read', 'GET', 'List grants', listOf(Grant, 'GrantList'), {
    query: { ...GRANT_FILTER, ...ALL, ...PAGED },
    command: 'grant list',
  }),
  'grant-show': onGrant('read', 'GET /{id}', 'Show a grant', Grant, { command: 'grant show' }),
  'grant-timeline': onGrant('read', 'GET /{id}/events', 'What happened to a grant', listOf(Event, 'Timeline'), {
    command: 'grant timeline',
  }),
  'grant-revoke': onGrant('operate', 'POST /{id}/revoke', 'End a grant', Ended),
  'grant-revoke-all': onGrant(
    'operate',
    'POST /revoke',
    'End all that a filter selects; 409 with their number',
    Ended,
    {
      body: Selected,
    },
  ),
  'event-list': on('events', '/events')('read', 'GET', 'List events', Events, { query: EVENTS, command: 'events' }),
  'refusal-list': on('refusals', '/refusals')('read', 'GET', 'What was refused', listOf(Refusal, 'RefusalList'), {
    query: REFUSALS,
    command: 'refusals',
    page: 'overview',
  }),
  'explain-request': onExplain('read', 'GET /requests/{id}', 'What is known of a request', OfRequest, {
    command: 'explain request',
  }),
  'explain-token': onExplain('read', 'POST /token', 'What the service would say to a token', OfToken, { body: Token }),
  'explain-certificate': onExplain('read', 'POST /certificate', 'How a certificate would be judged', OfCaller, {
    body: Certificates,
  }),
  'explain-assertion': onExplain('read', 'POST /assertion', 'How an assertion would be judged', OfAssertion, {
    body: Assertion,
  }),
  'explain-scope': onExplain('read', 'GET /scope', 'What an integration has of a scope', OfScope, { query: SCOPE }),
  'object-export': on('', '/objects')(
    'read',
    'GET',
    'Everything registered as one document, without secrets',
    Document,
    {
      ...AS_CODE,
      command: 'export',
    },
  ),
  'object-plan': on('', '/objects')('read', 'POST /plan', 'What applying a document would do', Changes, {
    ...AS_CODE,
    body: Applied,
    command: 'diff',
  }),
  'object-apply': on('', '/objects')('manage', 'POST /apply', 'Apply a document: all of it, or nothing', Changes, {
    ...AS_CODE,
    body: Applied,
    command: 'apply',
  }),
  'node-list': on('status', '/nodes')('read', 'GET', 'List the running nodes', Nodes, {
    command: 'status',
    page: 'overview',
  }),
} satisfies Readonly<Record<string, ActRow>>;

export type ActName = keyof typeof ACTS;

/** What each act results in. */
export type Gives = { readonly [A in ActName]: (typeof ACTS)[A] extends ActRow<infer T> ? T : never };
