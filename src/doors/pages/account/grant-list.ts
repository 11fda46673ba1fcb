import { type Grant, guestOf, isUnused } from '../../../core/grant.ts';
import type { EpochSeconds } from '../../../core/time.ts';
import type { MyGrant, MyGrants } from '../../../operations/person/my-grants.ts';
import { integrationCard, permissionCount, permissionList } from '../device/request-page.ts';
import { type Html, html } from '../parts/html.ts';
import { endingForm } from '../parts/layout.ts';
import type { Visit } from '../parts/visit.ts';

const PAGE_SIZE = 20;

export function grantList(visit: Visit, mine: MyGrants, page: number, now: EpochSeconds): Html {
  const { account: words } = visit.language.texts;
  const { newest: grants, isComplete } = mine;
  if (grants.length === 0 && isComplete) {
    return html`<div class="card"><p><strong>${words.noGrants}</strong></p><p>${words.noGrantsHint}</p></div>`;
  }
  const shown = grants.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE);
  return html`<p>${isComplete ? counted(visit, grants.length) : words.newestGrants}</p>
<ul class="cards">${shown.map((grant) => grantCard(visit, grant, now))}</ul>
${turner(visit, grants.length, page)}
${grants.some(({ grant }) => grant.origin.kind === 'code') && endingForm(visit, '/account/sign-out-agents', words, 'signOutAgents')}
${endingForm(visit, '/account/grants/revoke', words, 'revokeAll')}`;
}

function counted({ language }: Visit, count: number): string {
  const { grantCount } = language.texts.account;
  const form = grantCount[new Intl.PluralRules(language.tag).select(count)] ?? grantCount.other;
  return form.replace('{count}', new Intl.NumberFormat(language.tag).format(count));
}

/** What tells grants apart is in view; the rest is in a disclosure, so that a list of grants fits a phone. */
function grantCard(visit: Visit, { grant, integration }: MyGrant, now: EpochSeconds): Html {
  const { language } = visit;
  const { account: words } = language.texts;
  // A client that only its document describes is named by its host, and is not of the vendor of the integration.
  const guest = guestOf(grant);
  const { name, vendor = '' } = guest ? { name: new URL(guest).host } : (integration ?? { name: grant.clientId });
  const which = words.grantOf(name, language.moment(grant.createdAt));
  return html`<li class="card grant">
${integrationCard(visit, { name, vendor }, html`<h3>${name}</h3>`)}
<dl class="facts">
<div><dt>${words.permissions}</dt><dd>${permissionCount(grant.scope, language.texts)}</dd></div>
<div><dt>${words.obtained}</dt><dd>${language.distance(now, grant.createdAt)}</dd></div>
</dl>
${isUnused(grant, now) && html`<p class="hint">${words.unused}</p>`}
${secondProgram(visit, grant, now)}
<div class="disclosures">
<details><summary aria-label="${words.details}: ${which}">${words.details}</summary>
${permissionList(grant.scope, language.texts)}
${grantFacts(visit, grant, now)}
</details>
${endingForm(visit, `/account/grants/${grant.id}/revoke`, words, 'revoke', which)}
</div>
</li>`;
}

function secondProgram({ language }: Visit, { siblings }: Grant, now: EpochSeconds): Html | undefined {
  const [, second] = siblings?.programs ?? [];
  if (!second) return undefined;
  const { address } = second.presenter;
  return html`<p class="hint"><strong>${language.texts.account.secondProgram(language.distance(now, second.since), address)}</strong></p>`;
}

function grantFacts({ language }: Visit, grant: Grant, now: EpochSeconds): Html {
  const { account: words } = language.texts;
  const when = (at: EpochSeconds) =>
    html`${language.distance(now, at)} <span class="small moment">(${language.moment(at)})</span>`;
  const { address, agent } = grant.pair.presenter;
  const refreshed = grant.pair.generation > 0 ? when(grant.pair.issuedAt) : words.neverRefreshed;
  return html`<dl class="facts">
<div><dt>${words.obtained}</dt><dd>${words.origins[grant.origin.kind]}, ${language.moment(grant.createdAt)}</dd></div>
<div><dt>${words.refreshed}</dt><dd>${refreshed}</dd></div>
<div><dt>${words.ends}</dt><dd>${when(grant.refreshUntil)}</dd></div>
<div><dt>${words.lastAddress}</dt><dd translate="no">${address}${agent !== '' && html` <span class="small">${agent}</span>`}</dd></div>
${grant.siblings?.programs
  ?.slice(1)
  .map(
    ({ since, presenter }) =>
      html`<div><dt>${words.otherProgram}</dt><dd><span translate="no">${presenter.address} <span class="small">${presenter.agent}</span></span><br>${when(since)}</dd></div>`,
  )}
<div><dt>${words.grantId}</dt><dd translate="no" class="small">${grant.id}</dd></div>
</dl>`;
}

function turner(visit: Visit, count: number, page: number): Html | undefined {
  if (count <= PAGE_SIZE) return undefined;
  const { account: words } = visit.language.texts;
  const isLast = page * PAGE_SIZE >= count;
  return html`<nav class="ways" aria-label="${words.pages}">
${page > 1 && html`<a class="button quiet" href="/account?page=${page - 1}">${words.newer}</a>`}
${!isLast && html`<a class="button quiet" href="/account?page=${page + 1}">${words.older}</a>`}
</nav>`;
}
