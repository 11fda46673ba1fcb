// What operators register, as it is written in requests, answers and files: the schema of each kind, what is left out, and
// how a stored row is written. A new field of a draft does not compile until it is here.
import type { Changed } from '../../core/act.ts';
import { IDENTITY_SOURCES, UPN_COMPARISONS } from '../../core/certificate.ts';
import type { Identity, IdentityId } from '../../core/identity.ts';
import {
  ACCESS_TOKEN_FORMATS,
  type Access,
  BINDINGS,
  type CodeFlow,
  type ExchangeEntry,
  type Integration,
  keyNames,
} from '../../core/integration.ts';
import { type ApprovedIssuer, OPTIONAL_CURVES } from '../../core/issuer.ts';
import type { ResourceServer } from '../../core/resource-server.ts';
import { isoTime, type Seconds, seconds } from '../../core/time.ts';
import { ASSERTION_ALGORITHMS, type TokenIssuer } from '../../core/token-issuer.ts';
import { boolean, described, integer, object, optional, type Schema, string, type ValueOf } from '../../schema.ts';
import { writtenRules } from './assertion-rules.ts';
import type { IdentityChange } from './change-identity.ts';
import type { IntegrationDraft } from './integration-draft.ts';
import type { ResourceServerDraft } from './resource-server-draft.ts';
import type { TokenIssuerDraft } from './token-issuer-draft.ts';

const CLOSED = { additionalProperties: false };

function text(description: string): Schema<string> {
  return string({ description });
}

function list<T>(items: Schema<T>, notes: object): Schema<readonly T[]> {
  return described({ type: 'array', items, ...notes });
}

function texts(description: string): Schema<readonly string[]> {
  return list(string(), { description });
}

function oneOf<const Values extends readonly string[]>(values: Values, description: string) {
  return described<Values[number]>({ type: 'string', enum: values, description });
}

function flag(description: string): Schema<boolean> {
  return boolean({ description });
}

/** In answers; ignored in requests. */
function shown<S extends Schema>(schema: S) {
  return optional({ ...schema, readOnly: true });
}

function lifetime(description: string): Schema<Seconds> {
  return described({ type: 'integer', minimum: 0, description: `${description} In seconds.` });
}

const AccessObject = described<Access>({
  description: 'Who may use it. identities: user names or ids.',
  anyOf: [
    object({ to: oneOf(['everyone'], 'Every identity.') }, CLOSED),
    object(
      {
        to: oneOf(['named'], 'Only these.'),
        identities: texts('User names or ids.'),
        groups: texts('Names of groups.'),
      },
      CLOSED,
    ),
  ],
});

const FLOWS = {
  device: optional(flag('By a person in a browser. Default: true.')),
  certificate: optional(flag('By client certificate. Default: true.')),
  assertion: optional(flag('By assertion of a token issuer. Default: false.')),
  secret: optional(flag('By a generated secret. Default: false.')),
  code: optional(
    described<CodeFlow | false>({
      description: 'By authorization code. Default: false. Without redirect URIs: for clients with a document.',
      anyOf: [
        object({ redirectUris: texts('Where the code may be sent.') }, CLOSED),
        { type: 'boolean', enum: [false] },
      ],
    }),
  ),
} satisfies Record<keyof Integration['flows'], Schema>;

const OVERRIDES = {
  accessTokenLifetime: optional(lifetime('How long access tokens work.')),
  grantLifetime: optional(lifetime('How long grants can be refreshed.')),
  refresh: optional(flag('Whether answers have a refresh token.')),
  refreshRetryWindow: optional(lifetime('How long a spent refresh token may be presented again.')),
  onReuse: optional(oneOf(['revoke', 'report'], 'What the reuse of a spent refresh token does.')),
} satisfies Record<keyof Integration['overrides'], Schema>;

const ExchangeObject = described<ExchangeEntry>({
  ...object({ integration: text('Its client id.'), scope: text('At most this.') }, CLOSED),
});

export const IntegrationObject = object(
  {
    clientId: shown(text('What callers send as client_id.')),
    name: optional(text('As people see it. Default: the client id.')),
    description: optional(text('What it is for.')),
    vendor: optional(text('Who makes it.')),
    scope: text('All that its tokens may carry, such as orders:read,write;stock:read.'),
    enabled: optional(flag('Default: true.')),
    flows: optional(object(FLOWS, { ...CLOSED, description: 'How callers may authorize.' })),
    access: optional(AccessObject),
    binding: optional(oneOf(BINDINGS, 'What a refresh must come with.')),
    accessTokenFormat: optional(oneOf(ACCESS_TOKEN_FORMATS, 'Of the access tokens of new grants.')),
    owners: optional(texts('Groups whose members look after it.')),
    overrides: optional(object(OVERRIDES, { ...CLOSED, description: 'Instead of the settings of the server.' })),
    tokenEndpointAudience: optional(flag('Whether aud of its assertions may be the token endpoint. Default: false.')),
    publicEnterprise: optional(flag('Whether assertions of an enterprise need no authentication. Default: false.')),
    secretAddresses: optional(texts('Where alone a secret works: addresses and networks.')),
    resourceServer: optional(text('The resource server that it runs.')),
    exchange: optional(list(ExchangeObject, { description: 'Who may exchange its tokens, and for which scope.' })),
    keys: shown(texts('The ids of its public keys, or where they are fetched from.')),
    secrets: shown(
      list(object({ createdAt: text('When it was made.'), endsAt: text('When it ends.') }), {
        description: 'The secrets that work now.',
      }),
    ),
  } satisfies Record<keyof IntegrationDraft | 'clientId' | 'keys' | 'secrets', Schema>,
  { ...CLOSED, title: 'Integration' },
);
export type WrittenIntegration = ValueOf<typeof IntegrationObject>;

export function completeIntegration(id: string, body: WrittenIntegration): Required<IntegrationDraft> {
  const { accessTokenLifetime, grantLifetime, refresh, refreshRetryWindow, onReuse } = body.overrides ?? {};
  return {
    name: body.name ?? id,
    description: body.description ?? '',
    vendor: body.vendor ?? '',
    scope: body.scope,
    enabled: body.enabled ?? true,
    flows: { device: true, certificate: true, assertion: false, secret: false, code: false, ...body.flows },
    access: body.access ?? { to: 'everyone' },
    binding: body.binding ?? 'none',
    accessTokenFormat: body.accessTokenFormat ?? 'opaque',
    owners: body.owners ?? [],
    tokenEndpointAudience: body.tokenEndpointAudience ?? false,
    publicEnterprise: body.publicEnterprise ?? false,
    secretAddresses: body.secretAddresses ?? [],
    resourceServer: body.resourceServer ?? '',
    exchange: body.exchange ?? [],
    // Undefined removes what is stored.
    overrides: { accessTokenLifetime, grantLifetime, refresh, refreshRetryWindow, onReuse } as Integration['overrides'],
  };
}

export function writtenIntegration(row: Integration): WrittenIntegration {
  const { scope, removed: _, keys, secrets, ...integration } = row;
  const made = secrets?.map(({ createdAt, endsAt }) => ({ createdAt: isoTime(createdAt), endsAt: isoTime(endsAt) }));
  return { ...integration, ...(keys && { keys: keyNames(keys) }), ...(made && { secrets: made }), scope: scope.text };
}

export const ResourceServerObject = object(
  {
    id: shown(text('By which it authenticates.')),
    audience: text('What aud and resource name: an absolute URI.'),
    name: optional(text('As people see it. Default: the id.')),
    resources: texts('The scope resources that it serves.'),
    enabled: optional(flag('Default: true.')),
    identity: optional(text('The identity whose certificate or token proves it: a user name or an id.')),
    secrets: shown(
      list(object({ createdAt: text('When it was made.') }), { description: 'The secrets that work now.' }),
    ),
  } satisfies Record<keyof ResourceServerDraft | 'id' | 'secrets', Schema>,
  { ...CLOSED, title: 'ResourceServer' },
);
export type WrittenResourceServer = ValueOf<typeof ResourceServerObject>;

export function completeResourceServer(id: string, body: WrittenResourceServer): Required<ResourceServerDraft> {
  const { audience, name = id, resources, enabled = true, identity = false } = body;
  return { audience, name, resources, enabled, identity };
}

/** Not even hashes of secrets are shown. */
export function writtenResourceServer(row: ResourceServer): WrittenResourceServer {
  const { removed: _, ...server } = row;
  const secrets = server.secrets.map(({ createdAt }) => ({ createdAt: isoTime(createdAt) }));
  return { ...server, secrets };
}

const KeysObject = described<{ from: 'discovery' } | { from: 'url'; url: string } | { from: 'file'; set: string }>({
  description: 'Where its public keys come from.',
  anyOf: [
    object({ from: oneOf(['discovery'], 'From its discovery document.') }, CLOSED),
    object({ from: oneOf(['url'], 'From this address.'), url: string() }, CLOSED),
    object(
      { from: oneOf(['file'], 'These keys.'), set: string({ description: 'A JSON Web Key Set, as text.' }) },
      CLOSED,
    ),
  ],
});

export const TokenIssuerObject = object(
  {
    label: shown(text('Its name, and the label of derived identities.')),
    issuer: text('The iss of its assertions. It never changes.'),
    keys: optional(KeysObject),
    allowedAddresses: optional(texts('Addresses off the public internet from which keys may be fetched.')),
    authorities: optional(text('PEM: the only authorities for the TLS connection.')),
    algorithms: optional(list(oneOf(ASSERTION_ALGORITHMS, 'An algorithm.'), { description: 'Default: RS256, ES256.' })),
    audience: optional(text('What aud must contain. Default: the address of this service.')),
    assertions: optional(oneOf(['once', 'reusable'], 'How often an assertion gives a grant. Default: once.')),
    maxAssertionLifetime: optional(lifetime('Default: 3600.')),
    kind: optional(oneOf(['platform', 'enterprise'], 'Whose assertions they are. Default: platform.')),
    tokenEndpointAudience: optional(flag('Whether aud may also be the token endpoint. Default: false.')),
    rules: described<readonly unknown[]>({
      type: 'array',
      items: { type: 'object' },
      description: 'Which workloads it may vouch for: docs/workloads.md.',
    }),
    enabled: shown(flag('False: it was removed.')),
  } satisfies Record<keyof TokenIssuerDraft | 'label' | 'issuer' | 'enabled', Schema>,
  { ...CLOSED, title: 'TokenIssuer' },
);
export type WrittenTokenIssuer = ValueOf<typeof TokenIssuerObject>;

export function completeTokenIssuer(body: WrittenTokenIssuer): Required<TokenIssuerDraft> {
  return {
    keys: body.keys ?? { from: 'discovery' },
    allowedAddresses: body.allowedAddresses ?? [],
    authorities: body.authorities ?? false,
    algorithms: body.algorithms ?? ['RS256', 'ES256'],
    audience: body.audience ?? false,
    assertions: body.assertions ?? 'once',
    maxAssertionLifetime: body.maxAssertionLifetime ?? seconds(3600),
    kind: body.kind ?? 'platform',
    tokenEndpointAudience: body.tokenEndpointAudience ?? false,
    rules: body.rules,
  };
}

export function writtenTokenIssuer({ keys, rules, kind, ...rest }: TokenIssuer): WrittenTokenIssuer {
  const { allowedAddresses, authorities, ...source } = { allowedAddresses: undefined, authorities: undefined, ...keys };
  return {
    ...rest,
    ...(kind === 'enterprise' && { kind }),
    keys: source,
    ...(allowedAddresses && { allowedAddresses }),
    ...(authorities !== undefined && { authorities }),
    rules: writtenRules(rules),
  };
}

const CHECKS = ['required', 'if-available', 'off'] as const;

const REVOCATION = {
  crl: optional(oneOf(CHECKS, 'Revocation lists. Default: required with list files, else if-available.')),
  ocsp: optional(oneOf(CHECKS, 'OCSP. Default: if-available.')),
  crlFiles: optional(texts('List files on the machines of the service. New ones are named there.')),
  allowedAddresses: optional(texts('Addresses off the public internet from which lists may be fetched.')),
  endGrants: optional(flag('Whether grants end when their certificate is revoked. Default: true.')),
} satisfies Record<keyof ApprovedIssuer['revocation'], Schema>;

export const IssuerObject = object(
  {
    label: shown(text('Its name, and the label of derived identities.')),
    pem: text('PEM: the certificate of the authority, followed by intermediates. Its key never changes.'),
    identitySources: list(oneOf(IDENTITY_SOURCES, 'A part of the certificate.'), {
      description: 'Where the name of the caller is.',
      minItems: 1,
    }),
    identities: optional(oneOf(['directory', 'derived'], 'Default: directory.')),
    profile: optional(oneOf(['rfc5280', 'strict'], 'Default: rfc5280.')),
    curves: optional(list(oneOf(OPTIONAL_CURVES, 'A curve.'), { description: 'Besides the usual curves.' })),
    trustDomains: optional(texts('Of SPIFFE IDs.')),
    policies: optional(texts('Certificate policies, of which a path needs one.')),
    mlDsa: optional(flag('Whether ML-DSA is accepted. Default: false.')),
    upnComparison: optional(oneOf(UPN_COMPARISONS, 'How user principal names compare. Default: exact.')),
    revocation: optional(object(REVOCATION, { ...CLOSED, description: 'How revocation is checked.' })),
    integrations: optional(texts('The only integrations that its certificates may use.')),
    enabled: shown(flag('False: it was removed.')),
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

/** Every field that a file can have. */
export function completedIssuer(body: WrittenIssuer) {
  const { pem, identitySources, identities = 'directory', profile = 'rfc5280', upnComparison = 'exact' } = body;
  const { curves = [], trustDomains = [], policies = [], integrations = [], mlDsa = false, revocation = {} } = body;
  const { ocsp = 'if-available', crlFiles = [], allowedAddresses = [], endGrants = true } = revocation;
  const { crl = crlFiles.length > 0 ? 'required' : 'if-available' } = revocation;
  return {
    ...{ pem, identitySources, identities, profile },
    ...{ curves, trustDomains, policies, mlDsa, upnComparison, integrations },
    revocation: { crl, ocsp, crlFiles, allowedAddresses, endGrants },
  };
}

/** What a file says of an identity. */
export const GroupsObject = object({ groups: texts('All of its groups.') }, CLOSED);

export const IdentityObject = object(
  {
    id: shown(described<IdentityId>({ type: 'string', description: 'Its id, which never changes.' })),
    userName: optional(text('Default: the name in the address.')),
    email: optional(text('For certificates with this address.')),
    upn: optional(text('For certificates with this user principal name.')),
    groups: optional(texts('All of its groups.')),
    mayUseApi: optional(flag('Default: true.')),
    mayShare: optional(flag('Allow an address that another identity has.')),
    password: optional(string({ description: 'Of a new identity. It is never shown.', writeOnly: true })),
    enabled: shown(flag('Whether it may use anything.')),
  } satisfies Record<keyof IdentityChange | keyof Identity | 'password', Schema>,
  { ...CLOSED, title: 'Identity' },
);
export type WrittenIdentity = ValueOf<typeof IdentityObject>;

export function completeIdentity(name: string, body: WrittenIdentity): Required<IdentityChange> {
  const { userName = name, email = '', upn = '', groups = [], mayUseApi = true, mayShare = false } = body;
  return { userName, email, upn, groups, mayUseApi, mayShare };
}

export const SECTIONS = ['integrations', 'resourceServers', 'issuers', 'tokenIssuers', 'identities'] as const;
export type Section = (typeof SECTIONS)[number];

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
