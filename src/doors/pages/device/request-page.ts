// /device, second step, and the page of /oauth2/authorize: shows who asks for what, and asks to confirm or deny.
import type { Integration } from '../../../core/integration.ts';
import type { PersonReason, Refusal } from '../../../core/refusal.ts';
import { secondsLeft } from '../../../core/rules/device.ts';
import { parseScope } from '../../../core/scope.ts';
import { seconds } from '../../../core/time.ts';
import type { DeviceStanding } from '../../../operations/device/decide-device.ts';
import type { Shown } from '../parts/answer.ts';
import { type Html, html } from '../parts/html.ts';
import { alertBox, personName, postForm } from '../parts/layout.ts';
import { problemOf } from '../parts/refusal-page.ts';
import type { Texts } from '../parts/texts/en.ts';
import type { Visit } from '../parts/visit.ts';

/** What is requested, for devices and for other programs. */
export interface Question {
  readonly integration: Integration;
  readonly scope: string;
  /** Who asks, and from where. */
  readonly essentials: Html;
  readonly otherFacts: Html;
  readonly objection?: Refusal<PersonReason> | undefined;
  /** Where a decision is sent, and with which hidden fields. */
  readonly form: (decision: Decision) => { readonly action: string; readonly fields?: Html };
}

type Decision = 'confirm' | 'deny';

export function requestPage(visit: Visit, standing: DeviceStanding): Shown {
  const { integration, device, objection } = standing;
  return askPage(visit, {
    integration,
    scope: device.scope,
    essentials: essentials(visit, standing),
    otherFacts: otherFacts(visit, standing),
    objection,
    form: (decision) => ({ action: `/device/${device.id}/${decision}` }),
  });
}

/** What a decision needs comes first: who, when, from where, how many permissions and the far-reaching ones. */
export function askPage(visit: Visit, asked: Question): Shown {
  const { texts } = visit.language;
  const { integration, scope } = asked;
  const title = texts.request.title(integration.name);
  const body = html`<div class="card request">
${integrationCard(visit, integration, html`<h1>${title}</h1>`)}
${asked.essentials}
<h2 id="asks">${texts.request.asks}: ${permissionLines(scope, texts).length}</h2>
${permissionList(scope, texts)}
<h2>${texts.request.more}</h2>
${integration.description && html`<p class="lead">${integration.description}</p>`}
${asked.otherFacts}
${asked.objection ? objection(visit, asked) : question(visit, asked)}
</div>`;
  return { page: { title, body } };
}

function essentials({ language }: Visit, { device, now }: DeviceStanding): Html {
  const { request: words, account } = language.texts;
  return html`<dl class="facts">
<div><dt>${words.asked}</dt><dd>${language.distance(now, device.createdAt)}, ${account.from(device.presenter.address)}</dd></div>
</dl>`;
}

function otherFacts(visit: Visit, { device, now }: DeviceStanding): Html {
  const { language } = visit;
  const { request: words } = language.texts;
  const left = words.leftFor(language.length(seconds(secondsLeft(device, now))));
  return html`<dl class="facts">
<div><dt>${words.program}</dt><dd translate="no">${device.presenter.agent || words.programUnknown}</dd></div>
<div><dt>${words.time}</dt><dd>${language.moment(device.createdAt)}</dd></div>
<div><dt>${words.left}</dt><dd>${left}</dd></div>
<div><dt>${words.actsAs}</dt><dd translate="no">${personName(visit)}</dd></div>
</dl>`;
}

/** Confirm and Deny are equally prominent: two forms of one shape, side by side, in view on arrival (views.css). */
function question(visit: Visit, asked: Question): Html {
  const { request: words } = visit.language.texts;
  return html`<section class="question" aria-labelledby="question">
<h2 id="question">${words.question}</h2>
<p>${words.questionHint(personName(visit))}</p>
<div class="choices">
${decisionForm(visit, asked, 'deny')}
${decisionForm(visit, asked, 'confirm')}
</div>
</section>`;
}

/** People who may not confirm can still deny: that only reduces power, and the device stops waiting. */
function objection(visit: Visit, asked: Question): Html {
  const { request: words } = visit.language.texts;
  const { said } = problemOf(visit, asked.objection?.reason ?? 'fault');
  return html`${alertBox(said.title, said.text)}
<p>${words.onlyDeny}</p>
${decisionForm(visit, asked, 'deny')}`;
}

function decisionForm(visit: Visit, { form }: Question, decision: Decision): Html {
  const { action, fields } = form(decision);
  const { request: words } = visit.language.texts;
  return postForm(visit, action, html`${fields}<button class="button ${decision}">${words[decision]}</button>`);
}

export function integrationCard(
  { language }: Visit,
  { name, vendor }: Pick<Integration, 'name' | 'vendor'>,
  heading: Html,
): Html {
  const initial = String.fromCodePoint(name.codePointAt(0) ?? 0x20).toUpperCase();
  return html`<div class="integration-card">
<span class="initial" aria-hidden="true">${initial}</span>
<div>${heading}${vendor && html`<p class="vendor">${language.texts.request.by(vendor)}</p>`}</div>
</div>`;
}

/** Permissions that destroy, or that give away more permissions. */
const FAR_REACHING: ReadonlySet<string> = new Set(['delete', 'manage', 'approve', 'admin', 'execute']);

export function permissionLines(scope: string, texts: Texts) {
  return [...(parseScope(scope)?.resources ?? [])].flatMap(([resource, permissions]) => {
    const named = permissions.size > 0 ? [...permissions] : [undefined];
    return named.map((permission) => ({
      words: texts.permission(resource, permission),
      isFarReaching: permission !== undefined && FAR_REACHING.has(permission),
    }));
  });
}

export function permissionCount(scope: string, texts: Texts): string {
  const lines = permissionLines(scope, texts);
  const farReaching = lines.filter((line) => line.isFarReaching).length;
  return farReaching > 0 ? `${lines.length} (${texts.request.farReaching}: ${farReaching})` : `${lines.length}`;
}

export function permissionList(scope: string, texts: Texts): Html {
  const lines = permissionLines(scope, texts)
    .toSorted((a, b) => Number(b.isFarReaching) - Number(a.isFarReaching))
    .map(
      ({ words, isFarReaching }) =>
        html`<li>${words}${isFarReaching && html` <span class="tag">${texts.request.farReaching}</span>`}</li>`,
    );
  return html`<ul class="permissions">${lines}</ul>`;
}
