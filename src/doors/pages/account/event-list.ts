import type { Event } from '../../../core/event.ts';
import type { RevocationReason } from '../../../core/grant.ts';
import type { EpochSeconds } from '../../../core/time.ts';
import { type Html, html } from '../parts/html.ts';
import type { Visit } from '../parts/visit.ts';

/** The newest ones; older events are not shown. */
export const EVENTS_SHOWN = 20;

export function eventList(visit: Visit, events: readonly Event[], now: EpochSeconds): Html {
  if (events.length === 0) return html`<p>${visit.language.texts.account.noEvents}</p>`;
  return html`<ul class="card events">${events.map((event) => eventLine(visit, event, now))}</ul>`;
}

function eventLine({ language, site }: Visit, event: Event, now: EpochSeconds): Html {
  const { account: words } = language.texts;
  const name = event.clientId && (site.ports.registry.integration(event.clientId)?.name ?? event.clientId);
  const reason = event.type === 'revoked' && event.detail?.['reason'];
  return html`<li>
<div><span class="event-what">${words.eventWords[event.type]}</span>${reason && html` <span class="small">${words.revocationWords[reason as RevocationReason]}</span>`}<br>${name}</div>
<div>${language.distance(now, event.at)} <span class="small moment">(${language.moment(event.at)})</span></div>
<div class="small">${event.presenter && words.from(event.presenter.address)}</div>
</li>`;
}
