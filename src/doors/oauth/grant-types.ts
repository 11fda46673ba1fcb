import { DEVICE_GRANT_TYPE, REFRESH_GRANT_TYPE } from '../token/grant-type.ts';
import type { GrantCredential } from './wording.ts';

export const CODE_GRANT_TYPE = 'authorization_code';
export const CERTIFICATE_GRANT_TYPE = 'client_credentials';
export const ASSERTION_GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
export const EXCHANGE_GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:token-exchange';

/** What each grant type presents. */
export const CREDENTIALS: ReadonlyMap<string, GrantCredential> = new Map([
  [DEVICE_GRANT_TYPE, 'device-code'],
  [CODE_GRANT_TYPE, 'code'],
  [REFRESH_GRANT_TYPE, 'refresh-token'],
  [CERTIFICATE_GRANT_TYPE, 'certificate'],
  [ASSERTION_GRANT_TYPE, 'assertion'],
  [EXCHANGE_GRANT_TYPE, 'subject-token'],
]);

export const GRANT_TYPES: readonly string[] = [...CREDENTIALS.keys()];
