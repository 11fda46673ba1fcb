// The form of a thing: what was entered, what it would do, and what somebody else did meanwhile.
import { isDeepStrictEqual } from 'node:util';
import { type Preview, previewPut } from '../../../operations/admin/acts/preview.ts';
import type { Touched } from '../../../operations/admin/foresee.ts';
import { flawOf } from '../../../schema.ts';
import type { Answer } from '../parts/answer.ts';
import { type Html, html } from '../parts/html.ts';
import { alertBox, postForm } from '../parts/layout.ts';
import type { Form } from '../parts/route.ts';
import { enConsole } from '../parts/texts/en-console.ts';
import { type ConsoleVisit, idOf } from './access.ts';
import { fieldsFor, readObject, secretsOf } from './form.ts';
import { consolePage, nameText, pathOf, refusalBox, refusalOf, table, valueText } from './frame.ts';
import { actOf, schemaOf, type Thing, type ThingKind } from './things.ts';

const words = enConsole.object;

export const HIDDEN = ['revision', 'seen', 'step', 'object_name'] as const;

export async function showForm(visit: ConsoleVisit, of: ThingKind): Promise<Answer> {
  const found = await actOf(visit, of, 'show', { id: idOf(visit) });
  if (!found.ok) return refusalOf(visit, of.place, found.refusal);
  return formPage(visit, of, String(found.value.value[of.key]), found.value.value, found.value.revision);
}

/** `seen`: the object as the form showed it first, to say later what changed meanwhile. */
export function formPage(
  visit: ConsoleVisit,
  of: ThingKind,
  id: string | undefined,
  thing: Thing,
  revision: number | undefined,
  problem?: Html,
  objectName = '',
): Answer {
  const { place } = of;
  const path = id === undefined ? `/console/${place}/new` : `${pathOf(place, id)}/change`;
  const name =
    id === undefined &&
    html`<div class="field"><label for="object_name">${words.name}</label><input id="object_name" name="object_name" required value="${objectName}"></div>`;
  const fields = html`${name}${hiddenFields({ step: 'check', revision, seen: id === undefined ? undefined : JSON.stringify(thing) })}
<div class="fields">${fieldsFor(schemaOf(of), thing)}</div>
<div class="ways"><button class="button">${words.preview}</button> <a class="button quiet" href="${id === undefined ? `/console/${place}` : pathOf(place, id)}">${words.back}</a></div>`;
  const title = id === undefined ? `${enConsole.menu[place]}: ${words.add}` : `${id}: ${words.change}`;
  return consolePage(
    visit,
    place,
    title,
    html`${problem}<div class="card">${postForm(visit, path, fields, 'object-form')}</div>`,
    problem && 400,
  );
}

export function hiddenFields(values: Readonly<Record<string, string | number | undefined>>): Html {
  return html`${Object.entries(values).map(([name, value]) => value !== undefined && html`<input type="hidden" name="${name}" value="${String(value)}">`)}`;
}

export async function takeForm(
  visit: ConsoleVisit,
  of: ThingKind,
  form: Form,
  known: string | undefined,
): Promise<Answer> {
  const schema = schemaOf(of);
  if (!mayPut(visit, of, known)) return notTheirs(visit, of);
  const body = readObject(schema, form);
  const id = known ?? form['object_name'] ?? '';
  const again = (problem: Html) => formPage(visit, of, known, body, revisionOf(form), problem, id);
  const flaw = flawOf(schema, body);
  if (flaw !== undefined) return again(alertBox(flaw));
  const plan = await previewPut(of.section, id, body, visit.ports);
  if (!plan.ok) return again(refusalBox(plan.refusal));
  if (form['step'] !== 'do') return previewPage(visit, of, { id, known, body, form }, plan.value);
  const onlyIf = known === undefined ? ('absent' as const) : revisionOf(form);
  const done = await actOf(visit, of, 'put', { id, body, onlyIf });
  if (done.ok) return { goTo: `${pathOf(of.place, String(done.value.value[of.key]))}?done=yes` };
  return done.refusal.reason === 'changed-meanwhile' ? stalePage(visit, of, id, form) : again(refusalBox(done.refusal));
}

/** A preview shows the thing as it is: owners change theirs only, and make none. */
export function mayPut({ actsOn }: ConsoleVisit, { kind }: ThingKind, id: string | undefined): boolean {
  return !actsOn || (kind === 'integration' && actsOn.some((each) => each === id));
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
  readonly body: object;
  readonly form: Form;
}

/** What would change, and what that does to living grants. The values travel in hidden fields, as they were entered; secrets are entered here. */
function previewPage(visit: ConsoleVisit, of: ThingKind, { id, known, form }: Draft, plan: Preview): Answer {
  const { place } = of;
  const changes = Object.entries(plan.fields);
  const path = known === undefined ? `/console/${place}/new` : `${pathOf(place, known)}/change`;
  const secrets = secretsOf(schemaOf(of));
  const left = ['form_token', 'step', ...secrets.names];
  const entered = Object.fromEntries(Object.entries(form).filter(([name]) => !left.includes(name)));
  const columns = [
    { title: words.field, cell: ([name]: (typeof changes)[number]) => nameText(name) },
    { title: words.before, cell: ([, { before }]: (typeof changes)[number]) => valueText(before) },
    { title: words.after, cell: ([, { after }]: (typeof changes)[number]) => valueText(after) },
  ];
  const isIdle = known !== undefined && changes.length === 0;
  const body = html`<div class="card">
${known === undefined ? html`<p>${words.created}</p>` : isIdle && html`<p>${words.nothingChanges}</p>`}
${changes.length > 0 && table(words.previewTitle, columns, changes)}
${plan.touched && touchedBox(plan.touched, 'change')}
${postForm(visit, path, html`${hiddenFields({ ...entered, step: 'do' })}${known === undefined && secrets.fields}<div class="ways">${!isIdle && html`<button class="button">${words.do}</button>`} <a class="button quiet" href="${known === undefined ? `/console/${place}` : pathOf(place, known)}">${words.back}</a></div>`)}
</div>`;
  return consolePage(visit, place, `${id}: ${words.previewTitle}`, body);
}

export function touchedBox(
  { grants, holders, names, isComplete }: Touched,
  way: keyof typeof enConsole.touched.ways,
): Html {
  const text = enConsole.touched;
  if (grants === 0 && isComplete) return html`<p>${text.none}</p>`;
  const more = holders > names.length ? [...names, '…'] : names;
  return html`<div class="warning"><p><strong>${text.some(grants, holders, more.join(', '))}</strong> ${text.ways[way]}</p>${!isComplete && html`<p>${text.atLeast}</p>`}</div>`;
}

/** Two operators at once: the form shows the second what the first did. */
export async function stalePage(visit: ConsoleVisit, of: ThingKind, id: string, form: Form): Promise<Answer> {
  const now = await actOf(visit, of, 'show', { id });
  if (!now.ok) return refusalOf(visit, of.place, now.refusal);
  const [before, after] = [parsed(form['seen']), now.value.value];
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => !isDeepStrictEqual(before[name], after[name]),
  );
  const columns = [
    { title: words.field, cell: (name: string) => nameText(name) },
    { title: words.before, cell: (name: string) => valueText(before[name]) },
    { title: words.after, cell: (name: string) => valueText(after[name]) },
  ];
  const body = html`${alertBox(words.stale, words.staleText)}${table(words.stale, columns, names)}
<p class="ways"><a class="button" href="${pathOf(of.place, id)}/change">${words.again}</a>
<a class="button quiet" href="/console/events?type=administered">${enConsole.done.events}</a></p>`;
  return consolePage(visit, of.place, words.stale, body, 412);
}

function parsed(text: string | undefined): Thing {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return typeof value === 'object' && value !== null ? (value as Thing) : {};
  } catch {
    return {};
  }
}
