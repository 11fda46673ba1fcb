// /account/provider/LABEL: sign-in at an OpenID provider begins here, and the browser returns here.
import type { IdentityId } from '../../../core/identity.ts';
import { finishProviderSignIn } from '../../../operations/person/provider-sign-in.ts';
import { readUserCode } from '../device/enter-code.ts';
import type { Answer } from '../parts/answer.ts';
import { dropCookie, readCookie } from '../parts/cookies.ts';
import { refusalPage } from '../parts/refusal-page.ts';
import type { Form } from '../parts/route.ts';
import { isSecure, type Visit } from '../parts/visit.ts';
import { beginAt, redirectUri, signOutUrl } from './provider.ts';
import { goOn } from './sign-in.ts';

function labelIn({ request, site }: Visit): string | undefined {
  const { label } = request.params as { label?: string };
  return site.ports.directories.providers.find((provider) => provider.label === label)?.label;
}

export async function takeProvider(visit: Visit, form: Form): Promise<Answer> {
  const label = labelIn(visit);
  if (label === undefined) return refusalPage(visit, { reason: 'not-found' });
  return beginAt(visit, label, { code: readUserCode(form['user_code']), request: form['request'] });
}

export async function showReturn(visit: Visit): Promise<Answer> {
  const { site, request } = visit;
  const label = labelIn(visit);
  if (label === undefined) return refusalPage(visit, { reason: 'not-found' });
  const finished = await finishProviderSignIn(
    {
      label,
      redirectUri: redirectUri(label, site),
      response: new URLSearchParams(request.url.split(/\?(.*)/s)[1]),
      cookie: readCookie(request, 'provider', isSecure(site)) ?? '',
      presenter: site.readConnection(request).presenter,
    },
    site.ports,
  );
  if (!finished.ok) return refusalPage(visit, finished.refusal);
  const { attempt, ...begun } = finished.value;
  const next = await goOn(visit, begun, attempt);
  return { ...next, cookies: [...(next.cookies ?? []), dropCookie('provider', isSecure(site))] };
}

export async function showSignOutThere(visit: Visit): Promise<Answer> {
  const url = await signOutUrl({ id: `${labelIn(visit)}:` as IdentityId }, visit.site);
  return url === undefined ? refusalPage(visit, { reason: 'not-found' }) : { leaveTo: url };
}
