// The schemas of this door, used to read requests and for the OpenAPI document.
import { described, integer, object, optional, string, type ValueOf } from '../../schema.ts';

export const TokenParameters = object({
  client_id: optional(string({ description: 'The Client ID of the API integration. Case sensitive. Required.' })),
  grant_type: optional(
    string({
      description: 'urn:ietf:params:oauth:grant-type:device_code for the first token after Authorize/Device.',
    }),
  ),
  device_code: optional(string({ description: 'The device_code of Authorize/Device. Valid once only.' })),
  refresh_token: optional(string({ description: 'The newest refresh token of the grant.' })),
});

export const ScopeParameters = object({
  client_id: optional(string({ description: 'The Client ID of the API integration. Case sensitive. Required.' })),
  scope: optional(
    string({
      description:
        'The whole scope of the integration or a subset of it, for instance orders:read,write;stock:read. Required.',
    }),
  ),
});

export const TokenGrant = object({
  access_token: string({ description: 'Send it as Authorization: Bearer with other API calls.' }),
  refresh_token: optional(
    string({
      description: 'Use it once, when access_token expires. Absent where the integration offers no refresh.',
    }),
  ),
  expires_in: integer({ description: 'Seconds until access_token expires.' }),
  expires: integer({ description: 'Expiry of access_token, epoch seconds.' }),
  token_type: described<'Bearer'>({ type: 'string', const: 'Bearer' }),
  scope: string(),
  refresh_until: integer({ description: 'The grant ends here, epoch seconds.' }),
  identity: optional(
    string({ description: 'Authorize/Certificate only: the identity the certificate was mapped to.' }),
  ),
});

export const DeviceGrant = object({
  device_code: string({ description: 'For Authorize/Token. A secret.' }),
  user_code: string({ description: 'What the person types in the browser.' }),
  verification_uri: string(),
  verification_uri_complete: string(),
  expires_in: integer(),
  expires: integer(),
  interval: integer({ description: 'Seconds to wait between two polls.' }),
});

export const VerifiedToken = object({
  identity: string(),
  application: string({ description: 'client_id of the integration.' }),
  scope: string(),
  valid_for: integer({ description: 'The whole lifetime of the access token, in seconds.' }),
  access_issued_on: string(),
  access_issued_on_ISO8601: string(),
  access_issued_on_unix_time: integer(),
  grant_issued_on: string(),
  grant_issued_on_ISO8601: string(),
  grant_issued_on_unix_time: integer(),
  expires: string({ description: 'The end of the grant.' }),
  expires_ISO8601: string(),
  expires_unix_time: integer(),
});

export const ErrorBody = object({
  Error: string(),
  Error_description: optional(string()),
});

export type TokenParameters = ValueOf<typeof TokenParameters>;
export type ScopeParameters = ValueOf<typeof ScopeParameters>;
export type TokenGrant = ValueOf<typeof TokenGrant>;
export type DeviceGrant = ValueOf<typeof DeviceGrant>;
export type VerifiedToken = ValueOf<typeof VerifiedToken>;
