import { randomUUID } from 'node:crypto';
import { signJwt } from '../jwt.ts';
import { privateKey as readPrivateKey } from './pem.ts';
import type { Way } from './way.ts';

export interface PrivateKeyOptions {
  /** The private key whose public one is registered (`tessera integration key add`): a PEM file, or its text. Read anew each time. */
  readonly key: string;
  /** The id of the key, if the integration has several of this kind. */
  readonly kid?: string | undefined;
  /** What the tokens are for, such as `orders:read`. Left out: everything the integration may do. */
  readonly scope?: string | undefined;
}

const LIFETIME_S = 60;

/** By a key of the integration itself (private_key_jwt, RFC 7523 2.2). Needs no person. */
export function privateKey({ key, kid, scope }: PrivateKeyOptions): Way {
  return {
    isAlone: true,
    todo: 'Ask the operator which keys the integration has: tessera integration key list',
    tls: () => undefined,
    client: (issuer, clientId) => {
      const iat = Math.floor(Date.now() / 1000);
      const claims = { iss: clientId, sub: clientId, aud: issuer, jti: randomUUID(), iat, exp: iat + LIFETIME_S };
      const client_assertion = signJwt({ typ: 'client-authentication+jwt', kid }, claims, readPrivateKey('key', key));
      return { client_assertion, client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer' };
    },
    start: (door, signal) => door.token({ grant_type: 'client_credentials', scope }, { signal }),
  };
}
