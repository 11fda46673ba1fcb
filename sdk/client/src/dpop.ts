// DPoP (RFC 9449): every request carries a proof of the key that the tokens are bound to.
import { createHash, randomUUID } from 'node:crypto';
import { privateKey } from './by/pem.ts';
import { publicJwk, signJwt } from './jwt.ts';

export class Dpop {
  readonly #key: string;
  /** The last nonce of each server. */
  readonly #nonces = new Map<string, string>();

  /** `key`: a PEM file, or its text. Loaded anew for every proof. */
  constructor(key: string) {
    this.#key = key;
  }

  proof(method: string, url: string, accessToken?: string): string {
    const key = privateKey('dpop key', this.#key);
    const { origin, pathname } = new URL(url);
    const nonce = this.#nonces.get(origin);
    const claims = {
      jti: randomUUID(),
      htm: method,
      htu: origin + pathname,
      iat: Math.floor(Date.now() / 1000),
      ...(nonce !== undefined && { nonce }),
      ...(accessToken !== undefined && { ath: createHash('sha256').update(accessToken).digest('base64url') }),
    };
    return signJwt({ typ: 'dpop+jwt', jwk: publicJwk(key) }, claims, key);
  }

  /** Keeps the nonce of an answer. Returns whether it is another one: then a refused proof is worth a second try. */
  learn(url: string, nonce: string | null | undefined): boolean {
    if (!nonce) return false;
    const { origin } = new URL(url);
    const isNew = this.#nonces.get(origin) !== nonce;
    this.#nonces.set(origin, nonce);
    return isNew;
  }
}
