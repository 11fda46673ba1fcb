// /account/provider/LABEL: sign-in at an OpenID provider begins here, and the browser returns here.
import { finishProviderSignIn } from '../../../operations/person/provider-sign-in.ts';
import { readUserCode } from '../device/enter-code.ts';
import type { Answer } from '../parts/answer.ts';
import { dropCookie, readCookie } from '../parts/cookies.ts';
import { refusalPage } from '../parts/refusal-page.ts';
import type { Form } from '../parts/route.ts';
import { isSecure, type Site, type Visit } from '../parts/visit.ts';
import { beginAt, goOn, redirectUri, SIGNED_OUT } from './sign-in.ts';
import { goOnOf } from './sign-in-page.ts';

type Provider = Site['ports']['directories']['providers'][number];

/** For the provider whose label is in the path. */
function atProvider(handle: (visit: Visit, provider: Provider, form: Form) => Promise<Answer>) {
  return async (visit: Visit, form: Form): Promise<Answer> => {
    const { label } = visit.request.params as { label?: string };
    const found = visit.site.ports.directories.providers.find((provider) => provider.label === label);
    return found ? handle(visit, found, form) : refusalPage(visit, { reason: 'not-found' });
  };
}

export const takeProvider = atProvider((visit, { label }, form) =>
  beginAt(visit, label, {
    code: readUserCode(form['user_code']),
    request: form['request'],
    goOn: goOnOf(form['go_on']),
  }),
);

export const showReturn = atProvider(async (visit, { label }) => {
  const { site, request } = visit;
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
  const next = await goOn(visit, begun, { ...attempt, goOn: goOnOf(attempt.goOn) });
  return { ...next, cookies: [...(next.cookies ?? []), dropCookie('provider', isSecure(site))] };
});

export const showSignOutThere = atProvider(async ({ site }, { provider }) => {
  const leaveTo = await provider.signOutUrl(site.publicUrl + SIGNED_OUT);
  return leaveTo === undefined ? { goTo: SIGNED_OUT } : { leaveTo };
});
