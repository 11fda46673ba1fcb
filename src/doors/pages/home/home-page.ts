// /: what this service is, and where to go.
import type { Answer } from '../parts/answer.ts';
import { type Html, html } from '../parts/html.ts';
import { type PageRoute, show } from '../parts/route.ts';
import type { Said } from '../parts/texts/catalogue.ts';
import type { Visit } from '../parts/visit.ts';

export const HOME_ROUTES: readonly PageRoute[] = [show('/', 'page-home', showHome)];

async function showHome({ language, site }: Visit): Promise<Answer> {
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

function placeOf(path: string, { title, text }: Said): Html {
  return html`<li class="card place"><h2><a href="${path}">${title}</a></h2><p>${text}</p></li>`;
}
