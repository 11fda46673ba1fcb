// What every page of the console has around it, and the parts that several have.
import { formatDuration } from '../../../core/duration.ts';
import { AGENT_MAX_LENGTH } from '../../../core/presenter.ts';
import { type EpochSeconds, epochSeconds, isoTime } from '../../../core/time.ts';
import type { AdminRefusal } from '../../../operations/admin/admin.ts';
import { userNames } from '../../../operations/admin/find-grants.ts';
import { findIdentity } from '../../../operations/admin/find-identity.ts';
import { describeRefusal } from '../../../operations/admin/refusals.ts';
import type { Shown } from '../parts/answer.ts';
import { type Html, html, type Inset } from '../parts/html.ts';
import { alertBox, postForm } from '../parts/layout.ts';
import { enConsole as words } from '../parts/texts/en-console.ts';
import { queryOf } from '../parts/visit.ts';
import { type ConsoleVisit, SIGN_IN } from './access.ts';

type Place = keyof typeof words.menu;

/** `asked`: what the search box shows. `beside`: beside the title. `isLive`: what is marked as live is fetched again every few seconds. */
interface Frame {
  readonly status?: number | undefined;
  readonly asked?: string | undefined;
  readonly beside?: Html;
  readonly isLive?: boolean;
}

export function consolePage(
  visit: ConsoleVisit,
  here: Place | 'search',
  title: string,
  body: Html,
  { status, asked = '', beside, isLive = false }: Frame = {},
): Shown {
  const entries = Object.entries(words.menu).filter(([place]) => !visit.owned || OF_OWNERS.includes(place));
  const item = ([place, name]: [string, string]) =>
    html`<li><a href="/console${place && `/${place}`}"${place === here && html` aria-current="page"`}>${name}</a></li>`;
  const menu = html`<nav class="console-menu" aria-label="${words.title}"><ul class="table">${entries.map(item)}</ul></nav>`;
  const content = html`${!visit.owned && searchForm(visit, asked)}
${doneBox(visit)}
<div class="title"><h1>${title}</h1>${beside}${isLive && html`<span class="small" id="as-of" data-live>${words.live.asOf(isoTime(visit.now).slice(11, 19))}</span>`}</div>
${isLive && html`<p class="warning" data-stale hidden>${words.live.stale}</p>`}
${body}
${limitText(visit)}`;
  const shown = {
    title: `${title} · ${words.title}`,
    body: content,
    width: 'console-body',
    menu,
    hasScript: isLive,
  } as const;
  return { page: shown, ...(status && { status }) };
}

/** Owners see their integrations and the grants of these. */
const OF_OWNERS: readonly string[] = ['integrations', 'grants'];

/** What this person cannot do here, if anything. */
function limitText({ isStrong, may, actsOn, language }: ConsoleVisit): Html | undefined {
  const { weak, owner, read } = words.roles;
  if (!isStrong) return html`<p class="small">${weak} <a href="${SIGN_IN}">${language.texts.signIn.title}</a></p>`;
  const text = actsOn ? owner : may !== 'manage' && read;
  return text ? html`<p class="small">${text}</p>` : undefined;
}

/** By POST, since it may be a token: addresses are kept in histories and logs. */
function searchForm(visit: ConsoleVisit, asked: string): Html {
  return html`<search>${postForm(
    visit,
    '/console/search',
    html`<div class="field"><label class="unseen" for="q">${words.search.button}</label>
<input id="q" name="q" value="${asked}" placeholder="${words.search.short}" title="${words.search.hint}" autocomplete="off" spellcheck="false"></div>
<button class="button">${words.search.button}</button>`,
    'search',
  )}</search>`;
}

/** The result of the step before: numbers and constant texts only. */
function doneBox(visit: ConsoleVisit): Html | undefined {
  const [done, count] = [queryOf(visit, 'done'), Number(queryOf(visit, 'ended') ?? Number.NaN)];
  if (done === undefined) return undefined;
  const text = Number.isSafeInteger(count) ? words.done.ended(count) : words.done.done;
  return html`<p class="notice" role="status">${text} <a href="/console/events?type=administered">${words.done.events}</a></p>`;
}

/** What is wrong, and what to do. */
export function sentencesOf({ reason, about }: AdminRefusal) {
  const { what, remedy } = describeRefusal(reason, about);
  const todo = typeof remedy === 'string' ? remedy : `${remedy.act}.`;
  return { title: `${what.slice(0, 1).toUpperCase()}${what.slice(1)}.`, todo };
}

/** `instead`: what says so, if it is not a box alone. */
export function refusalOf(visit: ConsoleVisit, here: Place, refusal: AdminRefusal, instead?: Html): Shown {
  const { class: kind } = describeRefusal(refusal.reason, refusal.about);
  const status = { forbidden: 403, unknown: 404, malformed: 400 }[kind as string] ?? 409;
  const title = kind === 'unknown' ? words.object.unknown : words.object.refused;
  const { title: said, todo } = sentencesOf(refusal);
  return consolePage(visit, here, title, instead ?? alertBox(said, todo), { status });
}

export type TableColumn<Row> = readonly [title: string, cell: (row: Row) => Inset];

/** Without columns that have nothing to say. The first column names the row. The roles say what a phone's layout, which has no columns, would lose. */
export function table<Row>(
  caption: string,
  columns: readonly TableColumn<Row>[],
  rows: readonly Row[],
  kind = '',
): Html {
  const filled = columns.filter(([, cell], at) => at === 0 || rows.some((row) => `${html`${cell(row)}`}` !== ''));
  const cellOf = (row: Row, [title, cell]: TableColumn<Row>, index: number) =>
    index === 0
      ? html`<th scope="row" role="rowheader">${cell(row)}</th>`
      : html`<td role="cell" data-title="${title}">${cell(row)}</td>`;
  return html`<table class="things ${kind}" role="table" aria-label="${caption}">
<thead role="rowgroup"><tr role="row">${filled.map(([title]) => html`<th scope="col" role="columnheader">${title}</th>`)}</tr></thead>
<tbody role="rowgroup">${rows.map((row) => html`<tr role="row">${filled.map((column, index) => cellOf(row, column, index))}</tr>`)}</tbody></table>`;
}

export function factList(facts: readonly (readonly [name: string, value: Inset])[]): Html {
  const shown = facts.filter(([, value]) => value !== undefined && value !== false && String(value) !== '');
  return html`<dl class="facts">${shown.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

const STATES = {
  good: /^(?:live|enabled|ok)$/,
  bad: /(?:revoked|disabled|removed|failing|unchecked|no key or secret)$/,
};

export function stateMark(state: string): Html {
  const [kind] = Object.entries(STATES).find(([, pattern]) => pattern.test(state)) ?? [''];
  return html`<span class="state ${kind}">${state}</span>`;
}

/** How long ago, with the exact time as a tooltip. */
export function ago({ language, now }: ConsoleVisit, at: EpochSeconds): Html {
  return html`<span class="when" title="${language.moment(at)}">${language.distance(now, at)}</span>`;
}

/** Of a time as acts write it. */
export function momentOf(text: string): EpochSeconds {
  return epochSeconds(Date.parse(text) / 1000);
}

/** What is not JSON stays as it is: the act says what is wrong with it. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** A value of an object, as text. `name`: of the member that has it. */
export function valueText(value: unknown, name = ''): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'boolean') return value ? words.form.yes : words.form.no;
  if (typeof value === 'number') return LENGTHS.test(name) ? formatDuration(value) : String(value);
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map((each) => valueText(each)).join(', ');
  return Object.entries(value)
    .map(([member, each]) => [member, valueText(each, member)])
    .flatMap(([member = '', text]) => (text ? `${nameText(member)}: ${text}` : []))
    .join('; ');
}

/** The same for people: moments are written as everywhere, and fingerprints break between two bytes. */
export function factOf({ language }: ConsoleVisit, name: string, value: unknown): Html {
  const text = valueText(value, name);
  if (/(?:At|Until)$/.test(name) && text) return html`${language.moment(momentOf(text))}`;
  if (name === 'lastAgent') return html`${agentWords(text)}`;
  return name === 'fingerprint' ? html`${text.split(/(?<=:)/).map((byte) => html`${byte}<wbr>`)}` : html`${text}`;
}

/** Those that say something, with dots between. */
export function dotted(parts: readonly Inset[]): Html {
  const said = parts.filter((part) => part !== undefined && part !== false && String(part) !== '');
  return html`${said.map((part, index) => html`${index > 0 && ' · '}${part}`)}`;
}

/** Whole words of a user agent, which is stored up to a length. */
export function agentWords(agent: string, most = AGENT_MAX_LENGTH - 1): string {
  return agent.length > most ? `${agent.slice(0, most).replace(/\s+\S*$/, '')}…` : agent;
}

/** Its first words. */
export function agentText(agent = ''): Html | undefined {
  return agent === '' ? undefined : html`<span title="${agent}">${agentWords(agent, 40)}</span>`;
}

/** Members with a number of seconds. */
const LENGTHS = /(?:Lifetime|Window)$/;

export function button(path: string, text: string, style = 'quiet'): Html {
  return html` <a class="button ${style}" href="${path}">${text}</a>`;
}

export function card(title: string, content: Html): Html {
  return html`<section class="card"><h2>${title}</h2>${content}</section>`;
}

/** What the address says under these names. */
export function textsIn(visit: ConsoleVisit, names: readonly string[]): Record<string, string> {
  const given = names.map((name) => [name, queryOf(visit, name)?.trim() ?? ''] as const);
  return Object.fromEntries(given.filter(([, text]) => text !== ''));
}

/** Where it is folded, it says what is set. */
export function filterForm(path: string, fields: Html, set: readonly string[], isOpen = false): Html {
  const form = html`<form method="get" action="${path}" class="filter">${fields}
<button class="button quiet">${words.filter.show}</button></form>`;
  return folded('filter', [words.filter.title, ...set].join(' · '), form, isOpen);
}

/** On a phone, where it would fill the screen. */
export function folded(id: string, title: string, content: Html, isOpen = false): Html {
  return html`<details class="fold" id="${id}"${isOpen && html` open`}><summary>${title}</summary>${content}</details>`;
}

/** A form with its button and the way back, by address or by a button of the form. Without a name for the button, only that. */
export function doForm(
  visit: ConsoleVisit,
  path: string,
  fields: Html,
  name: string | undefined,
  back: string | Html,
  style = '',
  kind = '',
): Html {
  const ways = html`<div class="ways">${name && html`<button class="button ${style}">${name}</button>`}${typeof back === 'string' ? button(back, words.object.back) : back}</div>`;
  return postForm(visit, path, html`${fields}${ways}`, kind);
}

/** `accessTokenLifetime`: Access token lifetime. */
export function nameText(name: string): string {
  if (Object.hasOwn(words.form.names, name)) return words.form.names[name as keyof typeof words.form.names];
  const spaced = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replaceAll('.', ': ');
  const capital = spaced.slice(0, 1).toUpperCase() + spaced.slice(1);
  return capital.replaceAll(/\b(?:pem|crl|ocsp|upn|ml|dsa|url|api)\b/gi, (word) => word.toUpperCase());
}

/** Ids have braces, colons and, if they come from elsewhere, anything. */
export function pathOf(place: string, id: string): string {
  return `/console/${place}/${encodeURIComponent(id)}`;
}

/** To what the service knows about a request. Owners have no such page. */
export function requestLink({ owned }: ConsoleVisit, id: string | undefined): Html | undefined {
  if (!id) return undefined;
  return owned
    ? html`<span class="id small">${id}</span>`
    : html`<a class="id small" href="${pathOf('requests', id)}">${id}</a>`;
}

export function integrationLink(clientId = ''): Html | undefined {
  return clientId === '' ? undefined : html`<a href="${pathOf('integrations', clientId)}">${clientId}</a>`;
}

/** To all grants that a certificate got: by its serial number, or its mark in a grant. */
export function certificateLink(certificate: string): Html {
  return html`<a class="id" href="/console/grants?${new URLSearchParams({ certificate, all: 'yes' }).toString()}">${certificate}</a>`;
}

/** How a filter names an identity: by its user name, if no other has it. Owners do not learn the name of anybody. */
export async function filterName({ ports, owned }: ConsoleVisit, id: string): Promise<string> {
  if (owned) return id;
  const name = (await userNames([id], ports)).get(id) ?? id;
  const found = await findIdentity(name, ports);
  return found.ok && found.value.id === id ? name : id;
}

/** A link to an identity, by its user name if it has one. */
export function identityLink(id: string | undefined, names: ReadonlyMap<string | undefined, string>): Html | undefined {
  if (!id) return undefined;
  const name = names.get(id);
  return html`<a href="${pathOf('identities', id)}"${name === undefined && html` class="id"`} title="${id}">${name ?? id}</a>`;
}
