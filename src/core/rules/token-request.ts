import { accept, type Outcome, refuse } from '../outcome.ts';

/** The grant type a request names; a token door maps its own spelling to these. */
export type GrantType = 'device-code' | 'refresh' | 'unknown';

/** What arrived at a token door. Empty fields count as absent. */
export interface TokenRequestFields {
  readonly clientId?: string | undefined;
  readonly grantType?: GrantType | undefined;
  readonly deviceCode?: string | undefined;
  readonly refreshToken?: string | undefined;
}

export type TokenRequest =
  | { readonly kind: 'redeem'; readonly clientId: string; readonly deviceCode: string }
  | { readonly kind: 'refresh'; readonly clientId: string; readonly refreshToken: string };

/** Contract 4.1: redeem or refresh. The client comes first, then exactly one credential, then a grant type that fits it. */
export function readTokenRequest(fields: TokenRequestFields): Outcome<TokenRequest> {
  const { clientId, grantType, deviceCode, refreshToken } = fields;
  if (!clientId) return refuse('client-id-missing');
  if (deviceCode && refreshToken) return refuse('credential-ambiguous');
  if (deviceCode) {
    if (grantType !== 'device-code') return refuse('grant-type-unsupported');
    return accept({ kind: 'redeem', clientId, deviceCode });
  }
  if (!refreshToken) return refuse('credential-missing');
  if (grantType && grantType !== 'refresh') return refuse('grant-type-unsupported');
  return accept({ kind: 'refresh', clientId, refreshToken });
}
