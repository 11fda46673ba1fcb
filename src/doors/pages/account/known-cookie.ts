// The cookie by which a browser is known after a sign-in.
import type { Secret } from '../../../tokens/secret.ts';
import { readCookie, writeLastingCookie } from '../parts/cookies.ts';
import { isSecure, type Site, type Visit } from '../parts/visit.ts';

export function readKnown({ request, site }: Pick<Visit, 'request' | 'site'>): string | undefined {
  return readCookie(request, 'known', isSecure(site));
}

export function writeKnown(cookie: Secret, site: Site): string {
  return writeLastingCookie('known', cookie.reveal(), site.ports.settings.knownBrowserLifetime, isSecure(site));
}
