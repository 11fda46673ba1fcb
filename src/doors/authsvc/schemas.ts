// The schemas of this door, used to read requests and for the OpenAPI document.
import { described, integer, named, object, optional, type Schema, string, type ValueOf } from '../../schema.ts';
import { DEVICE_GRANT_TYPE, REFRESH_GRANT_TYPE } from '../token/grant-type.ts';
import { AUTHSVC_ERRORS } from './wording.ts';

const clientId = string({
  description: 'The Client ID of the API integration. Case sensitive.',
  minLength: 1,
  maxLength: 128,
  examples: ['orders-sync'],
});
const scope = string({
  description: 'The whole scope of the integration or a subset of it.',
  minLength: 1,
  maxLength: 4096,
  examples: ['orders:read,write;stock:read'],
});
const deviceCode = string({
  description: 'The device_code of Authorize/Device. Valid once only.',
  minLength: 1,
  examples: ['tsd_EXAMPLE=='],
});
const refreshToken = string({
  description: 'The newest refresh token of the grant.',
  minLength: 1,
  examples: ['tsr_EXAMPLE=='],
});

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
const identity = { examples: ['local:{0a1b2c3d-0000-4000-8000-000000000001}'] };

const grantFields = {
  access_token: string({
    description: 'Send it as Authorization: Bearer with other API calls.',
    examples: ['tsa_EXAMPLE=='],
  }),
  refresh_token: optional(
    string({
      description: 'Use it once, when access_token expires. Absent where the integration offers no refresh.',
      examples: ['tsr_EXAMPLE=='],
    }),
  ),
  expires_in: lifetime('Seconds until access_token expires.'),
  expires: epoch('Expiry of access_token.'),
  token_type: described<'Bearer'>({ type: 'string', enum: ['Bearer'] }),
  scope: string({ description: 'The scope of the grant.', examples: ['orders:read,write;stock:read'] }),
  refresh_until: epoch('The grant ends here.'),
};

export const TokenGrant = named('TokenGrant', grantFields);

export const CertificateGrant = named('CertificateGrant', {
  ...grantFields,
  identity: string({ description: 'The identity that the certificate was mapped to.', ...identity }),
});

export const DeviceGrant = named('DeviceGrant', {
  device_code: string({ description: 'For Authorize/Token. A secret.', examples: ['tsd_EXAMPLE=='] }),
  user_code: string({ description: 'What the person types in the browser.', examples: ['BCDF-GHJK'] }),
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
  identity: string({ description: 'Who the token belongs to.', ...identity }),
  application: string({ description: 'client_id of the integration.', examples: ['orders-sync'] }),
  scope: string({ description: 'What the token allows at this moment.', examples: ['orders:read'] }),
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
