// Every administrative act that can be done from elsewhere: its permission, its route, its command, the page of the console that
// offers it, and what goes in and out. The admin door, its OpenAPI document, the command line and the console are made from this
// table. What is not here stays on the machine: keyring, backup, restore, migrations, configuration.
import type { Permission } from '../../core/rules/operator.ts';
import { type ActName, FORMATS, type Formats } from './act-formats.ts';

export interface ActRow extends Formats {
  readonly permission: Permission;
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** Below the mount of the door. `{id}` names the thing. */
  readonly path: string;
  /** Of `tessera`. */
  readonly command: string;
  /** Of the console; empty: none. */
  readonly page: string;
  readonly summary: string;
}

/** What an act is given. The door, or the command, has checked query and body against the schemas of the table. */
export interface Given {
  readonly id?: string | undefined;
  readonly query?: object | undefined;
  readonly body?: unknown;
  /** `absent`: make it, and refuse if it exists. `present`: replace it only. A number: the revision that the thing must have. */
  readonly onlyIf?: number | 'absent' | 'present' | undefined;
}

export interface Answered<T> {
  readonly value: T;
  /** Of the thing, if it can be changed. */
  readonly revision?: number;
  /** Whether this made the thing. */
  readonly isNew?: boolean;
}

type Row = readonly [
  permission: Permission,
  method: ActRow['method'],
  path: string,
  command: string,
  page: string,
  summary: string,
];

/** What is done to a thing that has a page of its own is offered there. */
// biome-ignore format: a table
const ROWS = {
  'integration-list':            ['read',    'GET',    '/integrations',                  'integration list',            'integrations',     'List integrations'],
  'integration-show':            ['read',    'GET',    '/integrations/{id}',             'integration show',            'integrations',     'Show an integration'],
  'integration-put':             ['manage',  'PUT',    '/integrations/{id}',             'integration add, change',     'integrations',     'Make or replace an integration'],
  'integration-import':          ['manage',  'POST',   '/integrations/import',           'integration import',          'integrations',     'Register several: all or none'],
  'integration-enable':          ['operate', 'POST',   '/integrations/{id}/enable',      'integration enable',          'integrations',     'Enable an integration'],
  'integration-disable':         ['operate', 'POST',   '/integrations/{id}/disable',     'integration disable',         'integrations',     'Disable an integration'],
  'integration-remove':          ['manage',  'DELETE', '/integrations/{id}',             'integration remove',          'integrations',     'Remove an integration'],
  'integration-key-list':        ['read',    'GET',    '/integrations/{id}/keys',        'integration key list',        'integrations',     'List its public keys'],
  'integration-key-add':         ['manage',  'POST',   '/integrations/{id}/keys',        'integration key add',         'integrations',     'Add public keys'],
  'integration-key-remove':      ['operate', 'DELETE', '/integrations/{id}/keys',        'integration key remove',      'integrations',     'Remove a public key'],
  'integration-secret-make':     ['manage',  'POST',   '/integrations/{id}/secrets',     'integration secret',          'integrations',     'Make a secret, shown once'],
  'integration-secret-drop':     ['operate', 'DELETE', '/integrations/{id}/secrets',     'integration secret',          'integrations',     'End the older of two secrets'],
  'resource-server-list':        ['read',    'GET',    '/resource-servers',              'resource-server list',        'resource-servers', 'List resource servers'],
  'resource-server-show':        ['read',    'GET',    '/resource-servers/{id}',         'resource-server show',        'resource-servers', 'Show a resource server'],
  'resource-server-put':         ['manage',  'PUT',    '/resource-servers/{id}',         'resource-server add, change', 'resource-servers', 'Make or replace a resource server'],
  'resource-server-remove':      ['manage',  'DELETE', '/resource-servers/{id}',         'resource-server remove',      'resource-servers', 'Remove a resource server'],
  'resource-server-secret-make': ['manage',  'POST',   '/resource-servers/{id}/secrets', 'resource-server secret',      'resource-servers', 'Make a secret, shown once'],
  'resource-server-secret-drop': ['manage',  'DELETE', '/resource-servers/{id}/secrets', 'resource-server secret',      'resource-servers', 'End the older of two secrets'],
  'issuer-list':                 ['read',    'GET',    '/issuers',                       'issuer list',                 'issuers',          'List issuers'],
  'issuer-show':                 ['read',    'GET',    '/issuers/{id}',                  'issuer show',                 'issuers',          'Show an issuer'],
  'issuer-put':                  ['manage',  'PUT',    '/issuers/{id}',                  'issuer add, change',          'issuers',          'Approve or replace an issuer'],
  'issuer-remove':               ['manage',  'DELETE', '/issuers/{id}',                  'issuer remove',               'issuers',          'Remove an issuer'],
  'token-issuer-list':           ['read',    'GET',    '/token-issuers',                 'token-issuer list',           'token-issuers',    'List token issuers'],
  'token-issuer-show':           ['read',    'GET',    '/token-issuers/{id}',            'token-issuer show',           'token-issuers',    'Show a token issuer'],
  'token-issuer-put':            ['manage',  'PUT',    '/token-issuers/{id}',            'token-issuer add, change',    'token-issuers',    'Make or replace a token issuer'],
  'token-issuer-remove':         ['manage',  'DELETE', '/token-issuers/{id}',            'token-issuer remove',         'token-issuers',    'Remove a token issuer'],
  'identity-list':               ['read',    'GET',    '/identities',                    'identity list',               'identities',       'List identities'],
  'identity-show':               ['read',    'GET',    '/identities/{id}',               'identity show',               'identities',       'Show an identity'],
  'identity-put':                ['manage',  'PUT',    '/identities/{id}',               'identity add, change',        'identities',       'Make or replace an identity'],
  'identity-password':           ['manage',  'POST',   '/identities/{id}/password',      'identity set-password',       'identities',       'Set the password of a local identity'],
  'identity-passkey-list':       ['read',    'GET',    '/identities/{id}/passkeys',      'identity passkey list',       'identities',       'List its passkeys'],
  'identity-passkey-invite':     ['manage',  'POST',   '/identities/{id}/passkeys',      'identity passkey invite',     'identities',       'Invite to add a passkey, by a code that is shown once'],
  'identity-passkey-remove':     ['operate', 'DELETE', '/identities/{id}/passkeys',      'identity passkey remove',     'identities',       'Remove passkeys, and end browser sessions'],
  'identity-enable':             ['operate', 'POST',   '/identities/{id}/enable',        'identity enable',             'identities',       'Enable an identity'],
  'identity-disable':            ['operate', 'POST',   '/identities/{id}/disable',       'identity disable',            'identities',       'Disable an identity'],
  'identity-remove':             ['manage',  'DELETE', '/identities/{id}',               'identity remove',             'identities',       'Remove an identity'],
  'grant-list':                  ['read',    'GET',    '/grants',                        'grant list',                  'grants',           'List grants'],
  'grant-show':                  ['read',    'GET',    '/grants/{id}',                   'grant show',                  'grants',           'Show a grant'],
  'grant-timeline':              ['read',    'GET',    '/grants/{id}/events',            'grant timeline',              'grants',           'What happened to a grant'],
  'grant-revoke':                ['operate', 'POST',   '/grants/{id}/revoke',            'grant revoke',                'grants',           'End a grant'],
  'grant-revoke-all':            ['operate', 'POST',   '/grants/revoke',                 'grant revoke',                'grants',           'End all that a filter selects; 409 with their number'],
  'event-list':                  ['read',    'GET',    '/events',                        'events',                      'events',           'List events'],
  'refusal-list':                ['read',    'GET',    '/refusals',                      'refusals',                    'overview',         'What was refused'],
  'explain-request':             ['read',    'GET',    '/explain/requests/{id}',         'explain request',             'explain',          'What is known of a request'],
  'explain-token':               ['read',    'POST',   '/explain/token',                 'explain token',               'explain',          'What the service would say to a token'],
  'explain-certificate':         ['read',    'POST',   '/explain/certificate',           'explain certificate',         'explain',          'How a certificate would be judged'],
  'explain-assertion':           ['read',    'POST',   '/explain/assertion',             'explain assertion',           'explain',          'How an assertion would be judged'],
  'explain-scope':               ['read',    'GET',    '/explain/scope',                 'explain scope',               'explain',          'What an integration has of a scope'],
  'object-export':               ['read',    'GET',    '/objects',                       'export',                      '',                 'Everything registered, without secrets'],
  'object-plan':                 ['read',    'POST',   '/objects/plan',                  'diff',                        '',                 'What applying a document would do'],
  'object-apply':                ['manage',  'POST',   '/objects/apply',                 'apply',                       '',                 'Apply a document: all of it, or nothing'],
  'node-list':                   ['read',    'GET',    '/nodes',                         'status',                      'overview',         'List the running nodes'],
} as const satisfies Readonly<Record<ActName, Row>>;

export const ACTS = Object.fromEntries(
  Object.entries<Row>(ROWS).map(([name, [permission, method, path, command, page, summary]]) => [
    name,
    { permission, method, path, command, page, summary, ...FORMATS[name as ActName] },
  ]),
) as Readonly<Record<ActName, ActRow>>;
