import { accept, type Outcome, refuse } from '../outcome.ts';

export const DEVICE_GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:device_code';

/** What arrived at Authorize/Token, absent and empty being the same. */
export interface TokenRequest {
  readonly clientId?: string | undefined;
  readonly grantType?: string | undefined;
  readonly deviceCode?: string | undefined;
  readonly refreshToken?: string | undefined;
}

export type TokenWish =
  | { readonly kind: 'redeem'; readonly clientId: string; readonly deviceCode: string }
  | { readonly kind: 'refresh'; readonly clientId: string; readonly refreshToken: string };

/** Contract 4.1: which of its two things Authorize/Token is asked to do. client_id first, then exactly one credential. */
export function readTokenRequest(request: TokenRequest): Outcome<TokenWish> {
  const { clientId, grantType, deviceCode, refreshToken } = request;
  if (!clientId) return refuse('client-id-missing');
  if (deviceCode && refreshToken) return refuse('credential-ambiguous');
  if (deviceCode) {
    if (grantType !== DEVICE_GRANT_TYPE) return refuse('grant-type-unsupported');
    return accept({ kind: 'redeem', clientId, deviceCode });
  }
  if (!refreshToken) return refuse('credential-missing');
  if (grantType && grantType !== 'refresh_token') return refuse('grant-type-unsupported');
  return accept({ kind: 'refresh', clientId, refreshToken });
}
