// Results as this door's JSON. snake_case and `Error_description` are only here and in schemas.ts.

import { quote } from '../../core/quote.ts';
import type { StartedDevice } from '../../operations/device/start-device.ts';
import type { CheckedToken } from '../../operations/grant/check-token.ts';
import type { TokenPair } from '../../operations/grant/token-pair.ts';
import { completeUri } from '../token/obtain.ts';
import { isoTime } from './iso-time.ts';
import type { DeviceGrant, ErrorKeys, VerifiedToken } from './schemas.ts';
import type { AuthsvcError } from './wording.ts';

export function errorBody(error: AuthsvcError, description: string, keys: ErrorKeys): Record<string, string> {
  return {
    ...(keys !== 'oauth' && { Error: error, Error_description: description }),
    ...(keys !== 'spec' && { error, error_description: description }),
  };
}

/**
 * Contract 2.1, as text; `identity` is present in Authorize/Certificate only. Put together by hand: JSON.stringify takes 1 % of a
 * refresh longer (`npm run bench -- --in-process`). Tokens need no escaping.
 */
export function tokenGrantText(pair: TokenPair, { withIdentity }: { withIdentity: boolean }): string {
  const { accessToken, refreshToken, expiresIn, expiresAt, scope, refreshUntil, identityId } = pair;
  const refresh = refreshToken ? `"refresh_token":"${refreshToken.reveal()}",` : '';
  const identity = withIdentity ? `,"identity":${quote(identityId)}` : '';
  return `{"access_token":"${accessToken.reveal()}",${refresh}"expires_in":${expiresIn},"expires":${expiresAt},"token_type":"Bearer","scope":${quote(scope)},"refresh_until":${refreshUntil}${identity}}`;
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

export function verifiedToken({ token, grant, scope, holder, issuedAt, boundTo }: CheckedToken): VerifiedToken {
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
    ...(boundTo !== undefined && { cnf: { 'x5t#S256': boundTo } }),
  };
}

function inMilliseconds(seconds: number): string {
  return `/Date(${seconds * 1000})/`;
}
