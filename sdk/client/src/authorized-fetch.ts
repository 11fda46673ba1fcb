// `fetch` with a token.
import { checkAddress } from './door/metadata.ts';

export interface TokenHandler {
  readonly get: () => Promise<string>;
  /** Another token than this one, which was answered with 401; undefined if there is none. */
  readonly replace: (rejected: string) => Promise<string | undefined>;
}

export async function authorizedFetch(
  url: string | URL,
  init: RequestInit | undefined,
  { get, replace }: TokenHandler,
): Promise<Response> {
  checkAddress('url', String(url));
  const token = await get();
  const response = await fetch(url, withToken(init, token));
  if (response.status !== 401 || !canRepeat(init?.body)) return response;
  const other = await replace(token);
  if (other === undefined) return response;
  await response.body?.cancel();
  return fetch(url, withToken(init, other));
}

function withToken(init: RequestInit | undefined, token: string): RequestInit {
  const headers = new Headers(init?.headers);
  headers.set('authorization', `Bearer ${token}`);
  return { ...init, headers };
}

/** A stream can be read only once. */
function canRepeat(body: unknown): boolean {
  return (
    !(body instanceof ReadableStream) && !(typeof body === 'object' && body !== null && Symbol.asyncIterator in body)
  );
}
