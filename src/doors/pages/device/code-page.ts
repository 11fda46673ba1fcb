// /device, first step: the person types the code, or compares the one in the address.
import type { Shown } from '../parts/answer.ts';
import { type Html, html } from '../parts/html.ts';
import { alertBox, postForm } from '../parts/layout.ts';
import type { Said } from '../parts/texts/en-refusals.ts';
import type { Visit } from '../parts/visit.ts';

export interface CodeProblem {
  readonly status: number;
  readonly said: Said;
}

/** Asks for the code; after a problem, shows what was typed, so that it is easy to correct. */
export function codePage(visit: Visit, typed = '', problem?: CodeProblem): Shown {
  const { code: words } = visit.language.texts;
  const field = html`<div class="field">
<label for="user_code">${words.label}</label>
<input class="code-input" id="user_code" name="user_code" value="${typed}" required maxlength="40" autocomplete="off"
 autocapitalize="characters" spellcheck="false" autofocus aria-describedby="user_code_hint"${problem && html` aria-invalid="true"`}>
<p class="hint" id="user_code_hint">${words.hint}</p>
</div>
<button class="button">${words.next}</button>`;
  const body = html`<div class="card">
${problem && alertBox(problem.said.title, problem.said.text)}
<h1>${words.title}</h1>
<p class="lead">${words.lead}</p>
${postForm(visit, '/device', field)}
</div>
${warning(visit)}`;
  return { page: { title: words.title, body }, ...(problem && { status: problem.status }) };
}

/** RFC 8628 3.3.1: the code that came with the address is compared by the person before anything else happens. */
export function comparePage(visit: Visit, code: string): Shown {
  const { code: words, last } = visit.language.texts;
  const fields = html`<input type="hidden" name="user_code" value="${code}">
<button class="button">${words.next}</button>`;
  const body = html`<div class="card">
<h1>${words.checkTitle}</h1>
<p class="code-shown" translate="no">${code}</p>
<p class="lead">${words.check}</p>
${postForm(visit, '/device', fields)}
<p class="aside"><a href="/device">${last.another}</a></p>
</div>
${warning(visit)}`;
  return { page: { title: words.checkTitle, body } };
}

function warning(visit: Visit): Html {
  const { code: words } = visit.language.texts;
  return html`<aside class="warning"><h2>${words.warningTitle}</h2><p>${words.warning}</p></aside>`;
}
