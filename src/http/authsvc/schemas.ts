// The shapes of this dialect: requests are read by them, and the OpenAPI document shows them. snake_case lives here.
import { type Static, Type } from 'typebox';

export const TokenParameters = Type.Object({
  client_id: Type.Optional(
    Type.String({ description: 'The Client ID of the API integration. Case sensitive. Required.' }),
  ),
  grant_type: Type.Optional(
    Type.String({
      description: 'urn:ietf:params:oauth:grant-type:device_code for the first token after Authorize/Device.',
    }),
  ),
  device_code: Type.Optional(Type.String({ description: 'The device_code of Authorize/Device. Valid once only.' })),
  refresh_token: Type.Optional(Type.String({ description: 'The newest refresh token of the grant.' })),
});

export const ScopeParameters = Type.Object({
  client_id: Type.Optional(
    Type.String({ description: 'The Client ID of the API integration. Case sensitive. Required.' }),
  ),
  scope: Type.Optional(
    Type.String({
      description:
        'The whole scope of the integration or a subset of it, for instance orders:read,write;stock:read. Required.',
    }),
  ),
});

export const TokenGrant = Type.Object({
  access_token: Type.String({ description: 'Send it as Authorization: Bearer with other API calls.' }),
  refresh_token: Type.Optional(
    Type.String({
      description: 'Use it once, when access_token expires. Absent where the integration offers no refresh.',
    }),
  ),
  expires_in: Type.Integer({ description: 'Seconds until access_token expires.' }),
  expires: Type.Integer({ description: 'Expiry of access_token, epoch seconds.' }),
  token_type: Type.Literal('Bearer'),
  scope: Type.String(),
  refresh_until: Type.Integer({ description: 'The grant ends here, epoch seconds.' }),
  identity: Type.Optional(
    Type.String({ description: 'Authorize/Certificate only: the identity the certificate was mapped to.' }),
  ),
});

export const DeviceGrant = Type.Object({
  device_code: Type.String({ description: 'For Authorize/Token. A secret.' }),
  user_code: Type.String({ description: 'What the person types in the browser.' }),
  verification_uri: Type.String(),
  verification_uri_complete: Type.String(),
  expires_in: Type.Integer(),
  expires: Type.Integer(),
  interval: Type.Integer({ description: 'Seconds to wait between two polls.' }),
});

export const VerifiedToken = Type.Object({
  identity: Type.String(),
  application: Type.String({ description: 'client_id of the integration.' }),
  scope: Type.String(),
  valid_for: Type.Integer({ description: 'The whole lifetime of the access token, in seconds.' }),
  access_issued_on: Type.String(),
  access_issued_on_ISO8601: Type.String(),
  access_issued_on_unix_time: Type.Integer(),
  grant_issued_on: Type.String(),
  grant_issued_on_ISO8601: Type.String(),
  grant_issued_on_unix_time: Type.Integer(),
  expires: Type.String({ description: 'The end of the grant.' }),
  expires_ISO8601: Type.String(),
  expires_unix_time: Type.Integer(),
});

export const ErrorBody = Type.Object({
  Error: Type.String(),
  Error_description: Type.Optional(Type.String()),
});

export type TokenParameters = Static<typeof TokenParameters>;
export type ScopeParameters = Static<typeof ScopeParameters>;
export type TokenGrant = Static<typeof TokenGrant>;
export type DeviceGrant = Static<typeof DeviceGrant>;
export type VerifiedToken = Static<typeof VerifiedToken>;
