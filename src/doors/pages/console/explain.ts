// The dry runs of certificates and assertions, and the search box.
import { requestedAt } from '../../../core/request-id.ts';
import type { Step } from '../../../core/verdict.ts';
import type { Gives } from '../../../operations/admin/acts.ts';
import type { Section } from '../../../operations/admin/objects.ts';
import { type Findings, isToken, search } from '../../../operations/admin/search.ts';
import type { Answer } from '../parts/answer.ts';
import { type Html, html } from '../parts/html.ts';
import { postForm } from '../parts/layout.ts';
import type { Form, PageRoute } from '../parts/route.ts';
import { enConsole } from '../parts/texts/en-console.ts';
import { type ConsoleParts, type ConsoleVisit, idOf, show, take } from './access.ts';
import { eventTable } from './events.ts';
import { type Fault, faultBoxOf } from './fault.ts';
import { faultMarks } from './fields/field.ts';
import { card, consolePage, factList, pathOf, refusalOf, sentencesOf, stateMark } from './frame.ts';
import { grantTable } from './grants.ts';
import { refusalTable, remedyOf } from './refusal-table.ts';
import { THING_KINDS, type ThingKind } from './things.ts';

const words = enConsole.explain;

export function explainRoutes(parts: ConsoleParts): PageRoute[] {
  return [
    show(parts, '/explain', 'console-explain', async (visit) => explainPage(visit)),
    take(parts, '/explain', 'console-explain', ['text'], takeExplain, false),
    show(parts, '/requests/:id', 'console-request', showRequest),
    take(parts, '/search', 'console-search', ['q'], takeSearch, false),
  ];
}

/** What was entered may be an assertion: it is not shown again. */
function explainPage(visit: ConsoleVisit, result?: Html, fault?: Fault): Answer {
  if (visit.owned) return refusalOf(visit, 'explain', { reason: 'permission-missing', about: 'read' });
  const marks = faultMarks('text', fault);
  const fields = html`<div class="field"><label for="text">${words.label}</label>
${marks.text}<textarea id="text" name="text" rows="8" required spellcheck="false" autocomplete="off"${marks.attributes}></textarea></div>
<p class="ways"><button class="button">${enConsole.menu.explain}</button></p>`;
  const body = html`<p class="lead">${words.lead}</p>${fault && faultBoxOf(fault)}${result}<div class="card">${postForm(visit, '/console/explain', fields)}</div>`;
  return consolePage(visit, 'explain', enConsole.menu.explain, body, { status: fault && 400 });
}

async function takeExplain(visit: ConsoleVisit, { text = '' }: Form): Promise<Answer> {
  const given = text.trim();
  const isCertificate = given.includes('-----BEGIN CERTIFICATE-----');
  if (!isCertificate && !isToken(given))
    return explainPage(visit, undefined, { title: words.unreadable, field: 'text' });
  const explained = isCertificate
    ? await visit.act('explain-certificate', { body: { certificates: given } })
    : await visit.act('explain-assertion', { body: { assertion: given } });
  return explained.ok
    ? explainPage(visit, resultOf(explained.value.value))
    : explainPage(visit, undefined, { ...sentencesOf(explained.refusal), field: 'text' });
}

type Explained = Gives['explain-certificate' | 'explain-assertion'];

function resultOf({ accepted, refusal, identityId, steps, reach = [] }: Explained): Html {
  const title = accepted ? words.accepted : words.refused;
  const step = ({ passed, words: text, about, rule }: Step) =>
    html`<li class="${passed ? 'good' : 'bad'}">${stateMark(passed ? 'ok' : 'failing')} ${text} <span class="small">${about} · ${rule}</span></li>`;
  const failed = steps.filter(({ passed }) => !passed);
  return html`<div class="card" role="status"><h2>${title}${refusal && html`: <a href="/docs/errors?from=console#${refusal.reason}">${refusal.reason}</a>`}</h2>
${refusal && remedyOf(refusal.reason).map((line) => html`<p>${line}</p>`)}
${identityId !== undefined && factList([[enConsole.grant.identity, html`<a class="id" href="${pathOf('identities', identityId)}">${identityId}</a>`]])}
${failed.length > 0 && html`<ol class="timeline">${failed.map(step)}</ol>`}
<details><summary>${words.passed(steps.length - failed.length)}</summary><ol class="timeline">${steps.filter(({ passed }) => passed).map(step)}</ol></details>
${reach.length > 0 && html`<h3>${words.reach}</h3>${factList(reach.map(({ clientId, refusal: why }) => [clientId, why ?? words.would]))}`}
</div>`;
}

function placeOf(section: Section): ThingKind['place'] {
  return THING_KINDS.find((each) => each.section === section)?.place ?? 'integrations';
}

/** One thing that has a page of its own leads there at once. */
async function takeSearch(visit: ConsoleVisit, { q = '' }: Form): Promise<Answer> {
  if (visit.owned) return refusalOf(visit, 'grants', { reason: 'permission-missing', about: 'read' });
  const found = await search(q, { ...visit.parts.callerPorts, store: visit.ports.store });
  const [only, ...others] = [
    ...found.identities.map(({ id }) => pathOf('identities', id)),
    ...found.things.map(({ section, id }) => pathOf(placeOf(section), id)),
    ...found.grants.map(({ id }) => pathOf('grants', id)),
  ];
  const isAlone = others.length === 0 && !found.token && found.events.length === 0 && found.refusals.length === 0;
  if (only !== undefined && isAlone) return { goTo: only };
  // A token is never shown again, nor anything long that may contain one.
  const asked = found.token || q.length > 64 || /ts[a-z]_/.test(q) ? undefined : q.trim();
  return foundPage(visit, found, enConsole.search.title(asked), asked);
}

/** Why a request was refused, or what it did. */
async function showRequest(visit: ConsoleVisit): Promise<Answer> {
  const id = idOf(visit);
  if (visit.owned) return refusalOf(visit, 'events', { reason: 'permission-missing', about: 'read' });
  const isRequest = requestedAt(id) !== undefined;
  const found = await search(isRequest ? id : '', { ...visit.parts.callerPorts, store: visit.ports.store });
  return foundPage(visit, found, enConsole.search.request(id), id);
}

async function foundPage(visit: ConsoleVisit, found: Findings, title: string, asked: string | undefined) {
  const isEmpty = Object.values(found).every((each) => Array.isArray(each) && each.length === 0);
  const { nothingHint, requestHint } = enConsole.search;
  const hint = asked && requestedAt(asked) !== undefined ? requestHint : nothingHint;
  const heading = isEmpty ? enConsole.search.nothing(asked) : title;
  return consolePage(visit, 'search', heading, isEmpty ? html`<p>${hint}</p>` : await findings(visit, found), {
    asked,
  });
}

async function findings(visit: ConsoleVisit, found: Findings): Promise<Html> {
  const { token, identities, things, grants, events, refusals } = found;
  const text = enConsole.search;
  const link = (path: string, name: string, id: string) =>
    html`<li><a href="${path}">${name}</a> <span class="id small">${id}</span></li>`;
  const people = identities.map(({ id, userName }) => link(pathOf('identities', id), userName ?? id, id));
  const named = things.map(({ section, id, name }) =>
    link(pathOf(placeOf(section), id), name || id, `${enConsole.menu[placeOf(section)]}: ${id}`),
  );
  return html`${token && card(text.token, html`<p>${token.refusal === undefined ? text.accepted : text.refused(token.refusal)}</p>${factList(Object.entries(token.facts))}<p class="small">${text.tokenKept}</p>`)}
${people.length + named.length > 0 && html`<section class="card"><ul>${people}${named}</ul></section>`}
${grants.length > 0 && html`<section><h2>${enConsole.menu.grants}</h2>${await grantTable(visit, grants)}</section>`}
${refusals.length > 0 && html`<section><h2>${enConsole.overview.refusedLately}</h2>${await refusalTable(visit, refusals)}</section>`}
${events.length > 0 && html`<section><h2>${enConsole.menu.events}</h2>${await eventTable(visit, events.toReversed())}</section>`}`;
}
