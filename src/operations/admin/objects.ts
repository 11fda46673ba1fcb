// What operators register, as it is written in requests, answers and files: the schema of each kind, with the defaults of what
// is left out. A new field of a draft does not compile until it is here.
import type { Changed } from '../../core/act.ts';
import { type Identity, type IdentityId, LABEL } from '../../core/identity.ts';
import {
  ACCESS_TOKEN_FORMATS,
  type Access,
  BINDINGS,
  CLIENT_ID,
  type ClientKeys,
  type CodeFlow,
  type ExchangeEntry,
  type Integration,
} from '../../core/integration.ts';
import { REDIRECT_URI } from '../../core/redirect-uri.ts';
import { AUDIENCE, RESOURCE_SERVER_ID, type ResourceServer } from '../../core/resource-server.ts';
import { RESOURCE_PATTERN, SCOPE_PATTERN } from '../../core/scope.ts';
import { JWT_LIFETIME_MAX, LIFETIME_MAX } from '../../core/settings.ts';
import { PASSWORD_RULES as RULES } from '../../directory/password-rules.ts';
import { boolean, described, object, optional, type Schema, string, type ValueOf } from '../../schema.ts';
import { IssuerObject, TokenIssuerObject, type WrittenIssuer, type WrittenTokenIssuer } from './issuer-objects.ts';
import {
  ADDRESSES,
  AUTHORITIES,
  CLOSED,
  enabled,
  entered,
  flag,
  form,
  formOrNone,
  KEY_URL,
  keyFile,
  lifetime,
  list,
  moment,
  oneOf,
  ranges,
  shown,
  text,
  texts,
  usually,
} from './members.ts';
import { ADDRESS, NEW_CLIENT_ID, PLAIN_NAME, PLAIN_TEXT, SHOWN_NAME, USER_NAME } from './text-forms.ts';

export const MOST_REDIRECT_URIS = 20;
/** More belong into a group. */
export const MOST_NAMED = 1_000;

/** Of JWTs. */
const JWTS_ARE_SHORT = {
  if: { properties: { accessTokenFormat: { const: 'jwt' } }, required: ['accessTokenFormat'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { properties: { overrides: { properties: { accessTokenLifetime: { maximum: JWT_LIFETIME_MAX } } } } },
};

const EVERYONE = object({ to: oneOf(['everyone'], 'Every identity.') }, CLOSED);
const NAMED = object(
  {
    to: oneOf(['named'], 'Only these.'),
    identities: list(string(), 'Ids, or user names of local identities.', { maxItems: MOST_NAMED }),
    groups: list(form(PLAIN_NAME, 'text-malformed'), 'Names of groups.'),
  },
  CLOSED,
);
const AccessObject = described<Access>({
  description: 'Who may use it. Left out: everyone.',
  anyOf: [EVERYONE, NAMED],
});

const CodeObject = described<CodeFlow | false>({
  description: 'By authorization code. Without redirect URIs: for clients with a document.',
  anyOf: [
    object(
      {
        redirectUris: list(form(REDIRECT_URI, 'redirect-uri-malformed'), 'Where the code may be sent.', {
          maxItems: MOST_REDIRECT_URIS,
        }),
      },
      CLOSED,
    ),
    { type: 'boolean', enum: [false] },
  ],
});

const FLOWS = {
  device: flag('Whether people may authorize it in a browser.', true),
  certificate: flag('Whether callers may authorize by client certificate.', true),
  assertion: flag('Whether workloads may authorize by assertion of a token issuer.', false),
  secret: flag('Whether callers may authenticate with a generated secret.', false),
  code: usually(CodeObject, false),
} satisfies Record<keyof Integration['flows'], Schema>;

const OVERRIDES = {
  accessTokenLifetime: optional(lifetime('How long access tokens work, instead of the server setting.')),
  grantLifetime: optional(lifetime('How long grants can be refreshed, instead of the server setting.')),
  refresh: optional(boolean({ description: 'Whether answers have a refresh token.' })),
  refreshRetryWindow: optional(lifetime('How long a spent refresh token may be presented again.', [0, LIFETIME_MAX])),
  refreshSiblingWindow: optional(
    lifetime('How long a program may still use a refresh token that another one with the same login has refreshed.', [
      0,
      LIFETIME_MAX,
    ]),
  ),
  onReuse: optional(oneOf(['revoke', 'report'], 'What the reuse of a spent refresh token does.')),
} satisfies Record<keyof Integration['overrides'], Schema>;

const EXCHANGE = object(
  {
    integration: form(CLIENT_ID, 'exchange-malformed', 'Its client id.'),
    scope: form(SCOPE_PATTERN, 'exchange-malformed', 'At most this.'),
  },
  CLOSED,
);
const ExchangeObject = described<ExchangeEntry>({ ...EXCHANGE });
const PublicKeysObject = described<ClientKeys>({
  description: 'The public keys that it authenticates with. Left out: those that it has; an empty set: none.',
  anyOf: [
    object(
      {
        ...KEY_URL,
        allowedAddresses: optional(ranges(ADDRESSES)),
        authorities: optional(AUTHORITIES),
      },
      CLOSED,
    ),
    keyFile('jwk-set-or-empty'),
  ],
});
const SecretTimes = object({ createdAt: text('When it was made.'), endsAt: optional(text('When it ends.')) });

const CONFIDENTIAL =
  'Whether a client id alone proves too little; yes once there are keys or secrets. Left out: as it was. With keys or secrets, it stays so: turn those off first. In answers only if true.';

export const IntegrationObject = object(
  {
    clientId: shown(text('What callers send as client_id.')),
    name: optional(form(SHOWN_NAME, 'text-malformed', 'Its name, as people see it. Left out: the client id.')),
    description: usually(form(PLAIN_TEXT, 'text-malformed', 'What it is for.'), ''),
    vendor: usually(form(PLAIN_TEXT, 'text-malformed', 'Who makes it.'), ''),
    scope: form(
      SCOPE_PATTERN,
      'scope-malformed',
      'All that its tokens may carry, such as orders:read,write;stock:read.',
    ),
    enabled: enabled('Whether callers may use it.'),
    // No default: what depends on the others cannot be published as a value that may be sent.
    confidential: optional(boolean({ description: CONFIDENTIAL })),
    flows: optional(object(FLOWS, { ...CLOSED, description: 'How callers may authorize.' })),
    access: usually(AccessObject, { to: 'everyone' }),
    binding: usually(oneOf(BINDINGS, 'What a refresh must come with: a certificate, or a DPoP proof.'), 'none'),
    accessTokenFormat: usually(oneOf(ACCESS_TOKEN_FORMATS, 'Of the access tokens of new grants.'), 'opaque'),
    owners: usually(list(form(PLAIN_NAME, 'text-malformed'), 'Groups whose members look after it.'), []),
    overrides: optional(object(OVERRIDES, { ...CLOSED, description: 'Instead of the settings of the server.' })),
    tokenEndpointAudience: flag('Whether aud of a client assertion may be the token endpoint.', false),
    publicEnterprise: flag('Whether assertions of an enterprise need no client authentication.', false),
    secretAddresses: usually(ranges('Where alone a secret works: addresses and networks.'), []),
    resourceServer: usually(text('The resource server that it runs and may exchange tokens of; empty for none.'), ''),
    exchange: usually(entered('rows', list(ExchangeObject, 'Who may exchange its tokens, and for which scope.')), []),
    keys: shown(texts('The ids of its public keys, or where they are fetched from.')),
    publicKeys: optional(PublicKeysObject),
    secrets: shown(list(SecretTimes, 'The secrets that work now.')),
  } satisfies Record<Exclude<keyof Integration, 'removed' | 'registration' | 'disabledByOwner'> | 'publicKeys', Schema>,
  { ...CLOSED, title: 'Integration', ...JWTS_ARE_SHORT },
);
export type WrittenIntegration = ValueOf<typeof IntegrationObject>;

export const ResourceServerObject = object(
  {
    id: shown(text('By which it authenticates.')),
    audience: form(AUDIENCE, 'audience-malformed', 'What tokens and the parameter resource call it: an absolute URI.'),
    name: optional(form(PLAIN_NAME, 'text-malformed', 'Its name, as people see it. Left out: the id.')),
    resources: list(form(RESOURCE_PATTERN, 'resource-malformed'), 'The scope resources that it serves.', {
      minItems: 1,
      'x-refusal': 'resources-missing',
    }),
    enabled: enabled('Whether it may check tokens and tokens are for it.'),
    identity: usually(
      text('The identity whose certificate or token proves it: an id, or the user name of a local one.'),
      '',
    ),
    secrets: shown(list(SecretTimes, 'The secrets that work now.')),
  } satisfies Record<Exclude<keyof ResourceServer, 'removed'>, Schema>,
  { ...CLOSED, title: 'ResourceServer' },
);
export type WrittenResourceServer = ValueOf<typeof ResourceServerObject>;

export const PasswordText = string({
  description: `Of a new identity: ${RULES.minLength} characters or more. It is never shown.`,
  minLength: RULES.minLength,
  maxLength: RULES.maxLength,
  'x-refusal': 'password-too-short',
  writeOnly: true,
});

/** What a file says of an identity. */
export const GroupsObject = object({ groups: list(form(USER_NAME, 'text-malformed'), 'All of its groups.') }, CLOSED);

export const IdentityObject = object(
  {
    id: shown(described<IdentityId>({ type: 'string', description: 'Its id, which never changes.' })),
    userName: optional(
      form(
        USER_NAME,
        'user-name-malformed',
        'The name to sign in with. Left out: as it is; of a new one, the name in the path.',
      ),
    ),
    email: usually(
      formOrNone(ADDRESS, 'address-malformed', 'Matched with the e-mail address of certificates; empty for none.'),
      '',
    ),
    upn: usually(
      formOrNone(ADDRESS, 'address-malformed', 'Matched with the user principal name of certificates; empty for none.'),
      '',
    ),
    groups: usually(GroupsObject.properties.groups, []),
    mayUseApi: flag('Whether it may use integrations.', true),
    /** Certificates that carry the address are then refused for both. */
    mayShare: flag('Allow an address that another identity has.', false),
    password: optional(PasswordText),
    enabled: shown(boolean({ description: 'Whether it may use anything.' })),
    seenAt: shown(moment('When its directory last confirmed it.')),
    endedAt: shown(moment('When its directory had ended it.')),
  } satisfies Record<Exclude<keyof Identity, 'pushed'> | 'mayShare' | 'password', Schema>,
  { ...CLOSED, title: 'Identity' },
);
export type WrittenIdentity = ValueOf<typeof IdentityObject>;

/** A thing of each kind, as requests, answers and files have it. */
export interface Written {
  integration: WrittenIntegration;
  'resource-server': WrittenResourceServer;
  issuer: WrittenIssuer;
  'token-issuer': WrittenTokenIssuer;
  identity: WrittenIdentity;
}

/** The sections of a file, and what describes one thing of each. */
const SCHEMAS = {
  integrations: IntegrationObject,
  resourceServers: ResourceServerObject,
  issuers: IssuerObject,
  tokenIssuers: TokenIssuerObject,
  identities: GroupsObject,
} as const;
export type Section = keyof typeof SCHEMAS;

/** The forms of their names. Identities are those that exist. */
const NAMES = {
  integrations: NEW_CLIENT_ID.source,
  resourceServers: RESOURCE_SERVER_ID.source,
  issuers: LABEL.source,
  tokenIssuers: LABEL.source,
  identities: '',
} as const satisfies Record<Section, string>;

export const OBJECTS = {
  type: 'object',
  ...CLOSED,
  properties: Object.fromEntries(
    Object.entries(SCHEMAS).map(([section, additionalProperties]) => {
      const propertyNames = { pattern: NAMES[section as Section] };
      return [section, { type: 'object', propertyNames, additionalProperties }];
    }),
  ),
};

/** JSON Schema of the files that can be applied, for editors and for the reader. */
export const OBJECTS_SCHEMA = { $schema: 'https://json-schema.org/draft/2020-12/schema', title: 'Objects', ...OBJECTS };

/** A document of all of these: by section, then by name. */
export type Objects = { readonly [S in Section]?: Readonly<Record<string, object>> };

/** Field by field: what it was, and what it is. */
export const ChangedObject = described<Changed['changed']>({
  type: 'object',
  description: 'Field by field.',
  additionalProperties: object({ before: optional(described({})), after: optional(described({})) }),
});

/** What applying a document does to one of them. */
export interface ObjectChange {
  readonly section: Section;
  readonly id: string;
  readonly does: 'create' | 'change' | 'remove';
  /** Field by field; empty for what is removed. */
  readonly fields: Changed['changed'];
}
