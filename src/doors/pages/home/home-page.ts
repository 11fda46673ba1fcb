// /: what this service is, and where to go.
import type { Answer } from '../parts/answer.ts';
import { type Html, html } from '../parts/html.ts';
import { said } from '../parts/language.ts';
import { refusalPage } from '../parts/refusal-page.ts';
import { type PageRoute, show } from '../parts/route.ts';
import type { Visit } from '../parts/visit.ts';

export const HOME_ROUTES: readonly PageRoute[] = [show('/', 'page-home', showHome)];

/** Only `/` itself: the router also leads `*`, `?` and other odd request targets here. */
const HOME = /^\/(?:\?|$)/;

async function showHome(visit: Visit): Promise<Answer> {
  const { language, site, request } = visit;
  if (!HOME.test(request.raw.url ?? '')) return refusalPage(visit, { reason: 'not-found' });
  const { home: words } = language.texts;
  const body = html`<h1>${site.look.name}</h1>
<p class="lead">${words.lead}</p>
<ul class="places">
${placeOf('/device', words.device)}
${placeOf('/account', words.account)}
${placeOf('/docs', words.docs)}
</ul>`;
  return { page: { title: words.title, body } };
}

function placeOf(path: string, words: string): Html {
  const { title, text } = said(words);
  return html`<li class="card place"><h2><a href="${path}">${title}</a></h2><p>${text}</p></li>`;
}
