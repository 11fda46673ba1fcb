// /account: the person's grants, recent events and sign-in.

import type { Event } from '../../../core/event.ts';
import type { GrantId } from '../../../core/grant.ts';
import { isLocal } from '../../../core/identity.ts';
import type { EpochSeconds } from '../../../core/time.ts';
import { myEvents, myGrants, revokeMyGrant, revokeMyGrants } from '../../../operations/person/my-grants.ts';
import { passwordRules } from '../../../operations/person/sign-in.ts';
import type { Answer } from '../parts/answer.ts';
import { type Html, html } from '../parts/html.ts';
import { noticeBox, personName, postForm } from '../parts/layout.ts';
import { forPerson, type PageRoute, show, take } from '../parts/route.ts';
import type { Texts } from '../parts/texts/en.ts';
import { type PersonVisit, paramOf, queryOf, type Visit } from '../parts/visit.ts';
import { grantList } from './grant-list.ts';
import { relyingParty } from './passkey-parts.ts';

export const ACCOUNT_ROUTES: readonly PageRoute[] = [
  show('/account', 'page-account', forPerson(showAccount)),
  take('/account/grants/:id/revoke', 'revoke-my-grant', [], forPerson(takeRevoke)),
  take('/account/grants/revoke', 'revoke-my-grants', [], revokeAll('revoked-all')),
  take('/account/sign-out-agents', 'sign-out-agents', [], revokeAll('agents-signed-out', 'code')),
];

async function showAccount(visit: PersonVisit): Promise<Answer> {
  const { ports } = visit.site;
  const { account: words, layout } = visit.language.texts;
  const { account: title } = layout;
  const [grants, events, now] = await Promise.all([
    myGrants(visit.person, ports),
    myEvents(visit.person, EVENTS_SHOWN, ports),
    ports.store.now(),
  ]);
  const body = html`${noticeBox(visit)}
<h1>${title}</h1>
<p class="lead">${words.lead}</p>
<section aria-labelledby="grants"><h2 id="grants">${words.grants}</h2>
${grantList(visit, grants, pageNumber(visit), now)}
</section>
<section aria-labelledby="events"><h2 id="events">${words.events}</h2>
${eventList(visit, events, now)}
</section>
${signInSection(visit)}`;
  return { page: { title, body, width: 'wide' } };
}

function pageNumber(visit: PersonVisit): number {
  const asked = Number(queryOf(visit, 'page') ?? 1);
  return Number.isSafeInteger(asked) && asked > 0 ? asked : 1;
}

function signInSection(visit: PersonVisit): Html {
  const { account: words } = visit.language.texts;
  const everywhere = html`<button class="button quiet">${words.signOutEverywhere}</button>`;
  return html`<section aria-labelledby="security"><h2 id="security">${words.security}</h2>
<div class="card ways">
<p class="who">${visit.language.texts.layout.signedInAs(personName(visit))}</p>
${passwordRules(visit.person) && html`<a class="button quiet" href="/account/password">${visit.language.texts.password.title}</a>`}
${isLocal(visit.person.identity) && relyingParty(visit.site) && html`<a class="button quiet" href="/account/passkeys">${visit.language.texts.passkeys.title}</a>`}
${postForm(visit, '/account/sign-out-everywhere', everywhere)}
<p class="hint">${words.signOutEverywhereHint}</p>
</div>
</section>`;
}

const GRANT_ID = /^[0-9a-f]{32}$/;

async function takeRevoke(visit: PersonVisit): Promise<Answer> {
  const { person, site } = visit;
  const id = paramOf(visit, 'id');
  const isRevoked = GRANT_ID.test(id) && (await revokeMyGrant(id as GrantId, person, site.ports));
  return { goTo: `/account?done=${isRevoked ? 'revoked' : 'revoked-before'}` };
}

function revokeAll(done: keyof Texts['notices'], by?: 'code'): PageRoute['handle'] {
  return forPerson(async ({ person, site }) => {
    await revokeMyGrants(person, site.ports, by);
    return { goTo: `/account?done=${done}` };
  });
}

const EVENTS_SHOWN = 20;
/** The others are in a disclosure, so that what follows is near on a phone. */
const SHOWN_AT_ONCE = 5;

function eventList(visit: Visit, events: readonly Event[], now: EpochSeconds): Html {
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
  const isAlarm = event.type === 'retried' && event.detail.alarm;
  const passkey = event.type === 'administered' && event.detail.kind === 'passkey' ? event.detail : undefined;
  return html`<li>
<div><span class="event-what">${passkey ? words.passkeyWords[passkey.did] : isAlarm ? words.retriedElsewhere : words.eventWords[event.type]}</span>${reason && html` <span class="small">${words.revocationWords[reason]}</span>`}<br>${passkey ? ('names' in passkey ? passkey.names.join(', ') : 'name' in passkey && passkey.name) : name}</div>
<div>${language.distance(now, event.at)} <span class="small moment">(${language.moment(event.at)})</span></div>
<div class="small">${event.presenter && words.from(event.presenter.address)}</div>
</li>`;
}
