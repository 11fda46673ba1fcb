// /device, second step: shows who asks for what, and asks to confirm or deny.
import { secondsLeft } from '../../../core/rules/device.ts';
import { seconds } from '../../../core/time.ts';
import type { DeviceStanding } from '../../../operations/device/decide-device.ts';
import type { Shown } from '../parts/answer.ts';
import { type Html, html } from '../parts/html.ts';
import { alertBox, personName, postForm } from '../parts/layout.ts';
import type { Visit } from '../parts/visit.ts';
import { PAGE_WORDING } from '../parts/wording.ts';
import { integrationCard } from './integration-card.ts';
import { permissionLines, permissionList } from './permissions.ts';

/** What a decision needs comes first: who, when, from where, how many permissions and the far-reaching ones. */
export function requestPage(visit: Visit, standing: DeviceStanding): Shown {
  const { texts } = visit.language;
  const { integration, device } = standing;
  const title = texts.request.title(integration.name);
  const body = html`<div class="card request">
${integrationCard(visit, integration, html`<h1>${title}</h1>`)}
${essentials(visit, standing)}
<h2 id="asks">${texts.request.asks}: ${permissionLines(device.scope, texts).length}</h2>
${permissionList(device.scope, texts)}
<h2>${texts.request.more}</h2>
${integration.description && html`<p class="lead">${integration.description}</p>`}
${otherFacts(visit, standing)}
${standing.objection ? objection(visit, standing) : question(visit, standing)}
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
function question(visit: Visit, { device }: DeviceStanding): Html {
  const { request: words } = visit.language.texts;
  const deny = html`<button class="button deny">${words.deny}</button>`;
  const confirm = html`<button class="button confirm">${words.confirm}</button>`;
  return html`<section class="question" aria-labelledby="question">
<h2 id="question">${words.question}</h2>
<p>${words.questionHint(personName(visit))}</p>
<div class="choices">
${postForm(visit, `/device/${device.id}/deny`, deny)}
${postForm(visit, `/device/${device.id}/confirm`, confirm)}
</div>
</section>`;
}

/** People who may not confirm can still deny: that only reduces power, and the device stops waiting. */
function objection(visit: Visit, { device, objection: refusal }: DeviceStanding): Html {
  const { request: words, refusalTexts } = visit.language.texts;
  const said = refusalTexts[PAGE_WORDING[refusal?.reason ?? 'fault'].says];
  const deny = html`<button class="button deny">${words.deny}</button>`;
  return html`${alertBox(said.title, said.text)}
<p>${words.onlyDeny}</p>
${postForm(visit, `/device/${device.id}/deny`, deny)}`;
}
