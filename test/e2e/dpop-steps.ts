// A caller with a key for DPoP proofs (RFC 9449 4.2).
import { createHash } from 'node:crypto';
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';

export interface DpopKey {
  readonly jwk: JWK;
  /** `undefined` removes a claim. */
  proof(claims: Record<string, unknown>, header?: Record<string, unknown>): Promise<string>;
}

let made = 0;

export async function dpopKey(alg = 'ES256'): Promise<DpopKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const jwk = await exportJWK(publicKey);
  return {
    jwk,
    proof: (claims, header = {}) => {
      const usual = { jti: `proof-${++made}`, htm: 'POST', iat: Math.floor(Date.now() / 1000), ...claims };
      const given = Object.fromEntries(Object.entries(usual).filter(([, value]) => value !== undefined));
      return new SignJWT(given).setProtectedHeader({ alg, typ: 'dpop+jwt', jwk, ...header }).sign(privateKey);
    },
  };
}

/** RFC 9449 4.2: what binds a proof to an access token. */
export function ath(accessToken: string): string {
  return createHash('sha256').update(accessToken).digest('base64url');
}
