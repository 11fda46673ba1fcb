// `fetch` with a token.

import { checkAddress } from './door/metadata.ts';
import type { Dpop } from './dpop.ts';

export interface TokenHandler {
  readonly get: () => Promise<string>;
  /** Another token than this one, which was answered with 401; undefined if there is none. */
  readonly replace: (rejected: string) => Promise<string | undefined>;
  readonly dpop?: Dpop | undefined;
}

export async function authorizedFetch(
  url: string | URL,
  init: RequestInit | undefined,
  { get, replace, dpop }: TokenHandler,
): Promise<Response> {
  checkAddress('url', String(url));
  const token = await get();
  const send = async (token: string) => {
    const response = await fetch(url, withToken(url, init, token, dpop));
    const isNew = dpop?.learn(String(url), response.headers.get('dpop-nonce')) ?? false;
    if (response.status !== 401 || !isNew || !canRepeat(init?.body)) return response;
    await response.body?.cancel();
    return fetch(url, withToken(url, init, token, dpop)); // RFC 9449 9: with the nonce of this API
  };
  const response = await send(token);
  if (response.status !== 401 || !canRepeat(init?.body)) return response;
  const other = await replace(token);
  if (other === undefined) return response;
  await response.body?.cancel();
  return send(other);
}

function withToken(
  url: string | URL,
  init: RequestInit | undefined,
  token: string,
  dpop: Dpop | undefined,
): RequestInit {
  const headers = new Headers(init?.headers);
  headers.set('authorization', `${dpop ? 'DPoP' : 'Bearer'} ${token}`);
  if (dpop) headers.set('dpop', dpop.proof(init?.method?.toUpperCase() ?? 'GET', String(url), token));
  return { ...init, headers };
}

/** A stream can be read only once. */
function canRepeat(body: unknown): boolean {
  return (
    !(body instanceof ReadableStream) && !(typeof body === 'object' && body !== null && Symbol.asyncIterator in body)
  );
}
