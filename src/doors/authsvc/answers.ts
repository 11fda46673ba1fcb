// Results as this door's JSON. snake_case and `Error_description` are only here and in schemas.ts.

import type { StartedDevice } from '../../operations/device/start-device.ts';
import type { CheckedToken } from '../../operations/grant/check-token.ts';
import type { TokenPair } from '../../operations/grant/token-pair.ts';
import { completeUri } from '../token/obtain.ts';
import { isoTime } from './iso-time.ts';
import type { DeviceGrant, ErrorKeys, TokenGrant, VerifiedToken } from './schemas.ts';
import type { AuthsvcError } from './wording.ts';

export function errorBody(error: AuthsvcError, description: string, keys: ErrorKeys): Record<string, string> {
  return {
    ...(keys !== 'oauth' && { Error: error, Error_description: description }),
    ...(keys !== 'spec' && { error, error_description: description }),
  };
}

/** JSON leaves out what is undefined. */
type Sent<T> = { readonly [Name in keyof T]: T[Name] | undefined };

/** Contract 2.1; `identity` is present in Authorize/Certificate only. */
export function tokenGrant(pair: TokenPair, { withIdentity }: { withIdentity: boolean }): Sent<TokenGrant> {
  return {
    access_token: pair.accessToken.reveal(),
    refresh_token: pair.refreshToken?.reveal(),
    expires_in: pair.expiresIn,
    expires: pair.expiresAt,
    token_type: 'Bearer',
    scope: pair.scope,
    refresh_until: pair.refreshUntil,
    identity: withIdentity ? pair.identityId : undefined,
  };
}

export function deviceGrant(started: StartedDevice, verificationUri: string): DeviceGrant {
  return {
    device_code: started.deviceCode.reveal(),
    user_code: started.userCode,
    verification_uri: verificationUri,
    verification_uri_complete: completeUri(verificationUri, started),
    expires_in: started.expiresIn,
    expires: started.expiresAt,
    interval: started.interval,
  };
}

export function verifiedToken({ token, grant, scope, holder, issuedAt }: CheckedToken): VerifiedToken {
  return {
    identity: holder.id,
    application: grant.clientId,
    scope: scope.text,
    valid_for: token.expiresAt - issuedAt,
    access_issued_on: inMilliseconds(issuedAt),
    access_issued_on_ISO8601: isoTime(issuedAt),
    access_issued_on_unix_time: issuedAt,
    access_expires_ISO8601: isoTime(token.expiresAt),
    access_expires_unix_time: token.expiresAt,
    grant_issued_on: inMilliseconds(grant.createdAt),
    grant_issued_on_ISO8601: isoTime(grant.createdAt),
    grant_issued_on_unix_time: grant.createdAt,
    expires: inMilliseconds(grant.refreshUntil),
    expires_ISO8601: isoTime(grant.refreshUntil),
    expires_unix_time: grant.refreshUntil,
  };
}

function inMilliseconds(seconds: number): string {
  return `/Date(${seconds * 1000})/`;
}
