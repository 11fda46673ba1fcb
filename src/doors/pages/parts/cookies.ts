import type { FastifyRequest } from 'fastify';
import type { Seconds } from '../../../core/time.ts';

/**
 * `session`: a signed-in person. `visitor`: a browser that has not signed in, so that its forms can be recognised.
 * `known`: a browser that somebody signed in with before; it outlives the session and opens nothing. `provider`: a browser whose person is
 * signing in at a provider.
 */
export type CookieName = 'session' | 'visitor' | 'known' | 'provider';

/** With the prefix, no neighbouring host and no plain connection can set it. Browsers refuse the prefix without TLS. */
function nameOf(cookie: CookieName, isSecure: boolean): string {
  const name = cookie === 'session' ? 'tessera' : `tessera-${cookie}`;
  return isSecure ? `__Host-${name}` : name;
}

export function readCookie(request: FastifyRequest, cookie: CookieName, isSecure: boolean): string | undefined {
  const prefix = `${nameOf(cookie, isSecure)}=`;
  const [found, ...others] = (request.headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(prefix));
  return others.length === 0 ? found?.slice(prefix.length) : undefined;
}

/**
 * It ends with the browser; the session behind it ends sooner (settings.sessionIdle). Lax rather than Strict: with Strict
 * a person who follows a verification_uri_complete from a chat or a mail would seem signed out. Lax cookies come with
 * navigation alone, which changes nothing here; and every form carries a token.
 */
export function writeCookie(cookie: CookieName, value: string, isSecure: boolean): string {
  return `${nameOf(cookie, isSecure)}=${value}; Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
}

export function writeLastingCookie(cookie: CookieName, value: string, lasts: Seconds, isSecure: boolean): string {
  return `${writeCookie(cookie, value, isSecure)}; Max-Age=${lasts}`;
}

export function dropCookie(cookie: CookieName, isSecure: boolean): string {
  return `${writeCookie(cookie, '', isSecure)}; Max-Age=0`;
}
