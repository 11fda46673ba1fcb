// The schemas of this door, used to read requests and for the OpenAPI document.
import type { ActClaim } from '../../core/grant.ts';
import { SCOPE_MAX_LENGTH } from '../../core/scope.ts';
import { described, integer, named, object, optional, type Schema, string, type ValueOf } from '../../schema.ts';
import { DEVICE_GRANT_TYPE, REFRESH_GRANT_TYPE } from '../token/grant-type.ts';
import { AUTHSVC_ERRORS } from './wording.ts';

const text = (description: string, example: string, limits: object = {}) =>
  string({ description, ...limits, examples: [example] });

const clientId = text('The Client ID of the API integration. Case sensitive.', 'orders-sync', {
  minLength: 1,
  maxLength: 128,
});
const scope = text('The whole scope of the integration or a subset of it.', 'orders:read,write;stock:read', {
  minLength: 1,
  maxLength: SCOPE_MAX_LENGTH,
});
const deviceCode = text('The device_code of Authorize/Device. Valid once only.', 'tsd_EXAMPLE==', { minLength: 1 });
const refreshToken = text('The newest refresh token of the grant.', 'tsr_EXAMPLE==', { minLength: 1 });

/** What Authorize/Token reads. Which of them a request needs depends on what it asks for. */
export const TokenParameters = object({
  client_id: optional(clientId),
  grant_type: optional(string()),
  device_code: optional(deviceCode),
  refresh_token: optional(refreshToken),
});

/** What Authorize/Certificate and Authorize/Device read. */
export const ScopeParameters = object({ client_id: optional(clientId), scope: optional(scope) });

// The same parameters for documents, with what a request must have. Documents name schemas by their titles.
export const RefreshRequest = named('RefreshRequest', {
  client_id: clientId,
  refresh_token: refreshToken,
  grant_type: optional(string({ description: 'May be absent.', enum: [REFRESH_GRANT_TYPE] })),
});

export const RedemptionRequest = named('RedemptionRequest', {
  client_id: clientId,
  grant_type: string({ enum: [DEVICE_GRANT_TYPE] }),
  device_code: deviceCode,
});

export const ScopeRequest = named('ScopeRequest', { client_id: clientId, scope });

const epoch = (description: string) =>
  integer({ description: `${description} Epoch seconds.`, examples: [1_800_000_000] });
const lifetime = (description: string) => integer({ description, minimum: 0, examples: [7_775_999] });
const isoTime = string({ format: 'date-time', examples: ['2027-01-15T08:00:00Z'] });
const inMilliseconds = string({
  description: 'Milliseconds since the epoch.',
  pattern: '^/Date\\(\\d+\\)/$',
  examples: ['/Date(1800000000000)/'],
});
const IDENTITY = 'local:{0a1b2c3d-0000-4000-8000-000000000001}';

const grantFields = {
  access_token: text('Send it as Authorization: Bearer with other API calls.', 'tsa_EXAMPLE=='),
  refresh_token: optional(
    text('Use it once, when access_token expires. Absent where the integration offers no refresh.', 'tsr_EXAMPLE=='),
  ),
  expires_in: lifetime('Seconds until access_token expires.'),
  expires: epoch('Expiry of access_token.'),
  token_type: described<'Bearer'>({ type: 'string', enum: ['Bearer'] }),
  scope: text('The scope of the grant.', 'orders:read,write;stock:read'),
  refresh_until: epoch('The grant ends here.'),
};

export const TokenGrant = named('TokenGrant', grantFields);

export const CertificateGrant = named('CertificateGrant', {
  ...grantFields,
  identity: text('The identity that the certificate was mapped to.', IDENTITY),
});

export const DeviceGrant = named('DeviceGrant', {
  device_code: text('For Authorize/Token. A secret.', 'tsd_EXAMPLE=='),
  user_code: text('What the person types in the browser.', 'BCDF-GHJK'),
  verification_uri: string({ format: 'uri', examples: ['https://tokens.example/device'] }),
  verification_uri_complete: string({
    format: 'uri',
    examples: ['https://tokens.example/device?user_code=BCDF-GHJK'],
  }),
  expires_in: integer({ description: 'Seconds until device_code expires.', minimum: 0, examples: [300] }),
  expires: epoch('Expiry of device_code.'),
  interval: integer({ description: 'Seconds to wait between two polls.', minimum: 0, examples: [5] }),
});

export const VerifiedToken = named('VerifiedToken', {
  identity: text('Who the token belongs to.', IDENTITY),
  application: text('client_id of the integration.', 'orders-sync'),
  scope: text('What the token allows at this moment.', 'orders:read'),
  valid_for: lifetime('The whole lifetime of the access token, in seconds.'),
  access_issued_on: inMilliseconds,
  access_issued_on_ISO8601: isoTime,
  access_issued_on_unix_time: epoch('When the access token was issued.'),
  access_expires_ISO8601: isoTime,
  access_expires_unix_time: epoch('When the access token expires. Unlike `expires`, which is the end of the grant.'),
  grant_issued_on: inMilliseconds,
  grant_issued_on_ISO8601: isoTime,
  grant_issued_on_unix_time: epoch('When the grant was issued.'),
  expires: inMilliseconds,
  expires_ISO8601: isoTime,
  expires_unix_time: epoch('The end of the grant, not of the access token.'),
  cnf: optional(
    object(
      { 'x5t#S256': string({ description: 'SHA-256 of the certificate, in base64url.' }) },
      {
        description:
          'The certificate that the caller must present with this token (RFC 8705 3.1), if it is bound to one.',
      },
    ),
  ),
  act: optional(
    described<ActClaim>({
      type: 'object',
      description: 'Who exchanged the token, and who did before (RFC 8693 4.1), if somebody did.',
    }),
  ),
});

export const Nothing = object({}, { title: 'Nothing', additionalProperties: false });

const code = string({ description: 'Why the request was refused.', enum: AUTHSVC_ERRORS });
const advice = string({ description: 'What to do next, for people.' });
const specError = { Error: code, Error_description: advice };
const oauthError = { error: code, error_description: advice };

/** How a mount spells the keys of an error: as the spec does, as OAuth does, or both. */
export type ErrorKeys = 'spec' | 'oauth' | 'both';

export const ERROR_BODIES: Readonly<Record<ErrorKeys, Schema>> = {
  spec: named('Refusal', specError),
  oauth: named('OauthRefusal', oauthError),
  // Not all four: generated clients in Go and Java would have two fields of one name.
  both: object(oauthError, {
    title: 'DoubleRefusal',
    description: 'Error and Error_description have the same values.',
    additionalProperties: string(),
  }),
};

export type TokenParameters = ValueOf<typeof TokenParameters>;
export type ScopeParameters = ValueOf<typeof ScopeParameters>;
/** `identity` is present in Authorize/Certificate only. */
export type TokenGrant = ValueOf<typeof TokenGrant> & Partial<ValueOf<typeof CertificateGrant>>;
export type DeviceGrant = ValueOf<typeof DeviceGrant>;
