// Refusals for people: what happened, what to do now, as a page of its own or above a form.
import type { PageReason, Refusal } from '../../../core/refusal.ts';
import { recordRefusal } from '../../http/request-record.ts';
import { describe } from '../../token/descriptions.ts';
import type { Shown } from './answer.ts';
import { html } from './html.ts';
import { type Said, said } from './language.ts';
import type { Visit } from './visit.ts';
import { type PageRefusal, pageWording } from './wording.ts';

export interface Problem {
  readonly status: number;
  readonly reason?: PageReason;
  readonly said: Said;
  readonly retryAfter?: number | undefined;
}

export function problemOf({ language }: Visit, reason: PageReason): Problem {
  const { status, says } = pageWording(reason);
  return { status, reason, said: said(language.texts.refusalTexts[says]) };
}

/** Records the refusal for log and metrics. */
export function recordProblem(visit: Visit, refusal: PageRefusal): Problem {
  recordRefusal(visit.request, refusal);
  return { ...problemOf(visit, refusal.reason), retryAfter: refusal.retryAfter };
}

export function refusalPage(visit: Visit, refusal: PageRefusal): Shown {
  return verdict(visit, recordProblem(visit, refusal), documentText(refusal));
}

/** Which document of a client was refused, for the person to pass on to operators. */
function documentText({ claimed }: PageRefusal): string | undefined {
  if (claimed?.document === undefined) return undefined;
  const { document, why = '', allow } = claimed;
  return `${document}: ${why}.${allow === undefined ? '' : ` To allow it: ${allow}`}`;
}

/** What a program should learn, for the person to pass on. */
export function wrongRequestPage(visit: Visit, refusal: Refusal): Shown {
  recordRefusal(visit.request, refusal);
  const words = said(visit.language.texts.refusalTexts.requestWrong);
  return verdict(visit, { status: 400, said: words }, describe(refusal));
}

function verdict(visit: Visit, { status, said: { title, text }, retryAfter }: Problem, description?: string): Shown {
  const { refusal: words, layout } = visit.language.texts;
  const body = html`<div class="card verdict">
<p class="sign" aria-hidden="true">!</p>
<h1>${title}</h1>
<p>${text}</p>
${description && html`<p lang="en"><code>${description}</code></p>`}
<p class="ways"><a class="button quiet" href="/device">${words.toDevice}</a> <a class="button quiet" href="/account">${layout.account}</a></p>
${status >= 500 && html`<p class="small">${words.requestId(visit.request.id)}</p>`}
</div>`;
  return { status, page: { title, body }, retryAfter };
}
