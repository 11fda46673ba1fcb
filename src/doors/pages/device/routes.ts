// /device: its paths, the decision, and how it ended.

import type { DeviceId, DeviceState } from '../../../core/device.ts';
import {
  confirmDevice,
  type DeviceStanding,
  denyDevice,
  showDevice,
} from '../../../operations/device/decide-device.ts';
import type { Answer, Shown } from '../parts/answer.ts';
import { html } from '../parts/html.ts';
import { said } from '../parts/language.ts';
import { refusalPage } from '../parts/refusal-page.ts';
import { forPerson, type PageRoute, show, take } from '../parts/route.ts';
import { type PersonVisit, paramOf, type Visit } from '../parts/visit.ts';
import { showCode, showQr, takeCode } from './enter-code.ts';
import { requestPage } from './request-page.ts';

export const DEVICE_ROUTES: readonly PageRoute[] = [
  show('/device', 'page-device', showCode),
  take('/device', 'enter-user-code', ['user_code'], takeCode),
  show('/device/qr', 'page-qr', showQr),
  show('/device/:id', 'page-request', forPerson(showRequest)),
  take('/device/:id/confirm', 'confirm-device', [], takeDecision(confirmDevice)),
  take('/device/:id/deny', 'deny-device', [], takeDecision(denyDevice)),
];

const DEVICE_ID = /^[0-9a-f]{32}$/;

function deviceIdOf(visit: Visit): DeviceId | undefined {
  const id = paramOf(visit, 'id');
  return DEVICE_ID.test(id) ? (id as DeviceId) : undefined;
}

async function showRequest(visit: PersonVisit): Promise<Answer> {
  const id = deviceIdOf(visit);
  if (!id) return refusalPage(visit, { reason: 'not-found' });
  const shown = await showDevice(id, visit.person, visit.site.ports);
  if (!shown.ok) return refusalPage(visit, shown.refusal);
  const { state } = shown.value;
  return state === 'pending' ? requestPage(visit, shown.value) : lastPage(visit, shown.value, state);
}

/** Redirects to the stored decision, so that reloading or going back shows it and changes nothing. */
function takeDecision(operation: typeof confirmDevice): PageRoute['handle'] {
  return forPerson(async (visit) => {
    const id = deviceIdOf(visit);
    if (!id) return refusalPage(visit, { reason: 'not-found' });
    const decided = await operation(id, visit.person, visit.site.ports);
    return decided.ok ? { goTo: `/device/${id}` } : refusalPage(visit, decided.refusal);
  });
}

type EndState = Exclude<DeviceState, 'pending'>;

const DONE = '✓';
const SIGNS: Partial<Record<EndState, string>> = { confirmed: DONE, redeemed: DONE, denied: '✕' };

function lastPage(visit: Visit, { integration }: DeviceStanding, state: EndState): Shown {
  const { last: words } = visit.language.texts;
  const { title, text } = said(words[state]);
  const { [state]: sign = '!' } = SIGNS;
  const body = html`<div class="card verdict">
<p class="sign ${sign === DONE && 'sign-done'}" aria-hidden="true">${sign}</p>
<h1>${title}</h1>
<p class="vendor">${words.about(integration.name)}</p>
<p>${text}</p>
<p class="ways"><a class="button quiet" href="/account">${words.toAccount}</a> <a class="button quiet" href="/device">${words.another}</a></p>
</div>`;
  return { page: { title, body } };
}
