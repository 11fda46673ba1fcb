// /device, last step: how it ended.
import type { DeviceState } from '../../../core/device.ts';
import type { DeviceStanding } from '../../../operations/device/decide-device.ts';
import type { Shown } from '../parts/answer.ts';
import { html } from '../parts/html.ts';
import type { Visit } from '../parts/visit.ts';

type EndState = Exclude<DeviceState, 'pending'>;

const SIGNS: Readonly<Record<EndState, { readonly sign: string; readonly style: string }>> = {
  confirmed: { sign: '✓', style: 'sign-done' },
  redeemed: { sign: '✓', style: 'sign-done' },
  denied: { sign: '✕', style: '' },
  expired: { sign: '!', style: '' },
  spent: { sign: '!', style: '' },
};

export function lastPage(visit: Visit, { integration }: DeviceStanding, state: EndState): Shown {
  const { last: words } = visit.language.texts;
  const { title, text } = words[state];
  const { sign, style } = SIGNS[state];
  const body = html`<div class="card verdict">
<p class="sign ${style}" aria-hidden="true">${sign}</p>
<h1>${title}</h1>
<p class="vendor">${words.about(integration.name)}</p>
<p>${text}</p>
<p class="ways"><a class="button quiet" href="/account">${words.toAccount}</a> <a class="button quiet" href="/device">${words.another}</a></p>
</div>`;
  return { page: { title, body } };
}
