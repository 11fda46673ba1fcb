// A platform that gives assertions to workloads: keys, assertions, and a real server for the keys.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWK, type JWTHeaderParameters, SignJWT } from 'jose';
import { seconds } from '../src/core/time.ts';
import type { TokenIssuer } from '../src/core/token-issuer.ts';
import { NOW } from './samples.ts';

export const ISSUER = 'https://ci.example';
export const OUR_ISSUER = 'https://tokens.example';

export interface PlatformKey {
  readonly kid: string;
  readonly alg: string;
  readonly jwk: JWK;
  sign(claims?: Record<string, unknown>, header?: Partial<JWTHeaderParameters>): Promise<string>;
}

export async function platformKey(kid = 'k1', alg = 'ES256'): Promise<PlatformKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' };
  return {
    kid,
    alg,
    jwk,
    sign: (claims = {}, header = {}) =>
      new SignJWT(claimsOf(claims)).setProtectedHeader({ alg, kid, typ: 'JWT', ...header }).sign(privateKey),
  };
}

let signed = 0;

/** A job of acme/app on its main branch; `undefined` removes a claim. */
export function claimsOf(difference: Record<string, unknown> = {}, now: number = NOW): Record<string, unknown> {
  const usual = {
    iss: ISSUER,
    aud: OUR_ISSUER,
    sub: 'repo:acme/app:ref:refs/heads/main',
    repository: 'acme/app',
    ref: 'refs/heads/main',
    jti: `job-${++signed}`,
    iat: now,
    nbf: now,
    exp: now + 300,
  };
  return Object.fromEntries(Object.entries({ ...usual, ...difference }).filter(([, value]) => value !== undefined));
}

export function keySetOf(...keys: readonly { readonly jwk: JWK }[]): string {
  return JSON.stringify({ keys: keys.map(({ jwk }) => jwk) });
}

export function aTokenIssuer(difference: Partial<TokenIssuer> = {}): TokenIssuer {
  return {
    label: 'ci',
    issuer: ISSUER,
    keys: { from: 'discovery' },
    algorithms: ['RS256', 'ES256'],
    assertions: 'once',
    maxAssertionLifetime: seconds(3600),
    rules: [
      { conditions: [{ claim: '/repository', test: { is: 'acme/app' } }], identity: '{/sub}', identities: 'derived' },
    ],
    enabled: true,
    ...difference,
  };
}

export interface PlatformServer extends Disposable {
  close(): void;
  /** Its issuer and address. */
  readonly url: string;
  /** Requested paths, in order. */
  readonly asked: string[];
  /** What it publishes; changed by tests. */
  keys: readonly { readonly jwk: JWK }[];
  /** What it says that it is. */
  issuer: string;
  /** Another behaviour for a path. */
  readonly odd: Map<string, (response: ServerResponse, request: IncomingMessage) => void>;
}

export const DISCOVERY = '/.well-known/openid-configuration';

/** Discovery document and keys, over http or https on loopback. */
export async function platformServer(
  keys: PlatformServer['keys'] = [],
  tls?: { readonly pem: string; readonly key: string },
): Promise<PlatformServer> {
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const path = request.url ?? '';
    platform.asked.push(path);
    const odd = platform.odd.get(path);
    if (odd) odd(response, request);
    else if (path === DISCOVERY) response.end(documentOf(platform));
    else if (path === '/jwks') response.end(keySetOf(...platform.keys));
    else response.writeHead(404).end();
  };
  const server = tls ? createTlsServer({ cert: tls.pem, key: tls.key }, answer) : createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const url = tls ? `https://localhost:${port}` : `http://127.0.0.1:${port}`;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  const platform: PlatformServer = {
    url,
    asked: [],
    keys,
    issuer: url,
    odd: new Map(),
    close,
    [Symbol.dispose]: close,
  };
  return platform;
}

function documentOf({ issuer, url }: PlatformServer): string {
  return JSON.stringify({ issuer, jwks_uri: `${url}/jwks` });
}

/** The other valid signature (r, n - s) of the same ES256 key over the same text. Making it needs no private key. */
export function rewriteSignature(text: string): string {
  const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
  const [header = '', payload = '', signature = ''] = text.split('.');
  const bytes = Buffer.from(signature, 'base64url');
  const s = order - BigInt(`0x${bytes.subarray(32).toString('hex')}`);
  const rewritten = Buffer.concat([bytes.subarray(0, 32), Buffer.from(s.toString(16).padStart(64, '0'), 'hex')]);
  return `${header}.${payload}.${rewritten.toString('base64url')}`;
}
