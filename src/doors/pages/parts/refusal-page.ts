// A refusal as a page of its own: what happened, what to do now.
import type { Refusal } from '../../../core/refusal.ts';
import { recordRefusal } from '../../http/request-record.ts';
import { describe } from '../../token/descriptions.ts';
import type { Shown } from './answer.ts';
import { html } from './html.ts';
import type { Said } from './texts/en-refusals.ts';
import type { Visit } from './visit.ts';
import { PAGE_WORDING, type PageRefusal } from './wording.ts';

export function refusalPage(visit: Visit, refusal: PageRefusal): Shown {
  const { status } = PAGE_WORDING[refusal.reason];
  return { ...verdict(visit, status, wordRefusal(visit, refusal)), retryAfter: refusal.retryAfter };
}

/** What a program should learn, for the person to pass on. */
export function wrongRequestPage(visit: Visit, refusal: Refusal): Shown {
  recordRefusal(visit.request, refusal);
  return verdict(visit, 400, visit.language.texts.refusalTexts.requestWrong, describe(refusal));
}

function verdict(visit: Visit, status: number, { title, text }: Said, description?: string): Shown {
  const { refusal: words } = visit.language.texts;
  const body = html`<div class="card verdict">
<p class="sign" aria-hidden="true">!</p>
<h1>${title}</h1>
<p>${text}</p>
${description && html`<p lang="en"><code>${description}</code></p>`}
<p class="ways"><a class="button quiet" href="/device">${words.toDevice}</a> <a class="button quiet" href="/account">${words.toAccount}</a></p>
${status >= 500 && html`<p class="small">${words.requestId(visit.request.id)}</p>`}
</div>`;
  return { status, page: { title, body } };
}

/** Records the refusal for log and metrics, and returns the text for the person. */
export function wordRefusal(visit: Visit, refusal: PageRefusal): Said {
  recordRefusal(visit.request, refusal);
  return visit.language.texts.refusalTexts[PAGE_WORDING[refusal.reason].says];
}
