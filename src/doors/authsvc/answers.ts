// Results as this door's JSON. snake_case and `Error_description` are only here and in schemas.ts.

import { actClaim } from '../../core/grant.ts';
import { quote } from '../../core/quote.ts';
import type { EpochSeconds } from '../../core/time.ts';
import type { StartedDevice } from '../../operations/device/start-device.ts';
import type { CheckedToken } from '../../operations/grant/check-token.ts';
import type { TokenPair } from '../../operations/grant/token-pair.ts';
import { completeUri } from '../token/obtain.ts';
import { isoTime } from './iso-time.ts';
import type { DeviceGrant, ErrorKeys } from './schemas.ts';
import type { AuthsvcError } from './wording.ts';

export function errorBody(error: AuthsvcError, description: string, keys: ErrorKeys): Record<string, string> {
  return {
    ...(keys !== 'oauth' && { Error: error, Error_description: description }),
    ...(keys !== 'spec' && { error, error_description: description }),
  };
}

/** Contract 2.1, put together by hand: JSON.stringify takes 1 % of a refresh longer (`npm run lab -- bench --against FOLDER`). Tokens need no escaping. */
export function tokenGrantText(pair: TokenPair, { withIdentity }: { withIdentity: boolean }): string {
  const { accessToken, refreshToken, expiresIn, expiresAt, scope, refreshUntil, identityId } = pair;
  const refresh = refreshToken ? `"refresh_token":"${refreshToken.reveal()}",` : '';
  const identity = withIdentity ? `,"identity":${quote(identityId)}` : '';
  return `{"access_token":"${accessToken.reveal()}",${refresh}"expires_in":${Math.max(1, expiresIn)},"expires":${expiresAt},"token_type":"Bearer","scope":${quote(scope)},"refresh_until":${refreshUntil}${identity}}`;
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

/** As text for the same reason. */
export function verifiedTokenText({ token, grant, scope, holder, issuedAt, boundTo }: CheckedToken): string {
  const { expiresAt } = token;
  const cnf = boundTo === undefined ? '' : `,"cnf":{"x5t#S256":"${boundTo}"}`;
  const act = grant.terms?.actor ? `,"act":${JSON.stringify(actClaim(grant.terms.actor))}` : '';
  return (
    `{"identity":${quote(holder.id)},"application":${quote(grant.clientId)},"scope":${quote(scope.text)},"valid_for":${expiresAt - issuedAt},` +
    `${timesOf('access_issued_on', issuedAt)},"access_expires_ISO8601":"${isoTime(expiresAt)}","access_expires_unix_time":${expiresAt},` +
    `${timesOf('grant_issued_on', grant.createdAt)},${timesOf('expires', grant.refreshUntil)}${cnf}${act}}`
  );
}

/** One moment in the three forms of Verify. */
function timesOf(name: string, time: EpochSeconds): string {
  return `"${name}":"/Date(${time * 1000})/","${name}_ISO8601":"${isoTime(time)}","${name}_unix_time":${time}`;
}
