import type { GrantType } from '../../core/rules/token-request.ts';

export const DEVICE_GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:device_code';
export const REFRESH_GRANT_TYPE = 'refresh_token';

/** The grant type of a text as RFC 6749 and RFC 8628 define it. */
export function grantTypeOf(text: string | undefined): GrantType | undefined {
  if (text === undefined) return undefined;
  if (text === DEVICE_GRANT_TYPE) return 'device-code';
  return text === REFRESH_GRANT_TYPE ? 'refresh' : 'unknown';
}
