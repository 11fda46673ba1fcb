// The form of a thing: what was entered, what it would do, and what somebody else did meanwhile.
import { isDeepStrictEqual } from 'node:util';
import { weakeningsOf } from '../../../core/rules/weakening.ts';
import { type Preview, previewPut, type Touched } from '../../../operations/admin/foresee.ts';
import type { Schema } from '../../../schema.ts';
import type { Answer } from '../parts/answer.ts';
import { type Html, html } from '../parts/html.ts';
import { alertBox, hiddenFields } from '../parts/layout.ts';
import type { Form } from '../parts/route.ts';
import { enConsole } from '../parts/texts/en-console.ts';
import { enForesight } from '../parts/texts/en-foresight.ts';
import { queryOf } from '../parts/visit.ts';
import { type ConsoleVisit, idOf, isTheirs } from './access.ts';
import { eventTable } from './events.ts';
import { type Fault, faultBoxOf, faultIn, faultOf } from './fault.ts';
import { faultMarks } from './fields/field.ts';
import { fieldNames, fieldsFor, readObject, secretsOf } from './form.ts';
import {
  button,
  card,
  consolePage,
  doForm,
  factList,
  factOf,
  nameText,
  parseJson,
  pathOf,
  refusalOf,
  type TableColumn,
  table,
  valueText,
} from './frame.ts';
import { actOf, formerIn, type LoggedEvent, schemaOf, type Thing, type ThingKind, titleOf } from './things.ts';

const words = enConsole.object;

export const HIDDEN = ['revision', 'seen', 'step', 'edit', 'undo', 'object_name'] as const;

/** A new thing, or one that is changed. `like`: as one that was removed. */
export async function showForm(visit: ConsoleVisit, of: ThingKind): Promise<Answer> {
  const [id, like] = [idOf(visit), queryOf(visit, 'like') ?? ''];
  if (!mayPut(visit, of, id || undefined)) return notTheirs(visit, of);
  if (id + like === '') return formPage(visit, of, undefined, {});
  const found = await actOf(visit, of, 'show', { id: id || like });
  if (!found.ok) return refusalOf(visit, of.place, found.refusal);
  const { value, revision } = found.value;
  const key = String(value[of.key]);
  const former = id ? await formerOf(visit, of, value) : {};
  const [seen, above] = [JSON.stringify(value), await lastChanges(visit, of, value)];
  if (id) return formPage(visit, of, key, value, { revision, seen, above, former });
  const doubt = html`<p class="notice">${words.asBefore()}</p>${await doubtBox(visit, of, value)}`;
  return formPage(visit, of, undefined, value, { name: like, isAgain: true, above: doubt });
}

/** The last acts of this thing, newest first: whoever repairs one finds there what was before, and can put it back. */
export async function lastChanges(visit: ConsoleVisit, of: ThingKind, thing: Thing): Promise<Html | undefined> {
  const id = String(thing[of.key]);
  const last = (await changesOf(visit, of, id)).slice(0, LAST_CHANGES);
  const mayChange = visit.may === 'manage' && mayPut(visit, of, id);
  const putBack = (event: LoggedEvent) => {
    const names = mayChange ? Object.keys(formerStill(event, of, thing)) : [];
    const path = `${pathOf(of.place, id)}/change?undo=${event.sequence}#${names[0]}_noted`;
    return html`${names.length > 0 && html`<br><a href="${path}">${words.putBack(names.map(nameText).join(', '))}</a>`}`;
  };
  return last.length > 0 ? card(words.changes, await eventTable(visit, last, putBack)) : undefined;
}

const LAST_CHANGES = 3;

async function changesOf(visit: ConsoleVisit, { kind }: ThingKind, id: string): Promise<readonly LoggedEvent[]> {
  const acts = visit.owned ? undefined : await visit.act('event-list', { query: { about: id, limit: 10 } });
  const isOf = ({ type, detail }: LoggedEvent) =>
    type === 'administered' && (detail.kind === kind || detail.kind === 'passkey');
  return acts?.ok ? acts.value.value.items.filter(isOf).toReversed() : [];
}

/** What the event that the address names changed, as it was before. */
async function formerOf(visit: ConsoleVisit, of: ThingKind, thing: Thing): Promise<Thing> {
  const undo = queryOf(visit, 'undo');
  const changes = undo === undefined ? [] : await changesOf(visit, of, String(thing[of.key]));
  const event = changes.find(({ sequence }) => String(sequence) === undo);
  return event ? formerStill(event, of, thing) : {};
}

/** What a form can put back: nobody changed it since. */
function formerStill(event: LoggedEvent, of: ThingKind, thing: Thing): Thing {
  const { changed = {} } = event.type === 'administered' && 'changed' in event.detail ? event.detail : {};
  const members = schemaOf(of).properties ?? {};
  const isStill = ([name]: [string, unknown]) =>
    members[name]?.readOnly === undefined && isDeepStrictEqual(thing[name], changed[name]?.after);
  return Object.fromEntries(Object.entries(formerIn(event)).filter(isStill));
}

/** What ended may have been ended on purpose: by whom, and when. */
export async function doubtBox(visit: ConsoleVisit, of: ThingKind, thing: Thing): Promise<Html> {
  return html`<p class="warning">${enConsole.refusals.doubt}</p>${await lastChanges(visit, of, thing)}`;
}

interface Filled {
  readonly revision?: number | undefined;
  /** What is put back. */
  readonly former?: Thing;
  /** The first member that is. */
  readonly undo?: string | undefined;
  /** The last changes. */
  readonly above?: Html | undefined;
  readonly fault?: Fault;
  /** The object as the form showed it first, to say later what changed meanwhile. */
  readonly seen?: string | undefined;
  /** Of a new thing. */
  readonly name?: string;
  /** A removed thing is registered again, with its name. */
  readonly isAgain?: boolean;
}

function pathsOf({ place }: ThingKind, id: string | undefined): readonly [form: string, back: string] {
  return id === undefined
    ? [`/console/${place}/new`, `/console/${place}`]
    : [`${pathOf(place, id)}/change`, pathOf(place, id)];
}

function formPage(
  visit: ConsoleVisit,
  of: ThingKind,
  id: string | undefined,
  thing: Thing,
  { revision, former = {}, undo = Object.keys(former)[0], above, fault, seen, name = '', isAgain = false }: Filled = {},
): Answer {
  const { place } = of;
  const [path, back] = pathsOf(of, id);
  const schema = schemaOf(of);
  const marks = faultMarks('object_name', fault);
  const note = (name: string) => `${words.asBefore(nameText(name))} ${enConsole.refusals.doubtChange}`;
  const notes = Object.keys(former).map((name) => [name, { ...schema.properties?.[name], note: note(name) }]);
  const fields = html`${id === undefined && html`<div class="field"><label for="object_name">${words.name}</label>${marks.text}<input id="object_name" name="object_name" required value="${name}"${isAgain && html` readonly`}${marks.attributes}></div>`}
${hiddenFields({ step: 'check', revision, seen, undo })}
${fieldsFor({ ...schema, properties: { ...schema.properties, ...Object.fromEntries(notes) } }, { ...thing, ...former }, enConsole.form.groups[place], fault)}`;
  const added = isAgain ? `${words.again}: ${name}` : `${enConsole.menu[place]}: ${words.add}`;
  const title = id === undefined ? added : `${words.change}: ${titleOf(thing, id)}`;
  const form = doForm(visit, path, fields, words.preview, back, '', 'object-form');
  const body = html`${fault ? faultBoxOf(fault) : above}<div class="card">${form}</div>`;
  return consolePage(visit, place, title, body, { status: fault && 400 });
}

export async function takeForm(visit: ConsoleVisit, of: ThingKind, form: Form): Promise<Answer> {
  const known = idOf(visit) || undefined;
  const schema = schemaOf(of);
  if (!mayPut(visit, of, known)) return notTheirs(visit, of);
  const body = readObject(schema, form);
  const id = known ?? form['object_name'] ?? '';
  const was = known === undefined ? await removedThing(visit, of, id) : undefined;
  const { undo, seen } = form;
  const filled = { revision: revisionOf(form), undo, seen, name: id, isAgain: was !== undefined };
  const again = (fault?: Fault) => formPage(visit, of, known, body, { ...filled, ...(fault && { fault }) });
  if (form['edit'] === 'yes') return again();
  const secrets = secretsOf(schema).names;
  const names = [...(known === undefined ? ['object_name'] : []), ...fieldNames(schema)];
  const flaw = faultIn(schema as Schema, body, names);
  if (flaw) return again(flaw);
  const plan = await previewPut(of.section, id, body, visit.ports, visit.actsOn);
  if (!plan.ok) return again(faultOf(plan.refusal, names, form));
  const draft = { id, known, form, was };
  if (form['step'] !== 'do') return previewPage(visit, of, draft, plan.value);
  const onlyIf = known === undefined ? ('absent' as const) : revisionOf(form);
  const done = await actOf(visit, of, 'put', { id, body, onlyIf });
  if (done.ok) return { goTo: `${pathOf(of.place, String(done.value.value[of.key]))}?done=yes` };
  if (done.refusal.reason === 'changed-meanwhile') return stalePage(visit, of, id, form);
  const fault = faultOf(done.refusal, names, form);
  return secrets.includes(fault.field ?? '') ? previewPage(visit, of, draft, plan.value, fault) : again(fault);
}

/** The thing of that name that was removed, if its name may be used again. */
async function removedThing(visit: ConsoleVisit, of: ThingKind, id: string): Promise<Thing | undefined> {
  const found = of.isKept && id ? await actOf(visit, of, 'show', { id }) : undefined;
  return found?.ok && found.value.value['enabled'] === false ? found.value.value : undefined;
}

/** A preview shows the thing as it is: owners change theirs only, and make none. */
export function mayPut(visit: ConsoleVisit, { kind }: ThingKind, id: string | undefined): boolean {
  return isTheirs(visit, kind === 'integration' ? id : undefined);
}

export function notTheirs(visit: ConsoleVisit, { place }: ThingKind): Answer {
  return refusalOf(visit, place, { reason: 'permission-missing', about: 'manage' });
}

export function revisionOf(form: Form): number | undefined {
  const text = form['revision'] ?? '';
  return /^[0-9]{1,15}$/.test(text) ? Number(text) : undefined;
}

interface Draft {
  readonly id: string;
  readonly known: string | undefined;
  readonly form: Form;
  readonly was: Thing | undefined;
}

/** What would change, and what that does to living grants. The values travel in hidden fields, as they were entered; secrets are entered here. */
function previewPage(
  visit: ConsoleVisit,
  of: ThingKind,
  { id, known, form, was }: Draft,
  plan: Preview,
  fault?: Fault,
): Answer {
  const schema = schemaOf(of);
  const isEmpty = ({ after }: { readonly after?: unknown }) => known === undefined && !valueText(after);
  const all = was ? differences({ ...was, enabled: true }, plan.facts ?? {}) : Object.entries(plan.fields);
  const changes = all.filter(([name, change]) => name !== 'pem' && !isEmpty(change));
  const [path] = pathsOf(of, known);
  const secrets = secretsOf(schema, fault);
  const left = ['form_token', 'step', ...secrets.names];
  const entered = Object.fromEntries(Object.entries(form).filter(([name]) => !left.includes(name)));
  const isFact = (name: string) => name !== 'enabled' && schema.properties?.[name]?.readOnly;
  const facts = Object.entries(plan.facts ?? {}).filter(([name]) => isFact(name));
  const isNew = known === undefined && !was;
  const isIdle = known !== undefined && Object.keys(plan.fields).length === 0;
  const weaker = isNew ? [] : weakeningsOf(all);
  const again = all.length === 0 ? words.asItWas : words.notAsItWas;
  const nature = was ? again : isNew ? words.created : isIdle && words.nothingChanges;
  const doubt = was ? enConsole.refusals.doubt : form['undo'] && enConsole.refusals.doubtChange;
  const name = was ? words.again : isNew ? words.add : words.change;
  const fields = html`${hiddenFields({ ...entered, step: 'do' })}${known === undefined && secrets.fields}`;
  const back = html`<button class="button quiet" name="edit" value="yes" formnovalidate>${words.back}</button>`;
  const body = html`${fault && faultBoxOf(fault)}<div class="card">
${nature && html`<p>${nature}</p>`}
${doubt && html`<p class="warning">${doubt}</p>`}
${factList(facts.map(([name, value]) => [nameText(name), factOf(visit, name, value)]))}
${changes.length > 0 && changeTable(words.previewTitle, changes, isNew)}
${weaker.length > 0 && html`<div class="warning">${weaker.map((each) => html`<p><strong>${each}</strong></p>`)}</div>`}
${plan.touched && touchedBox(plan.touched, 'change')}
${doForm(visit, path, fields, isIdle ? undefined : name, back)}
</div>`;
  return consolePage(visit, of.place, `${words.previewTitle}: ${titleOf(form, id)}`, body, { status: fault && 400 });
}

type Changes = readonly (readonly [name: string, change: { readonly before?: unknown; readonly after?: unknown }])[];

function changeTable(title: string, changes: Changes, isNew = false): Html {
  const side = (when: 'before' | 'after'): TableColumn<Changes[number]> => [
    words[when],
    ([name, change]) => valueText(change[when], name) || '–',
  ];
  const sides = isNew ? [side('after')] : [side('before'), side('after')];
  return table(title, [[words.field, ([name]) => nameText(name)], ...sides], changes);
}

export function touchedBox(
  { grants, holders, names, isComplete }: Touched,
  way: keyof typeof enForesight.touched.ways,
): Html {
  const text = enForesight.touched;
  if (grants === 0) return html`<p>${isComplete ? text.none : text.noneOfNewest}</p>`;
  const more = holders > names.length ? [...names, '…'] : names;
  return html`<div class="warning"><p><strong>${text.some(grants, holders, more.join(', '), isComplete)}</strong> ${text.ways[way]}</p></div>`;
}

/** Two operators at once: the form shows the second what the first did. */
export async function stalePage(visit: ConsoleVisit, of: ThingKind, id: string, form: Form): Promise<Answer> {
  const now = await actOf(visit, of, 'show', { id });
  if (!now.ok) return refusalOf(visit, of.place, now.refusal);
  const [before, after] = [parsed(form['seen']), now.value.value];
  const body = html`${alertBox(words.stale, words.staleText)}${changeTable(words.stale, differences(before, after))}
<p class="ways">${button(`${pathOf(of.place, id)}/change`, words.openAgain, '')}${button(`/console/events?about=${encodeURIComponent(id)}`, enConsole.done.events)}</p>`;
  return consolePage(visit, of.place, words.stale, body, { status: 412 });
}

function differences(before: Thing, after: Thing): Changes {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((name) => !isDeepStrictEqual(before[name], after[name]))
    .map((name) => [name, { before: before[name], after: after[name] }]);
}

function parsed(text = ''): Thing {
  const value = parseJson(text);
  return typeof value === 'object' && value !== null ? (value as Thing) : {};
}
