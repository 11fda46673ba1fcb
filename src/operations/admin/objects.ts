// What operators register, as it is written in requests, answers and files: the schema of each kind, with the defaults of what
// is left out. A new field of a draft does not compile until it is here.
import type { Changed } from '../../core/act.ts';
import { IDENTITY_SOURCES, UPN_COMPARISONS } from '../../core/certificate.ts';
import type { Identity, IdentityId } from '../../core/identity.ts';
import {
  ACCESS_TOKEN_FORMATS,
  type Access,
  BINDINGS,
  type ClientKeys,
  type CodeFlow,
  type ExchangeEntry,
  type Integration,
} from '../../core/integration.ts';
import { type ApprovedIssuer, OPTIONAL_CURVES } from '../../core/issuer.ts';
import type { ResourceServer } from '../../core/resource-server.ts';
import { LIFETIME_MAX } from '../../core/settings.ts';
import { type EpochSeconds, type Seconds, seconds } from '../../core/time.ts';
import { ASSERTION_ALGORITHMS, type TokenIssuer } from '../../core/token-issuer.ts';
import { boolean, described, integer, object, optional, type Schema, string, type ValueOf } from '../../schema.ts';

const CLOSED = { additionalProperties: false };

function text(description: string): Schema<string> {
  return string({ description });
}

function list<T>(items: Schema<T>, description: string, notes = {}): Schema<readonly T[]> {
  return described({ type: 'array', items, description, ...notes });
}

function texts(description: string): Schema<readonly string[]> {
  return list(string(), description);
}

function oneOf<const Values extends readonly string[]>(values: Values, description: string) {
  return described<Values[number]>({ type: 'string', enum: values, description });
}

/** What may be left out, and what it is then. */
function usually<T>(schema: Schema<T>, usual: T) {
  return optional({ ...schema, default: usual });
}

function flag(description: string, usual: boolean) {
  return usually(boolean({ description }), usual);
}

/** In answers; ignored in requests. */
function shown<S extends Schema>(schema: S) {
  return optional({ ...schema, readOnly: true });
}

function lifetime(description: string): Schema<Seconds> {
  const limits = { minimum: 0, maximum: LIFETIME_MAX };
  return described({ type: 'integer', format: 'seconds', ...limits, description: `${description} In seconds.` });
}

function moment(description: string): Schema<EpochSeconds> {
  return described({ type: 'integer', description });
}

const DIRECTORIES = 'Labels of the directories that names are looked up in. None: the local one.';
const ADDRESSES = 'Addresses off the public internet from which they may be fetched.';

const EVERYONE = object({ to: oneOf(['everyone'], 'Every identity.') }, CLOSED);
const NAMED = object(
  {
    to: oneOf(['named'], 'Only these.'),
    identities: texts('Ids, or user names of local identities.'),
    groups: texts('Names of groups.'),
  },
  CLOSED,
);
const AccessObject = described<Access>({ description: 'Who may use it.', anyOf: [EVERYONE, NAMED] });

const CodeObject = described<CodeFlow | false>({
  description: 'By authorization code. Without redirect URIs: for clients with a document.',
  anyOf: [object({ redirectUris: texts('Where the code may be sent.') }, CLOSED), { type: 'boolean', enum: [false] }],
});

const FLOWS = {
  device: flag('By a person in a browser.', true),
  certificate: flag('By client certificate.', true),
  assertion: flag('By assertion of a token issuer.', false),
  secret: flag('By a generated secret.', false),
  code: usually(CodeObject, false),
} satisfies Record<keyof Integration['flows'], Schema>;

const OVERRIDES = {
  accessTokenLifetime: optional(lifetime('How long access tokens work.')),
  grantLifetime: optional(lifetime('How long grants can be refreshed.')),
  refresh: optional(boolean({ description: 'Whether answers have a refresh token.' })),
  refreshRetryWindow: optional(lifetime('How long a spent refresh token may be presented again.')),
  onReuse: optional(oneOf(['revoke', 'report'], 'What the reuse of a spent refresh token does.')),
} satisfies Record<keyof Integration['overrides'], Schema>;

const EXCHANGE = object({ integration: text('Its client id.'), scope: text('At most this.') }, CLOSED);
const ExchangeObject = described<ExchangeEntry>({ ...EXCHANGE });
const KEY_URL = { from: oneOf(['url'], 'From this address.'), url: string() };
const KEY_FILE = object({ from: oneOf(['file'], 'These keys.'), set: text('A JSON Web Key Set, as text.') }, CLOSED);
const PublicKeysObject = described<ClientKeys>({
  description: 'The public keys that it authenticates with. Left out: those that it has; an empty set: none.',
  anyOf: [
    object({ ...KEY_URL, allowedAddresses: optional(texts(ADDRESSES)), authorities: optional(string()) }, CLOSED),
    KEY_FILE,
  ],
});
const SecretTimes = object({ createdAt: text('When it was made.'), endsAt: optional(text('When it ends.')) });

const CONFIDENTIAL =
  'Whether a client id alone proves too little. Left out: as it was; a new one is if it has publicKeys or flows.secret, and has to be. In answers only if true.';

export const IntegrationObject = object(
  {
    clientId: shown(text('What callers send as client_id.')),
    name: optional(text('As people see it. Default: the client id.')),
    description: usually(text('What it is for.'), ''),
    vendor: usually(text('Who makes it.'), ''),
    scope: text('All that its tokens may carry, such as orders:read,write;stock:read.'),
    enabled: flag('Whether callers may use it.', true),
    // No default: what depends on the others cannot be published as a value that may be sent.
    confidential: optional(boolean({ description: CONFIDENTIAL })),
    flows: optional(object(FLOWS, { ...CLOSED, description: 'How callers may authorize.' })),
    access: usually(AccessObject, { to: 'everyone' }),
    binding: usually(oneOf(BINDINGS, 'What a refresh must come with.'), 'none'),
    accessTokenFormat: usually(oneOf(ACCESS_TOKEN_FORMATS, 'Of the access tokens of new grants.'), 'opaque'),
    owners: usually(texts('Groups whose members look after it.'), []),
    overrides: optional(object(OVERRIDES, { ...CLOSED, description: 'Instead of the settings of the server.' })),
    tokenEndpointAudience: flag('Whether aud of its assertions may be the token endpoint.', false),
    publicEnterprise: flag('Whether assertions of an enterprise need no authentication.', false),
    secretAddresses: usually(texts('Where alone a secret works: addresses and networks.'), []),
    resourceServer: usually(text('The resource server that it runs.'), ''),
    exchange: usually(list(ExchangeObject, 'Who may exchange its tokens, and for which scope.'), []),
    keys: shown(texts('The ids of its public keys, or where they are fetched from.')),
    publicKeys: optional(PublicKeysObject),
    secrets: shown(list(SecretTimes, 'The secrets that work now.')),
  } satisfies Record<Exclude<keyof Integration, 'removed' | 'registration' | 'disabledByOwner'> | 'publicKeys', Schema>,
  { ...CLOSED, title: 'Integration' },
);
export type WrittenIntegration = ValueOf<typeof IntegrationObject>;

export const ResourceServerObject = object(
  {
    id: shown(text('By which it authenticates.')),
    audience: text('What aud and resource name: an absolute URI.'),
    name: optional(text('As people see it. Default: the id.')),
    resources: texts('The scope resources that it serves.'),
    enabled: flag('Whether it may check tokens.', true),
    identity: usually(
      text('The identity whose certificate or token proves it: an id, or the user name of a local one.'),
      '',
    ),
    secrets: shown(list(SecretTimes, 'The secrets that work now.')),
  } satisfies Record<Exclude<keyof ResourceServer, 'removed'>, Schema>,
  { ...CLOSED, title: 'ResourceServer' },
);
export type WrittenResourceServer = ValueOf<typeof ResourceServerObject>;

type KeyDraft = { from: 'discovery' } | { from: 'url'; url: string } | { from: 'file'; set: string };
const KeysObject = described<KeyDraft>({
  description: 'Where its public keys come from.',
  anyOf: [
    object({ from: oneOf(['discovery'], 'From its discovery document.') }, CLOSED),
    object(KEY_URL, CLOSED),
    KEY_FILE,
  ],
});

const RulesObject = described<readonly unknown[]>({
  type: 'array',
  items: { type: 'object' },
  description: 'Which workloads it may vouch for: docs/workloads.md.',
});

export const TokenIssuerObject = object(
  {
    label: shown(text('Its name, and the label of derived identities.')),
    issuer: text('The iss of its assertions. It never changes.'),
    keys: usually(KeysObject, { from: 'discovery' }),
    allowedAddresses: usually(texts(ADDRESSES), []),
    authorities: usually(text('PEM: the only authorities for the TLS connection.'), ''),
    algorithms: usually(list(oneOf(ASSERTION_ALGORITHMS, 'An algorithm.'), 'What it may sign with.'), [
      'RS256',
      'ES256',
    ]),
    audience: usually(text('What aud must contain, if not the address of this service.'), ''),
    assertions: usually(oneOf(['once', 'reusable'], 'How often an assertion gives a grant.'), 'once'),
    maxAssertionLifetime: usually(lifetime('The longest lifetime of an assertion.'), seconds(3600)),
    kind: usually(oneOf(['platform', 'enterprise'], 'Whose assertions they are.'), 'platform'),
    tokenEndpointAudience: flag('Whether aud may also be the token endpoint.', false),
    rules: RulesObject,
    enabled: shown(boolean({ description: 'False: it was removed.' })),
  } satisfies Record<keyof TokenIssuer | 'allowedAddresses' | 'authorities', Schema>,
  { ...CLOSED, title: 'TokenIssuer' },
);
export type WrittenTokenIssuer = ValueOf<typeof TokenIssuerObject>;

const CHECKS = ['required', 'if-available', 'off'] as const;

const REVOCATION = {
  crl: optional(oneOf(CHECKS, 'Revocation lists. Default: required with list files, else if-available.')),
  ocsp: usually(oneOf(CHECKS, 'Asking the authority about each certificate (OCSP).'), 'if-available'),
  crlFiles: usually(texts('List files on the machines of the service. New ones are named there.'), []),
  allowedAddresses: usually(texts(ADDRESSES), []),
  endGrants: flag('Whether grants end when their certificate is revoked.', true),
} satisfies Record<keyof ApprovedIssuer['revocation'], Schema>;

export const IssuerObject = object(
  {
    label: shown(text('Its name, and the label of derived identities.')),
    pem: text('PEM: the certificate of the authority, followed by intermediates. Its key never changes.'),
    identitySources: list(oneOf(IDENTITY_SOURCES, 'A part.'), 'Where the name of the caller is.', { minItems: 1 }),
    identities: usually(oneOf(['directory', 'derived'], 'Where identities come from.'), 'directory'),
    directories: usually(texts(DIRECTORIES), []),
    profile: usually(oneOf(['rfc5280', 'strict'], 'How strict it is.'), 'rfc5280'),
    curves: usually(list(oneOf(OPTIONAL_CURVES, 'A curve.'), 'Besides the usual curves.'), []),
    trustDomains: usually(texts('Of SPIFFE IDs.'), []),
    policies: usually(texts('Certificate policies, of which a path needs one.'), []),
    mlDsa: flag('Whether ML-DSA is accepted.', false),
    upnComparison: usually(oneOf(UPN_COMPARISONS, 'How user principal names compare.'), 'exact'),
    revocation: optional(object(REVOCATION, { ...CLOSED, description: 'How revocation is checked.' })),
    integrations: usually(texts('The only integrations that its certificates may use. Empty: all.'), []),
    enabled: shown(boolean({ description: 'False: it was removed.' })),
    subject: shown(text('Of the certificate.')),
    expires: shown(text('The date on which the certificate expires.')),
    fingerprint: shown(text('SHA-256 of the certificate.')),
    intermediates: shown(integer({ description: 'How many intermediates are stored with it.' })),
  } satisfies Record<
    Exclude<keyof ApprovedIssuer, 'certificate'> | 'pem' | 'subject' | 'expires' | 'fingerprint',
    Schema
  >,
  { ...CLOSED, title: 'Issuer' },
);
export type WrittenIssuer = ValueOf<typeof IssuerObject>;

/** What a file says of an identity. */
export const GroupsObject = object({ groups: texts('All of its groups.') }, CLOSED);

export const IdentityObject = object(
  {
    id: shown(described<IdentityId>({ type: 'string', description: 'Its id, which never changes.' })),
    userName: optional(text('Default: the name in the address.')),
    email: usually(text('For certificates with this address.'), ''),
    upn: usually(text('For certificates with this user principal name.'), ''),
    groups: usually(texts('All of its groups.'), []),
    mayUseApi: flag('Whether it may use integrations.', true),
    /** Certificates that carry the address are then refused for both. */
    mayShare: flag('Allow an address that another identity has.', false),
    password: optional(string({ description: 'Of a new identity. It is never shown.', writeOnly: true })),
    enabled: shown(boolean({ description: 'Whether it may use anything.' })),
    seenAt: shown(moment('When its directory last confirmed it.')),
    endedAt: shown(moment('When its directory had ended it.')),
  } satisfies Record<Exclude<keyof Identity, 'pushed'> | 'mayShare' | 'password', Schema>,
  { ...CLOSED, title: 'Identity' },
);
export type WrittenIdentity = ValueOf<typeof IdentityObject>;

/** The sections of a file, and what describes one thing of each. */
const SCHEMAS = {
  integrations: IntegrationObject,
  resourceServers: ResourceServerObject,
  issuers: IssuerObject,
  tokenIssuers: TokenIssuerObject,
  identities: GroupsObject,
} as const;
export type Section = keyof typeof SCHEMAS;

/** JSON Schema of the files that can be applied, for editors and for the reader. */
export const OBJECTS_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Objects',
  type: 'object',
  ...CLOSED,
  properties: Object.fromEntries(
    Object.entries(SCHEMAS).map(([section, schema]) => [section, { type: 'object', additionalProperties: schema }]),
  ),
};

/** A document of all of these: by section, then by name. */
export type Objects = { readonly [S in Section]?: Readonly<Record<string, object>> };

/** What applying a document does to one of them. */
export interface ObjectChange {
  readonly section: Section;
  readonly id: string;
  readonly does: 'create' | 'change' | 'remove';
  /** Field by field; empty for what is removed. */
  readonly fields: Changed['changed'];
}
