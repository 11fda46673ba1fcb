import { changePassword, passwordRules } from '../../../operations/person/sign-in.ts';
import { Secret } from '../../../tokens/secret.ts';
import { recordRefusal } from '../../http/request-record.ts';
import type { Answer, Shown } from '../parts/answer.ts';
import { writeCookie } from '../parts/cookies.ts';
import { html } from '../parts/html.ts';
import { faultBox, inputField, personName, postForm } from '../parts/layout.ts';
import { refusalPage } from '../parts/refusal-page.ts';
import { type Form, forPerson, type PageRoute, show, take } from '../parts/route.ts';
import type { Texts } from '../parts/texts/en.ts';
import { isSecure, type PersonVisit } from '../parts/visit.ts';
import { readKnown, writeKnown } from './sign-in.ts';

type Rules = NonNullable<ReturnType<typeof passwordRules>>;
type Objection = keyof Texts['password']['objections'];

export const PASSWORD_ROUTES: readonly PageRoute[] = [
  show('/account/password', 'page-password', forPerson(showPassword)),
  take('/account/password', 'change-password', ['current', 'next', 'repeated'], forPerson(takePassword)),
];

async function showPassword(visit: PersonVisit): Promise<Answer> {
  const rules = passwordRules(visit.person);
  return rules ? passwordPage(visit, rules) : refusalPage(visit, { reason: 'not-found' });
}

async function takePassword(visit: PersonVisit, form: Form): Promise<Answer> {
  const rules = passwordRules(visit.person);
  if (!rules) return refusalPage(visit, { reason: 'not-found' });
  const { current = '', next = '', repeated = '' } = form;
  if (next !== repeated) return passwordPage(visit, rules, 'not-repeated');
  const { presenter } = visit.site.readConnection(visit.request);
  const known = readKnown(visit);
  const request = { current: new Secret(current), next: new Secret(next), presenter, knownBrowser: known };
  const changed = await changePassword(request, visit.person, visit.site.ports);
  if (!changed.ok) return passwordPage(visit, rules, changed.refusal);
  const { cookie, knownBrowser } = changed.value;
  const session = writeCookie('session', cookie.reveal(), isSecure(visit.site));
  const cookies = knownBrowser ? [session, writeKnown(knownBrowser, visit.site)] : [session];
  return { goTo: '/account?done=password-changed', cookies };
}

/** The field that each objection is about. */
const AT_FAULT: Readonly<Partial<Record<Objection, string>>> = {
  'current-wrong': 'current',
  'too-short': 'next',
  'too-long': 'next',
  unchanged: 'next',
  'not-repeated': 'repeated',
};

function passwordPage(visit: PersonVisit, { minLength }: Rules, objection?: Objection): Shown {
  const { password: words } = visit.language.texts;
  if (objection) recordRefusal(visit.request, { reason: objection });
  const field = (id: string, label: string, autocomplete: string, hint?: string) => {
    const isWrong = objection && AT_FAULT[objection] === id;
    const input = html` type="password" required autocomplete="${autocomplete}"${isWrong && html` autofocus`}`;
    return inputField({ id, label, hint, input, isWrong });
  };
  const fields = html`<input type="hidden" autocomplete="username" value="${personName(visit)}">
${field('current', words.current, 'current-password')}
${field('next', words.next, 'new-password', words.nextHint(minLength))}
${field('repeated', words.repeat, 'new-password')}
<button class="button">${words.title}</button>`;
  const body = html`<div class="card">
${objection && faultBox(words.objections[objection], undefined, AT_FAULT[objection])}
<h1>${words.title}</h1>
<p class="lead">${words.lead}</p>
${postForm(visit, '/account/password', fields)}
<p class="aside"><a href="/account">${words.back}</a></p>
</div>`;
  return { page: { title: words.title, body }, ...(objection && { status: 400 }) };
}
