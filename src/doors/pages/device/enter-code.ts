// /device, first step: the person types the code, or compares the one in the address; and the code as a picture to scan.

import { encode } from 'uqr';
import { enterUserCode } from '../../../operations/device/decide-device.ts';
import { normalizeUserCode } from '../../../tokens/user-code.ts';
import type { Answer, Shown } from '../parts/answer.ts';
import { type Html, html } from '../parts/html.ts';
import { faultBox, hiddenFields, inputField, postForm } from '../parts/layout.ts';
import { type Problem, problemOf, recordProblem, refusalPage } from '../parts/refusal-page.ts';
import type { Form } from '../parts/route.ts';
import { type PersonVisit, queryOf, type Visit } from '../parts/visit.ts';

/** A well-formed user code as it is shown, else undefined. Does not look it up. */
export function readUserCode(typed: string | undefined): string | undefined {
  const letters = normalizeUserCode((typed ?? '').slice(0, 100));
  return letters && `${letters.slice(0, 4)}-${letters.slice(4)}`;
}

export async function showCode(visit: Visit): Promise<Answer> {
  const code = readUserCode(queryOf(visit, 'user_code'));
  if (queryOf(visit, 'wrong') !== undefined) return codePage(visit, code, problemOf(visit, 'user-code-unknown'));
  return code ? comparePage(visit, code) : codePage(visit);
}

export async function takeCode(visit: Visit, form: Form): Promise<Answer> {
  const code = readUserCode(form['user_code']);
  // Malformed text does not count as an attempt: it cannot be a guess.
  if (!code) {
    const said = { title: visit.language.texts.code.malformed, text: '' };
    return codePage(visit, form['user_code'], { status: 400, said });
  }
  const { person } = visit;
  return person ? enterCode({ ...visit, person }, code) : { goTo: `/account/sign-in?user_code=${code}` };
}

/** Only for signed-in people: a code is not looked up before sign-in. */
export async function enterCode(visit: PersonVisit, code: string): Promise<Answer> {
  const entered = await enterUserCode(code, visit.person, visit.site.ports);
  if (entered.ok) return { goTo: `/device/${entered.value.device.id}` };
  if (entered.refusal.reason !== 'user-code-unknown') return refusalPage(visit, entered.refusal);
  recordProblem(visit, entered.refusal);
  // Shown after a redirect, so that reloading the page is not another attempt.
  return { goTo: `/device?user_code=${code}&wrong` };
}

/** Asks for the code; after a problem, shows what was typed, so that it is easy to correct. */
function codePage(visit: Visit, typed = '', problem?: Problem): Shown {
  const { code: words } = visit.language.texts;
  const input = html` class="code-input" value="${typed}" required maxlength="40" autocomplete="off" autocapitalize="characters" spellcheck="false" autofocus`;
  const { label, hint } = words;
  const field = html`${inputField({ id: 'user_code', label, hint, input, isWrong: problem !== undefined })}
<button class="button">${words.next}</button>`;
  const body = html`<div class="card">
${problem && faultBox(problem.said.title, problem.said.text, 'user_code')}
<h1>${words.title}</h1>
<p class="lead">${words.lead}</p>
${postForm(visit, '/device', field)}
</div>
${warning(visit)}`;
  return { page: { title: words.title, body }, ...(problem && { status: problem.status }) };
}

/** RFC 8628 3.3.1: the code that came with the address is compared by the person before anything else happens. */
function comparePage(visit: Visit, code: string): Shown {
  const { code: words, last } = visit.language.texts;
  const fields = html`${hiddenFields({ user_code: code })}
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

/** Draws no address but our own. Does not look the code up: a page without sign-in must not reveal whether it exists. */
export async function showQr(visit: Visit): Promise<Answer> {
  const code = readUserCode(queryOf(visit, 'user_code'));
  if (!code) return { goTo: '/device' };
  const { qr: words } = visit.language.texts;
  const address = `${visit.site.publicUrl}/device`;
  const body = html`<div class="card centred">
<h1>${words.title}</h1>
<p class="lead">${words.lead}</p>
${qrPicture(`${address}?user_code=${code}`, words.picture)}
<p>${words.or}</p>
<p class="address" translate="no">${address}</p>
<p class="code-shown" translate="no">${code}</p>
</div>`;
  return { page: { title: words.title, body } };
}

/** One path of unit squares; dark on light in either colour scheme, since cameras expect that. */
function qrPicture(text: string, label: string): Html {
  const { data, size } = encode(text, { border: 4 });
  const squares = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return html`<svg class="qr" role="img" aria-label="${label}" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges">
<path fill="#fff" d="M0 0h${size}v${size}H0z"/><path fill="#000" d="${squares.join('')}"/></svg>`;
}
