// What a token says, whether it was read from a JWT or by introspection.

export interface Claims {
  readonly identity: string;
  /** The user name of a person, which introspection has. */
  readonly name?: string;
  readonly integration: string;
  /** The address of the client's document, if it is a guest of the integration. */
  readonly guest?: string;
  /** `orders:read`, one by one. */
  readonly scope: readonly string[];
  /** Epoch seconds. */
  readonly issuedAt: number;
  readonly expiresAt: number;
  /** The id of the grant: what a revocation ends. */
  readonly grant: string;
  /** SHA-256 of the certificate that the token is bound to, in base64url. */
  readonly boundTo?: string;
  /** RFC 7638 thumbprint of the key that the token is bound to (DPoP), in base64url. */
  readonly boundToKey?: string;
  /** Whether an API exchanged another token for it (`act`): it ends with that one, which the revocation feed does not say. */
  readonly isExchanged?: true;
}

/** Undefined if a claim that every token has is missing. */
export function claimsOf(given: Readonly<Record<string, unknown>>): Claims | undefined {
  const { sub, client_id: client, integration = client, scope = '', iat, exp, jti, cnf, act, username: name } = given;
  if (typeof sub !== 'string' || typeof client !== 'string' || typeof integration !== 'string') return undefined;
  if (typeof scope !== 'string') return undefined;
  if (typeof iat !== 'number' || typeof exp !== 'number' || typeof jti !== 'string') return undefined;
  const { 'x5t#S256': boundTo, jkt: boundToKey } = (cnf ?? {}) as Record<string, unknown>;
  // A binding that is not known here must not be taken for none.
  if (cnf !== undefined && typeof boundTo !== 'string' && typeof boundToKey !== 'string') return undefined;
  return {
    identity: sub,
    ...(typeof name === 'string' && { name }),
    integration,
    ...(integration !== client && { guest: client }),
    scope: scope.split(' ').filter((item) => item !== ''),
    issuedAt: iat,
    expiresAt: exp,
    grant: jti.split('.')[0] ?? jti,
    ...(typeof boundTo === 'string' && { boundTo }),
    ...(typeof boundToKey === 'string' && { boundToKey }),
    ...(act !== undefined && { isExchanged: true }),
  };
}
