// The schemas of this door, used to read requests and for the OpenAPI document.
import { CLIENT_URL_MAX_LENGTH } from '../../core/client-document.ts';
import type { ActClaim } from '../../core/grant.ts';
import { boolean, described, integer, list, named, object, optional, string, type ValueOf } from '../../schema.ts';
import { GRANT_TYPES } from './grant-types.ts';
import { OAUTH_ERRORS } from './wording.ts';

const text = (description: string, ...examples: string[]) =>
  optional(string({ description, ...(examples.length > 0 && { examples }) }));
const clientId = (whose: string, maxLength: number, example: string) => {
  const description = `The id of the ${whose}, here or as user name of HTTP Basic. Case sensitive.`;
  return optional(string({ description, minLength: 1, maxLength, examples: [example] }));
};
const texts = (description: string) => optional(list(string(), { description }));
const flag = (description: string) => optional(boolean({ description }));
const epoch = (description: string) => optional(integer({ description: `${description} Epoch seconds.` }));

const CLIENT = {
  // The address of a guest may be longer than a registered id.
  client_id: clientId('API integration', CLIENT_URL_MAX_LENGTH, 'orders-sync'),
  client_secret: text('The generated secret of the integration, here or as password of HTTP Basic, if it has one.'),
  client_assertion: text(
    'A JWT that is signed with a key of the integration (RFC 7523 2.2). With client_credentials also the JWT of a platform.',
  ),
  client_assertion_type: text('With client_assertion: urn:ietf:params:oauth:client-assertion-type:jwt-bearer.'),
};

const WANTED = {
  scope: text(
    'Items separated by spaces, for instance orders:read stock:read. Absent: the whole scope; on a refresh, that of the grant.',
    'orders:read stock:read',
  ),
  resource: texts(
    'Audiences of resource servers; may be repeated. Limits the grant to them (RFC 8707). On a refresh, absent or the same.',
  ),
};

// Requests as documents show them, with what a request must have. They are read by the same properties: each may be absent.

export const TokenForm = named('OauthTokenRequest', {
  ...CLIENT,
  grant_type: string({
    description:
      'How the token is obtained. Each needs its own parameter; client_credentials a client certificate, assertion or secret.',
    enum: GRANT_TYPES,
  }),
  device_code: text('For a device code. Valid once only.'),
  code: text('For authorization_code: the code that the redirect carried. Valid once only.'),
  redirect_uri: text('For authorization_code: as in the authorization request.'),
  code_verifier: text('For authorization_code: what code_challenge was made from (RFC 7636).'),
  refresh_token: text('For a refresh: the newest refresh token of the grant.'),
  assertion: text('For jwt-bearer: the JWT that the platform gave to the workload.'),
  ...WANTED,
  subject_token: text('For a token exchange: the access token that this API received, or the JWT of a platform.'),
  subject_token_type: text('urn:ietf:params:oauth:token-type:access_token or urn:ietf:params:oauth:token-type:jwt.'),
  requested_token_type: text('Absent, or urn:ietf:params:oauth:token-type:access_token.'),
  audience: texts('For a token exchange: ids or audiences of resource servers, as resource.'),
});

export const DeviceForm = named('OauthDeviceRequest', { ...CLIENT, ...WANTED });

export const RevocationForm = named('OauthRevocationRequest', {
  ...CLIENT,
  token: string({ description: 'A refresh or access token of any generation.', minLength: 1 }),
  token_type_hint: text('Not needed; ignored.'),
});

export const IntrospectionForm = named('OauthIntrospectionRequest', {
  client_id: clientId('resource server', 128, 'orders-api'),
  client_secret: text('The secret of the resource server, here or as password of HTTP Basic.'),
  token: string({ description: 'The access token that a caller sent.', minLength: 1 }),
  token_type_hint: text('Not needed; ignored.'),
});

/** Read as well, to be refused: the client that authenticates is the actor; resource servers have no assertions. */
export const TokenParameters = object({ ...TokenForm.properties, actor_token: text('Refused.') });
export const IntrospectionParameters = object({ ...IntrospectionForm.properties, client_assertion: text('Refused.') });

const tokenType = described<'Bearer' | 'DPoP'>({ type: 'string', enum: ['Bearer', 'DPoP'] });

export const TokenAnswer = named('OauthTokenGrant', {
  access_token: string({ description: 'Send it as Authorization: Bearer with other API calls.' }),
  token_type: tokenType,
  expires_in: integer({ description: 'Seconds until access_token expires.', minimum: 0 }),
  scope: string({ description: 'Every permission by itself, sorted, separated by spaces.' }),
  refresh_token: text('Use it once. Absent if the grant cannot be refreshed.'),
  refresh_token_expires_in: optional(integer({ description: 'Seconds until the grant ends.', minimum: 0 })),
  issued_token_type: text('Of a token exchange: that access_token is one.'),
});

export const IntrospectionAnswer = named('IntrospectedToken', {
  active: boolean({
    description: 'Whether this is a live access token for this resource server. If false, nothing else is said.',
  }),
  scope: text('The permissions that concern this resource server, separated by spaces.'),
  client_id: text('The integration that the token was issued to, or the address of its guest.'),
  integration: text('The integration, if client_id is the address of a guest.'),
  sub: text('The identity that the token belongs to.'),
  username: text('The user name, if that is a person.'),
  token_type: optional(tokenType),
  exp: epoch('When the token expires.'),
  iat: epoch('When the token was issued.'),
  aud: text('The audience of this resource server.'),
  iss: text('The issuer: this server.'),
  jti: text('An id of the token: the grant and the generation.'),
  cnf: optional(
    object(
      {
        'x5t#S256': text('SHA-256 of the certificate, in base64url.'),
        jkt: text('SHA-256 of the key of DPoP proofs, in base64url.'),
      },
      { description: 'The certificate (RFC 8705 3.1) or key (RFC 9449 6.1) that the token is bound to, if it is.' },
    ),
  ),
  act: optional(
    described<ActClaim>({
      type: 'object',
      description: 'Who exchanged the token, and who did before (RFC 8693 4.1).',
    }),
  ),
});

export const DeviceAnswer = named('OauthDeviceGrant', {
  device_code: string({ description: 'For the token endpoint. A secret.' }),
  user_code: string({ description: 'What the person types in the browser.' }),
  verification_uri: string(),
  verification_uri_complete: string(),
  expires_in: integer(),
  interval: integer({ description: 'Seconds to wait between two polls.' }),
});

const ENDPOINTS = {
  token_endpoint: string(),
  revocation_endpoint: string(),
  introspection_endpoint: string(),
  revocation_feed_endpoint: string({ description: 'The revocation feed, for resource servers.' }),
};

export const Metadata = named('ServerMetadata', {
  issuer: string(),
  ...ENDPOINTS,
  token_endpoint_auth_methods_supported: list(string()),
  token_endpoint_auth_signing_alg_values_supported: list(string()),
  revocation_endpoint_auth_signing_alg_values_supported: list(string()),
  dpop_signing_alg_values_supported: list(string()),
  authorization_grant_profiles_supported: list(string()),
  grant_types_supported: list(string()),
  response_types_supported: list(string()),
  subject_types_supported: list(string()),
  scopes_supported: texts('What tokens of the integrations can be for.'),
  id_token_signing_alg_values_supported: texts('The algorithms of JWT access tokens. There are no ID tokens.'),
  device_authorization_endpoint: optional(string()),
  authorization_endpoint: text('Present if an integration uses authorization codes.'),
  code_challenge_methods_supported: optional(list(string())),
  authorization_response_iss_parameter_supported: optional(boolean()),
  client_id_metadata_document_supported: flag(
    'Whether client_id may be the address of a document that describes the client.',
  ),
  revocation_endpoint_auth_methods_supported: list(string()),
  jwks_uri: string(),
  tls_client_certificate_bound_access_tokens: boolean(),
  introspection_endpoint_auth_methods_supported: list(string()),
  mtls_endpoint_aliases: optional(
    object(ENDPOINTS, {
      description: 'Where callers with a client certificate find the same endpoints (RFC 8705 5).',
    }),
  ),
});

export const ResourceMetadata = named('ResourceMetadata', {
  resource: string({ description: 'The audience of the resource server.' }),
  authorization_servers: list(string()),
  bearer_methods_supported: list(string()),
  resource_name: string(),
  scopes_supported: texts('What tokens for it can be for.'),
});

/** One state. Which members there are depends on `type`. */
export const FeedEntry = named('RevocationEntry', {
  type: string({ description: 'grant, identity, integration or keys.' }),
  grant: text('The id of a grant that has ended: the first part of jti.'),
  identity: text('SHA-256 of sub, in hex.'),
  allowed: flag('Whether tokens of this identity are valid.'),
  except: texts('Integrations that the identity may not use all the same.'),
  client_id: text('An integration.'),
  enabled: flag('Whether tokens of this integration are valid.'),
  scope: text('The most that its tokens allow at this resource server, separated by spaces.'),
  recheck_before: epoch('Tokens of this integration with a lower iat must be introspected.'),
  changed: epoch('When a signing key was removed: fetch the keys again.'),
  keep_until: epoch('After this time, no token is affected.'),
});

export const Snapshot = named('RevocationSnapshot', {
  cursor: string({ description: 'Where the stream begins: Last-Event-ID or after.' }),
  audience: string({ description: 'Of this resource server, as it is registered: aud of its tokens.' }),
  entries: list(FeedEntry, { description: 'Later ones replace earlier ones about the same.' }),
  next: text('The next page: page. Absent on the last one.'),
});

const PublicKey = named('PublicKey', {
  kid: string({ description: 'The name of the key: kid in the header of its tokens.' }),
  alg: string({ description: 'ES256, EdDSA or RS256.' }),
  use: described<'sig'>({ type: 'string', enum: ['sig'] }),
  kty: string(),
  crv: optional(string()),
  x: optional(string()),
  y: optional(string()),
  n: optional(string()),
  e: optional(string()),
});

export const KeySet = named('KeySet', {
  keys: list(PublicKey, {
    description: 'Every key that could have signed a living token, and the next ones (RFC 7517).',
  }),
});

/** Of requests that succeed without a result. */
export const NoAnswer = described<object>({ title: 'OauthNothing', type: 'object', additionalProperties: false });

export const ErrorAnswer = named('OauthError', {
  error: string({ description: 'Why the request was refused.', enum: OAUTH_ERRORS }),
  error_description: string({ description: 'What to do next, for people.' }),
});

export type TokenParameters = Partial<ValueOf<typeof TokenParameters>>;
export type DeviceParameters = Partial<ValueOf<typeof DeviceForm>>;
export type RevocationParameters = Partial<ValueOf<typeof RevocationForm>>;
export type IntrospectionParameters = Partial<ValueOf<typeof IntrospectionParameters>>;
export type ClientParameters = Pick<TokenParameters, keyof typeof CLIENT>;
export type IntrospectionAnswer = ValueOf<typeof IntrospectionAnswer>;
export type FeedEntry = ValueOf<typeof FeedEntry>;
export type Snapshot = ValueOf<typeof Snapshot>;
export type TokenAnswer = ValueOf<typeof TokenAnswer>;
export type DeviceAnswer = ValueOf<typeof DeviceAnswer>;
export type KeySet = ValueOf<typeof KeySet>;
export type ResourceMetadata = ValueOf<typeof ResourceMetadata>;
export type Metadata = ValueOf<typeof Metadata>;
export type ErrorAnswer = ValueOf<typeof ErrorAnswer>;
