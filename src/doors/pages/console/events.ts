// The event log: filtered, page by page, and exported.
import { actWords, authorWords } from '../../../core/act.ts';
import { EVENT_TYPES, type EventType } from '../../../core/event.ts';
import { type EpochSeconds, isoTime } from '../../../core/time.ts';
import type { Gives } from '../../../operations/admin/act-formats.ts';
import { userNames } from '../../../operations/admin/show-grant.ts';
import type { Answer } from '../parts/answer.ts';
import { type Html, html } from '../parts/html.ts';
import type { PageRoute } from '../parts/route.ts';
import { enConsole } from '../parts/texts/en-console.ts';
import { queryOf } from '../parts/visit.ts';
import { type ConsoleParts, type ConsoleVisit, show } from './access.ts';
import { ago, consolePage, identityLink, pathOf, refusalOf, table, valueText } from './frame.ts';

const words = enConsole.events;
export type LoggedEvent = Gives['event-list']['items'][number];

const SHOWN = 100;
const EXPORTED = 10_000;

export function eventRoutes(parts: ConsoleParts): PageRoute[] {
  return [
    show(parts, '/events', 'console-events', showEvents),
    show(parts, '/events.jsonl', 'console-export', (visit) => exportEvents(visit, 'jsonl')),
    show(parts, '/events.csv', 'console-export', (visit) => exportEvents(visit, 'csv')),
  ];
}

/** What the address asks for, and nothing that the act does not know. */
function queryFrom(visit: ConsoleVisit): Record<string, string | number> {
  const [type, within, before] = ['type', 'within', 'before'].map((name) => queryOf(visit, name) ?? '');
  return {
    ...((EVENT_TYPES as readonly string[]).includes(type ?? '') && { type: type as EventType }),
    ...(/^\d{1,9}$/.test(within ?? '') && { within: Number(within) }),
    ...(/^\d{1,15}$/.test(before ?? '') && { before: Number(before) }),
    ...Object.fromEntries(
      ['identity', 'integration', 'requestId'].flatMap((name) => {
        const given = queryOf(visit, name);
        return given ? [[name, given]] : [];
      }),
    ),
  };
}

async function showEvents(visit: ConsoleVisit): Promise<Answer> {
  const query = queryFrom(visit);
  const found = await visit.act('event-list', { query: { ...query, limit: SHOWN } });
  if (!found.ok) return refusalOf(visit, 'events', found.refusal);
  const events = found.value.value.items.toReversed();
  const { next: oldest } = found.value.value;
  const link = (path: string, more: object = {}) =>
    `${path}?${new URLSearchParams({ ...stringsOf(query), ...stringsOf(more) })}`;
  const body = html`${filterForm(query)}
<div id="live" data-live>${events.length === 0 ? html`<p>${words.none}</p>` : await eventTable(visit, events)}</div>
<p class="ways">${oldest !== undefined && html`<a class="button quiet" href="${link('/console/events', { before: oldest })}">${words.older}</a>`}
<a class="button quiet" href="${link('/console/events.jsonl')}">${words.export}: JSON lines</a>
<a class="button quiet" href="${link('/console/events.csv')}">${words.export}: CSV</a></p>`;
  const shown = consolePage(visit, 'events', words.title, body);
  return { ...shown, page: { ...shown.page, hasScript: query['before'] === undefined } };
}

function stringsOf(query: object): Record<string, string> {
  return Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]));
}

function filterForm(query: Record<string, string | number>): Html {
  const option = (value: string, text: string, chosen: string | number | undefined) =>
    html`<option value="${value}"${String(chosen ?? '') === value && html` selected`}>${text}</option>`;
  const field = (name: 'identity' | 'integration') =>
    html`<div class="field"><label for="${name}">${words[name]}</label><input id="${name}" name="${name}" value="${String(query[name] ?? '')}"></div>`;
  return html`<form method="get" action="/console/events" class="filter">
<div class="field"><label for="type">${words.type}</label><select id="type" name="type">${option('', words.any, query['type'])}${EVENT_TYPES.map((type) => option(type, type, query['type']))}</select></div>
${field('identity')}${field('integration')}
<div class="field"><label for="within">${words.within}</label><select id="within" name="within">${option('', words.any, query['within'])}${Object.entries(words.spans).map(([value, text]) => option(value, text, query['within']))}</select></div>
<button class="button quiet">${enConsole.grant.filter}</button>
</form>`;
}

export async function eventTable(visit: ConsoleVisit, events: readonly LoggedEvent[]): Promise<Html> {
  const ids = events.map(({ identityId }) => identityId);
  const names = await userNames(ids, visit.ports);
  return table(
    words.title,
    [
      { title: words.time, cell: ({ at }) => ago(visit, at) },
      { title: words.what, cell: eventWords },
      {
        title: words.identity,
        cell: ({ identityId }) => identityLink(identityId, names),
      },
      {
        title: words.integration,
        cell: ({ clientId }) =>
          clientId !== undefined && html`<a href="${pathOf('integrations', clientId)}">${clientId}</a>`,
      },
      {
        title: words.where,
        cell: ({ presenter, requestId }) =>
          html`${presenter && html`<span class="id">${presenter.address}</span><br><span class="small">${presenter.agent}</span>`} <span class="id small">${requestId}</span>`,
      },
    ],
    events,
  );
}

/** What happened, with who did it and what changed. */
export function eventWords(event: LoggedEvent): Html {
  const { type, detail, subjectId } = event;
  const author = type !== 'issued' && detail && 'by' in detail && detail.by ? authorWords(detail.by) : undefined;
  const grant =
    subjectId !== undefined && html` <a class="id" href="${pathOf('grants', subjectId)}">${subjectId.slice(0, 8)}…</a>`;
  if (type === 'administered') {
    const changed = 'changed' in detail ? Object.entries(detail.changed) : [];
    return html`<strong>${actWords(detail)}</strong> ${detail.id}
${changed.map(([name, { before, after }]) => html`<br><span class="small">${name}: ${valueText(before)} → ${valueText(after)}</span>`)}
<br><span class="small">${author}</span>`;
  }
  const { by: _, ...facts } = { by: undefined, ...detail };
  const text = (name: string, value: unknown) => (name === 'until' ? isoTime(value as EpochSeconds) : valueText(value));
  const notes = Object.entries(facts).map(([name, value]) => `${name}: ${text(name, value)}`);
  return html`<strong>${type}</strong>${grant}<br><span class="small">${[...notes, author].filter(Boolean).join(' · ')}</span>`;
}

async function exportEvents(visit: ConsoleVisit, form: 'jsonl' | 'csv'): Promise<Answer> {
  const found = await visit.act('event-list', { query: { ...queryFrom(visit), limit: EXPORTED } });
  if (!found.ok) return refusalOf(visit, 'events', found.refusal);
  const { items } = found.value.value;
  return form === 'jsonl'
    ? {
        file: 'events.jsonl',
        type: 'application/x-ndjson',
        text: items.map((event) => `${JSON.stringify(event)}\n`).join(''),
      }
    : { file: 'events.csv', type: 'text/csv', text: [COLUMNS, ...items.map(rowOf)].map(csvLine).join('') };
}

const COLUMNS = [
  'sequence',
  'at',
  'type',
  'clientId',
  'identityId',
  'subjectId',
  'address',
  'agent',
  'requestId',
  'detail',
];

function rowOf({ sequence, at, type, clientId, identityId, subjectId, presenter, requestId, detail }: LoggedEvent) {
  const from = [presenter?.address, presenter?.agent, requestId];
  return [sequence, isoTime(at), type, clientId, identityId, subjectId, ...from, detail && JSON.stringify(detail)];
}

/** RFC 4180. A text that a spreadsheet would take for a formula gets an apostrophe. */
function csvLine(cells: readonly (string | number | undefined)[]): string {
  const cell = (value: string | number | undefined) => {
    const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value ?? '');
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return `${cells.map(cell).join(',')}\r\n`;
}
