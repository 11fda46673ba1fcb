import type { Event } from '../../core/event.ts';
import type { RevocationReason } from '../../core/grant.ts';
import type { EpochSeconds } from '../../core/time.ts';
import { type Html, html } from '../html.ts';
import type { Visit } from '../visit.ts';

export function eventList(visit: Visit, events: readonly Event[], now: EpochSeconds): Html {
  const { account: words } = visit.language.texts;
  if (events.length === 0) return html`<p>${words.noEvents}</p>`;
  return html`<div class="card scrolls" role="region" aria-label="${words.events}" tabindex="0">
<table>
<thead><tr><th scope="col">${words.what}</th><th scope="col">${words.integration}</th><th scope="col">${words.when}</th><th scope="col">${words.from}</th></tr></thead>
<tbody>${events.map((event) => eventRow(visit, event, now))}</tbody>
</table>
</div>`;
}

function eventRow({ language, site }: Visit, event: Event, now: EpochSeconds): Html {
  const { account: words } = language.texts;
  const name = event.clientId && (site.ports.registry.integration(event.clientId)?.name ?? event.clientId);
  const why = words.revocationWords[event.detail?.['reason'] as RevocationReason];
  return html`<tr>
<td>${words.eventWords[event.type]}${why && html`<br><span class="small">${why}</span>`}</td>
<td>${name ?? '–'}</td>
<td>${language.distance(now, event.at)}<br><span class="small">${language.moment(event.at)}</span></td>
<td translate="no">${event.presenter?.address ?? '–'}</td>
</tr>`;
}
