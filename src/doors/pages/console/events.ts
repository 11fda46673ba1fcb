// The event log: filtered, page by page, and exported.
import { type Act, type Author, actWords, authorWords } from '../../../core/act.ts';
import { csvCell, EVENT_COLUMNS, EVENT_TYPES, eventAsCsv } from '../../../core/event.ts';
import { type EpochSeconds, isoTime } from '../../../core/time.ts';
import { userNames } from '../../../operations/admin/find-grants.ts';
import type { Answer } from '../parts/answer.ts';
import { type Html, html } from '../parts/html.ts';
import type { PageRoute } from '../parts/route.ts';
import { enConsole } from '../parts/texts/en-console.ts';
import { queryOf } from '../parts/visit.ts';
import { type ConsoleParts, type ConsoleVisit, show } from './access.ts';
import { type Fault, faultBoxOf, faultOf } from './fault.ts';
import { faultMarks } from './fields/field.ts';
import {
  agentText,
  agentWords,
  ago,
  button,
  consolePage,
  dotted,
  filterForm,
  filterName,
  identityLink,
  integrationLink,
  pathOf,
  refusalOf,
  requestLink,
  table,
  textsIn,
  valueText,
} from './frame.ts';
import { type LoggedEvent, THING_KINDS } from './things.ts';

const words = enConsole.events;

const SHOWN = 25;
/** In one request to the act, and in one file. */
const EXPORTED_AT_ONCE = 10_000;
const EXPORTED = 50_000;

export function eventRoutes(parts: ConsoleParts): PageRoute[] {
  return [
    show(parts, '/events', 'console-events', showEvents),
    show(parts, '/events.jsonl', 'console-export', (visit) => exportEvents(visit, 'jsonl')),
    show(parts, '/events.csv', 'console-export', (visit) => exportEvents(visit, 'csv')),
  ];
}

/** The fields of the filter that are typed. */
const TEXTS = ['identity', 'integration', 'about', 'by', 'from', 'to'] as const;

/** What the address asks for, and nothing that the act does not know. */
function queryFrom(visit: ConsoleVisit): Record<string, string | number> {
  const numbers = ['within', 'before'].map((name) => [name, Number(queryOf(visit, name) ?? '')] as const);
  const type = EVENT_TYPES.find((each) => each === queryOf(visit, 'type'));
  return {
    ...(type && { type }),
    ...Object.fromEntries(numbers.filter(([, number]) => Number.isSafeInteger(number) && number > 0)),
    ...textsIn(visit, [...TEXTS, 'requestId']),
  };
}

async function showEvents(visit: ConsoleVisit): Promise<Answer> {
  const query = queryFrom(visit);
  const found = await visit.act('event-list', { query: { ...query, limit: SHOWN } });
  if (!found.ok) {
    const fault = faultOf(found.refusal, TEXTS, query);
    return refusalOf(visit, 'events', found.refusal, html`${faultBoxOf(fault)}${filterOf(query, fault)}`);
  }
  const events = found.value.value.items.toReversed();
  const { next: oldest } = found.value.value;
  const { identity } = query;
  const link = (path: string, more: object = {}) => {
    const asked = Object.entries({ ...query, ...more }).map(([name, value]): [string, string] => [name, `${value}`]);
    return `${path}?${new URLSearchParams(asked)}`;
  };
  const body = html`<p class="small">${words.refusals} <a href="/console#refused">${words.toRefusals}</a></p>${filterOf(identity ? { ...query, identity: await filterName(visit, String(identity)) } : query)}
<div id="live" data-live>${events.length === 0 ? html`<p>${oldest === undefined ? words.none : words.noneYet}</p>` : await eventTable(visit, events)}</div>
<p class="ways">${oldest !== undefined && button(link('/console/events', { before: oldest }), words.older)}${button(link('/console/events.jsonl'), `${words.export}: JSON lines`)}${button(link('/console/events.csv'), `${words.export}: CSV`)}</p>`;
  const isLive = query['before'] === undefined && query['to'] === undefined;
  return consolePage(visit, 'events', enConsole.menu.events, body, { isLive });
}

function filterOf(query: Readonly<Record<string, string | number>>, fault?: Fault): Html {
  const option = (value: string, text: string, chosen: string | number | undefined) =>
    html`<option value="${value}"${String(chosen ?? '') === value && html` selected`}>${text}</option>`;
  const field = (name: (typeof TEXTS)[number]) => {
    const marks = faultMarks(name, fault);
    return html`<div class="field"><label for="${name}">${words[name]}</label>${marks.text}<input id="${name}" name="${name}" value="${String(query[name] ?? '')}"${['from', 'to'].includes(name) && html` type="datetime-local"`}${marks.attributes}></div>`;
  };
  const fields = html`<div class="field"><label for="type">${words.type}</label><select id="type" name="type">${option('', words.any, query['type'])}${EVENT_TYPES.map((type) => option(type, type, query['type']))}</select></div>
<div class="field"><label for="within">${words.within}</label><select id="within" name="within">${option('', words.any, query['within'])}${Object.entries(words.spans).map(([value, text]) => option(value, text, query['within']))}</select></div>
${TEXTS.map(field)}`;
  const { before: _, ...set } = query;
  const said = Object.values(set).map((value) => words.spans[value] ?? String(value));
  return filterForm('/console/events', fields, said, fault !== undefined);
}

/** `more`: what can be done about one. */
export async function eventTable(
  visit: ConsoleVisit,
  events: readonly LoggedEvent[],
  more: (event: LoggedEvent) => Html = () => html``,
): Promise<Html> {
  const names = await namesIn(events, visit);
  return table(
    enConsole.menu.events,
    [
      [
        words.time,
        ({ at }) => html`<span class="when">${timeText(at)}</span><br> <span class="small">${ago(visit, at)}</span>`,
      ],
      [words.what, (event) => html`${eventWords(event, names)}${more(event)}`],
      [words.identity, ({ identityId }) => identityLink(identityId, names)],
      [words.integration, ({ clientId }) => integrationLink(clientId)],
      [
        words.where,
        ({ presenter, requestId }) =>
          html`${presenter && html`<span class="id">${presenter.address}</span> <span class="small">${agentText(presenter.agent)}</span><br>`}${requestLink(visit, requestId)}`,
      ],
    ],
    events,
    'events',
  );
}

function timeText(at: EpochSeconds): string {
  return isoTime(at).replace('T', ' ').replace('Z', ' UTC');
}

export type Names = Awaited<ReturnType<typeof userNames>>;

/** The user names of all whom these events mention. */
export function namesIn(events: readonly LoggedEvent[], { ports }: ConsoleVisit): Promise<Names> {
  const mentioned = events.flatMap((event) => {
    const by = authorOf(event);
    const holder = event.type === 'administered' ? holderOf(event.detail) : undefined;
    return [event.identityId, by?.as === 'identity' ? by.id : undefined, holder];
  });
  return userNames(mentioned, ports);
}

function authorOf({ type, detail }: LoggedEvent): Author | undefined {
  return type !== 'issued' && detail && 'by' in detail ? detail.by : undefined;
}

function holderOf({ kind, id }: Act): string | undefined {
  return kind === 'identity' || kind === 'passkey' ? id : undefined;
}

export function authorText(author: Author, names: Names): Html {
  if (author.as !== 'identity') return html`${authorWords(author)}`;
  const words = authorWords(author).replace(author.id, (id) => names.get(id) ?? id);
  return html`<a href="${pathOf('identities', author.id)}" title="${author.id}">${words}</a>`;
}

function thingLink(act: Act, names: Names): Html {
  const place = THING_KINDS.find(({ kind }) => kind === act.kind)?.place;
  const holder = identityLink(holderOf(act), names);
  return holder ?? (place ? html`<a href="${pathOf(place, act.id)}">${act.id}</a>` : html`${act.id}`);
}

/** What an operator should not overlook. */
export function isBad({ type, detail }: LoggedEvent): boolean {
  return type === 'reused' || type === 'revoked' || (type === 'retried' && detail.alarm);
}

/** What happened, with who did it and what changed. `here`: the grant whose page it is on. */
export function eventWords(event: LoggedEvent, names: Names, here?: string): Html {
  const { type, detail, subjectId } = event;
  const by = authorOf(event);
  const author = by && authorText(by, names);
  const grant =
    subjectId !== undefined &&
    subjectId !== here &&
    html` <a class="id" href="${pathOf('grants', subjectId)}">${enConsole.grant.one(subjectId)}</a>`;
  if (type === 'administered') {
    const changed = 'changed' in detail ? Object.entries(detail.changed) : [];
    return html`<strong>${actWords(detail)}</strong> ${thingLink(detail, names)}
${changed.map(([name, { before, after }]) => html`<br><span class="small">${name}: ${valueText(before)} → ${valueText(after)}</span>`)}
<br><span class="small">${author}</span>`;
  }
  const { by: _, ...facts } = { by: undefined, ...detail };
  const text = (name: string, value: unknown) =>
    name === 'until'
      ? timeText(value as EpochSeconds)
      : name === 'firstAgent'
        ? agentWords(String(value))
        : valueText(value);
  const notes = Object.entries(facts).map(([name, value]) => `${name}: ${text(name, value)}`);
  return html`<strong${isBad(event) && html` class="state bad"`}>${type}</strong>${grant}<br><span class="small">${dotted([...notes, author])}</span>`;
}

/** The newest that fit into a file. If there are older ones, its name and its last line say so. */
async function exportEvents(visit: ConsoleVisit, form: 'jsonl' | 'csv'): Promise<Answer> {
  const query = queryFrom(visit);
  const line = form === 'jsonl' ? jsonLine : (event: LoggedEvent) => `${eventAsCsv(event)}\r\n`;
  const pages: string[] = [];
  let before: string | undefined;
  let count = 0;
  do {
    const more = before === undefined ? {} : { before: Number(before) };
    const found = await visit.act('event-list', { query: { ...query, ...more, limit: EXPORTED_AT_ONCE } });
    if (!found.ok) return refusalOf(visit, 'events', found.refusal);
    const { items, next } = found.value.value;
    pages.unshift(items.map(line).join(''));
    count += items.length;
    before = next;
  } while (before !== undefined && pages.length * EXPORTED_AT_ONCE < EXPORTED);
  const file = `${before === undefined ? 'events' : `events-newest-${count}`}.${form}`;
  const left = before === undefined ? undefined : words.olderLeft(before);
  const first = form === 'jsonl' ? '' : `${EVENT_COLUMNS.join(',')}\r\n`;
  const last = left === undefined ? '' : form === 'jsonl' ? jsonLine({ truncated: left }) : `${csvCell(left)}\r\n`;
  return { file, type: form === 'jsonl' ? 'application/x-ndjson' : 'text/csv', text: first + pages.join('') + last };
}

function jsonLine(value: object): string {
  return `${JSON.stringify(value)}\n`;
}
