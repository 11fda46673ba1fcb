// Grants: find them, one grant's timeline, end one or all that a filter shows.
import type { Gives } from '../../../operations/admin/acts.ts';
import { disabledIdentities } from '../../../operations/admin/find-grants.ts';
import type { Answer } from '../parts/answer.ts';
import { type Html, html } from '../parts/html.ts';
import { hiddenFields } from '../parts/layout.ts';
import type { Form, PageRoute } from '../parts/route.ts';
import { enConsole } from '../parts/texts/en-console.ts';
import { queryOf } from '../parts/visit.ts';
import { type ConsoleParts, type ConsoleVisit, idOf, isTheirs, show, take } from './access.ts';
import { eventWords, isBad, namesIn } from './events.ts';
import { type Fault, faultBoxOf, faultOf } from './fault.ts';
import { faultMarks } from './fields/field.ts';
import {
  agentText,
  ago,
  button,
  card,
  certificateLink,
  consolePage,
  doForm,
  dotted,
  factList,
  factOf,
  filterForm,
  filterName,
  integrationLink,
  momentOf,
  nameText,
  pathOf,
  refusalOf,
  requestLink,
  stateMark,
  table,
  textsIn,
  valueText,
} from './frame.ts';

const words = enConsole.grant;
type ShownGrant = Gives['grant-show'];

const FILTERS = ['identity', 'integration', 'certificate', 'address'] as const;
const SHOWN = 50;

export function grantRoutes(parts: ConsoleParts): PageRoute[] {
  return [
    show(parts, '/grants', 'console-grants', showGrants),
    show(parts, '/grants/end', 'console-end-grants', askEndAll, true),
    take(parts, '/grants/end', 'console-end-grants', FILTERS, takeEndAll),
    show(parts, '/grants/:id', 'console-grant', showGrant),
    show(parts, '/grants/:id/end', 'console-end-grant', askEnd, true),
    take(parts, '/grants/:id/end', 'console-end-grant', [], takeEnd),
  ];
}

async function showGrants(visit: ConsoleVisit): Promise<Answer> {
  const asked = textsIn(visit, FILTERS);
  const filter = asked['identity'] ? { ...asked, identity: await filterName(visit, asked['identity']) } : asked;
  const all = queryOf(visit, 'all') !== undefined;
  const [first, ...others] = visit.owned ?? [];
  // Owners see the grants of one integration at a time.
  if (first && !filter['integration']) return { goTo: `/console/grants?integration=${encodeURIComponent(first)}` };
  const cursor = queryOf(visit, 'after');
  const query = {
    ...filter,
    ...(all && { all }),
    newest: true,
    limit: SHOWN,
    ...(cursor && /^[0-9a-f]{32}$/.test(cursor) && { cursor }),
  };
  const found = await visit.act('grant-list', { query });
  const form = (fault?: Fault) => {
    const fields = filterFields(filter, all, others.length > 0 || !visit.owned, fault);
    const set = [...Object.values(filter), ...(all ? [words.all] : [])];
    return filterForm('/console/grants', fields, set, fault !== undefined);
  };
  if (!found.ok) {
    const fault = faultOf(found.refusal, FILTERS, filter);
    return refusalOf(visit, 'grants', found.refusal, html`${faultBoxOf(fault)}${form(fault)}`);
  }
  const { items, next } = found.value.value;
  const link = (path: string, more: object) => `${path}?${new URLSearchParams({ ...filter, ...more })}`;
  const isFiltered = Object.keys(filter).length > 0;
  const body = html`${form()}
${items.length === 0 ? html`<p>${next === undefined ? words.none : words.noneYet} ${!all && html`<a href="${link('/console/grants', { all: 'yes' })}">${words.all}</a>`}</p>` : await grantTable(visit, items)}
<p class="ways">${next !== undefined && button(link('/console/grants', { after: next, ...(all && { all: 'yes' }) }), words.next)}
${isFiltered && visit.may !== 'read' && isTheirs(visit, filter['integration']) && items.some(({ state }) => state === 'live') && button(link('/console/grants/end', {}), words.endAll, 'deny')}</p>`;
  return consolePage(visit, 'grants', enConsole.menu.grants, body);
}

function filterFields(filter: Record<string, string>, all: boolean, isOpen: boolean, fault?: Fault): Html {
  const field = (name: (typeof FILTERS)[number]) => {
    const marks = faultMarks(name, fault);
    return html`<div class="field"><label for="${name}">${nameText(name)}</label>${marks.text}<input id="${name}" name="${name}" value="${filter[name] ?? ''}"${!isOpen && name === 'integration' && html` readonly`}${marks.attributes}></div>`;
  };
  return html`${FILTERS.map(field)}
<label class="check"><input type="checkbox" name="all" value="yes"${all && html` checked`}>${words.all}</label>`;
}

/** A living grant says if its identity or integration is disabled: it is refused then. */
async function marksOf(visit: ConsoleVisit, grants: readonly ShownGrant[]): Promise<(grant: ShownGrant) => Html> {
  const ids = grants.map(({ identityId }) => identityId);
  const disabled = await disabledIdentities(ids, visit.ports);
  const { registry } = visit.parts.callerPorts;
  return ({ state, unused, identityId, clientId, revokedFor }) => {
    const isLive = state === 'live';
    return html`${stateMark(state)} ${isLive && unused && html`${stateMark(words.unused)} `}${isLive && disabled.has(identityId) && stateMark(words.holderDisabled)}
${isLive && registry.integration(clientId)?.enabled === false && stateMark(words.integrationDisabled)}
${revokedFor !== undefined && html`<span class="small">${revokedFor}</span>`}`;
  };
}

export async function grantTable(visit: ConsoleVisit, grants: readonly ShownGrant[]): Promise<Html> {
  const marks = await marksOf(visit, grants);
  return table(
    enConsole.menu.grants,
    [
      [
        words.identity,
        ({ id, userName, identityId }) =>
          html`<a href="${pathOf('grants', id)}">${userName ?? identityId}<span class="unseen">, ${id}</span></a><br><span class="id small">${words.one(id)}</span>`,
      ],
      [words.integration, ({ clientId }) => integrationLink(clientId)],
      [words.state, marks],
      [words.created, ({ createdAt }) => ago(visit, momentOf(createdAt))],
      [
        words.last,
        ({ lastIssuedAt, lastAddress }) =>
          html`${ago(visit, momentOf(lastIssuedAt))} <span class="id small">${lastAddress}</span>`,
      ],
      [words.ends, ({ refreshUntil, revokedAt }) => ago(visit, momentOf(revokedAt ?? refreshUntil))],
    ],
    grants,
  );
}

async function showGrant(visit: ConsoleVisit): Promise<Answer> {
  const id = idOf(visit);
  const [shown, timeline] = await Promise.all([visit.act('grant-show', { id }), visit.act('grant-timeline', { id })]);
  if (!shown.ok) return refusalOf(visit, 'grants', shown.refusal);
  const grant = shown.value.value;
  const { generation, lastIssuedAt, lastAddress, lastAgent } = grant;
  const events = timeline.ok ? timeline.value.value.items : [];
  const [names, marks] = await Promise.all([namesIn(events, visit), marksOf(visit, [grant])]);
  const refreshed = { at: momentOf(lastIssuedAt), what: html`<strong>${words.refreshedTimes(generation)}</strong>` };
  const line = [
    ...events.map((event) => ({
      at: event.at,
      what: eventWords(event, names, id),
      from: [event.presenter?.address, agentText(event.presenter?.agent), requestLink(visit, event.requestId)],
      isBad: isBad(event),
    })),
    ...(generation > 0 ? [{ ...refreshed, from: [lastAddress, agentText(lastAgent)], isBad: false }] : []),
  ];
  const item = ({ at, what, from, isBad }: (typeof line)[number]) =>
    html`<li${isBad && html` class="bad"`}>${what}<br><span class="small">${dotted([ago(visit, at), visit.language.moment(at), ...from])}</span></li>`;
  // Nothing refreshes a grant that has ended.
  const facts = Object.entries(grant).filter(([name]) => name !== 'refreshable' || grant.state === 'live');
  const body = html`<p>${marks(grant)} <span class="id">${grant.id}</span></p>
<p class="ways">${grant.state === 'live' && visit.may !== 'read' && isTheirs(visit, grant.clientId) && button(`${pathOf('grants', grant.id)}/end`, words.end, 'deny')}
${button(pathOf('identities', grant.identityId), `${words.identity} ${grant.userName ?? grant.identityId}`)}${button(pathOf('integrations', grant.clientId), `${words.integration} ${grant.clientId}`)}</p>
${card(words.timeline, html`<ol class="timeline">${line.sort((a, b) => a.at - b.at).map(item)}</ol>`)}
${card(words.facts, factList(facts.map(([name, value]) => [nameText(name), name === 'certificate' ? html`${certificateLink(valueText(value))} <span class="small">${words.mark}</span>` : factOf(visit, name, value)])))}`;
  return consolePage(visit, 'grants', words.one(grant.id), body);
}

function notTheirs(visit: ConsoleVisit): Answer {
  return refusalOf(visit, 'grants', { reason: 'permission-missing', about: 'operate' });
}

async function askEnd(visit: ConsoleVisit): Promise<Answer> {
  const shown = await visit.act('grant-show', { id: idOf(visit) });
  if (!shown.ok) return refusalOf(visit, 'grants', shown.refusal);
  const { id, userName, identityId, clientId } = shown.value.value;
  if (!isTheirs(visit, clientId)) return notTheirs(visit);
  const what = html`<p>${userName ?? identityId} · ${clientId}</p>`;
  return confirmPage(visit, words.endTitle, pathOf('grants', id), what);
}

function confirmPage(visit: ConsoleVisit, title: string, back: string, what: Html, fields = html``): Answer {
  const [path = back] = back.split('?');
  const form = doForm(visit, `${path}/end`, fields, words.endReally, back, 'deny');
  return consolePage(visit, 'grants', title, html`<div class="card">${what}<p>${words.endWarning}</p>${form}</div>`);
}

async function takeEnd(visit: ConsoleVisit): Promise<Answer> {
  const id = idOf(visit);
  const ended = await visit.act('grant-revoke', { id });
  return ended.ok ? { goTo: `${pathOf('grants', id)}?done=yes&ended=1` } : refusalOf(visit, 'grants', ended.refusal);
}

/** Without `confirmed`, the act only counts. */
async function askEndAll(visit: ConsoleVisit): Promise<Answer> {
  const filter = textsIn(visit, FILTERS);
  const back = `/console/grants?${new URLSearchParams(filter)}`;
  if (Object.keys(filter).length === 0) return { goTo: '/console/grants' };
  if (!isTheirs(visit, filter['integration'])) return notTheirs(visit);
  const page = await visit.act('grant-list', { query: { ...filter, limit: 1000 } });
  if (!page.ok) return refusalOf(visit, 'grants', page.refusal);
  const { items, next } = page.value.value;
  const count = `${words.count(items.length)}${next === undefined ? '' : ' or more'}`;
  const holders = new Set(items.map(({ userName, identityId }) => userName ?? identityId));
  const what = html`${factList(Object.entries(filter).map(([name, value]) => [nameText(name), value]))}
<p>${[...holders].slice(0, 5).join(', ')}${holders.size > 5 && ` and ${holders.size - 5} more`}</p>`;
  return confirmPage(visit, words.endAllTitle(count), back, what, hiddenFields(filter));
}

async function takeEndAll(visit: ConsoleVisit, form: Form): Promise<Answer> {
  const { form_token: _, ...filter } = form;
  if (Object.keys(filter).length === 0) return { goTo: '/console/grants' };
  const ended = await visit.act('grant-revoke-all', { body: { ...filter, confirmed: true } });
  if (!ended.ok) return refusalOf(visit, 'grants', ended.refusal);
  return { goTo: `/console/grants?done=yes&ended=${ended.value.value.endedGrants ?? 0}` };
}
