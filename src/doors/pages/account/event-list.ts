import type { Event } from '../../../core/event.ts';
import type { EpochSeconds } from '../../../core/time.ts';
import { type Html, html } from '../parts/html.ts';
import type { Visit } from '../parts/visit.ts';

/** The newest ones; older events are not shown. */
export const EVENTS_SHOWN = 20;
/** The others are in a disclosure, so that what follows is near on a phone. */
const SHOWN_AT_ONCE = 5;

export function eventList(visit: Visit, events: readonly Event[], now: EpochSeconds): Html {
  const { account: words } = visit.language.texts;
  if (events.length === 0) return html`<p>${words.noEvents}</p>`;
  const lines = events.map((event) => eventLine(visit, event, now));
  const older = lines.slice(SHOWN_AT_ONCE);
  return html`<ul class="card events">${lines.slice(0, SHOWN_AT_ONCE)}</ul>
${older.length > 0 && html`<details class="older"><summary>${words.olderEvents} (${older.length})</summary><ul class="card events">${older}</ul></details>`}`;
}

function eventLine({ language, site }: Visit, event: Event, now: EpochSeconds): Html {
  const { account: words } = language.texts;
  const name = event.clientId && (site.ports.registry.integration(event.clientId)?.name ?? event.clientId);
  const reason = event.type === 'revoked' && event.detail.reason;
  const passkey = event.type === 'administered' && event.detail.kind === 'passkey' ? event.detail : undefined;
  return html`<li>
<div><span class="event-what">${passkey ? words.passkeyWords[passkey.did] : words.eventWords[event.type]}</span>${reason && html` <span class="small">${words.revocationWords[reason]}</span>`}<br>${passkey ? ('names' in passkey ? passkey.names.join(', ') : 'name' in passkey && passkey.name) : name}</div>
<div>${language.distance(now, event.at)} <span class="small moment">(${language.moment(event.at)})</span></div>
<div class="small">${event.presenter && words.from(event.presenter.address)}</div>
</li>`;
}
