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
import { permissionList } from './permissions.ts';

export function requestPage(visit: Visit, standing: DeviceStanding): Shown {
  const { texts } = visit.language;
  const { integration, device } = standing;
  const title = texts.request.title(integration.name);
  const body = html`<div class="card">
${integrationCard(visit, integration, html`<h1>${title}</h1>`)}
${integration.description && html`<p class="lead">${integration.description}</p>`}
<h2>${texts.request.asks}</h2>
${permissionList(device.scope, texts)}
<h2>${texts.request.facts}</h2>
${facts(visit, standing)}
${standing.objection ? objection(visit, standing) : question(visit, standing)}
</div>`;
  return { page: { title, body } };
}

function facts({ language, ...visit }: Visit, { device, now }: DeviceStanding): Html {
  const { request: words } = language.texts;
  const { address, agent } = device.presenter;
  const asked = html`${language.distance(now, device.createdAt)} <span class="small moment">(${language.moment(device.createdAt)})</span>`;
  const left = words.leftFor(language.length(seconds(secondsLeft(device, now))));
  return html`<dl class="facts">
<div><dt>${words.address}</dt><dd translate="no">${address}</dd></div>
<div><dt>${words.program}</dt><dd translate="no">${agent || words.programUnknown}</dd></div>
<div><dt>${words.asked}</dt><dd>${asked}</dd></div>
<div><dt>${words.left}</dt><dd>${left}</dd></div>
<div><dt>${words.actsAs}</dt><dd translate="no">${personName({ language, ...visit })}</dd></div>
</dl>`;
}

/** Confirm and Deny are equally prominent: two forms of one shape, side by side. */
function question(visit: Visit, { device }: DeviceStanding): Html {
  const { request: words } = visit.language.texts;
  const deny = html`<button class="button deny">${words.deny}</button>`;
  const confirm = html`<button class="button confirm">${words.confirm}</button>`;
  return html`<section class="question" aria-labelledby="question">
<h2 id="question">${words.question}</h2>
<p>${words.questionHint}</p>
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
