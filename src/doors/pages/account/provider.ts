// Sign-in at an OpenID provider: the way there, and the way out.
import { type Identity, labelOf } from '../../../core/identity.ts';
import { PROVIDER_LIFETIME } from '../../../core/rules/sign-in.ts';
import { beginProviderSignIn } from '../../../operations/person/provider-sign-in.ts';
import type { Answer } from '../parts/answer.ts';
import { writeLastingCookie } from '../parts/cookies.ts';
import { refusalPage } from '../parts/refusal-page.ts';
import { isSecure, type Site, type Visit } from '../parts/visit.ts';
import { providerPath, type SignInForm } from './sign-in-page.ts';

export const SIGNED_OUT = '/account/sign-in?done=signed-out';

/** Sends the browser to the provider. What the person goes on with is in a cookie meanwhile. */
export async function beginAt(visit: Visit, label: string, { code, request }: SignInForm): Promise<Answer> {
  const { site, person } = visit;
  const asked = { label, redirectUri: redirectUri(label, site), isAgain: person !== undefined, code, request };
  const begun = await beginProviderSignIn(asked, site.ports);
  if (!begun.ok) return refusalPage(visit, begun.refusal);
  const { url, cookie } = begun.value;
  return {
    leaveTo: url,
    cookies: [writeLastingCookie('provider', cookie.reveal(), PROVIDER_LIFETIME, isSecure(site))],
  };
}

export function redirectUri(label: string, { publicUrl }: Site): string {
  return publicUrl + providerPath(label);
}

/** Undefined if the identity has not signed in at a provider, or cannot sign out there now. */
export async function signOutUrl(
  identity: Pick<Identity, 'id'>,
  { ports, publicUrl }: Site,
): Promise<string | undefined> {
  const found = ports.directories.providers.find(({ label }) => label === labelOf(identity));
  return found?.provider.signOutUrl(publicUrl + SIGNED_OUT).catch(() => undefined);
}
