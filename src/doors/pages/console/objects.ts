// Integrations, issuers, token issuers, resource servers and identities: list, show, add, change, enable, disable, remove. One set of
// pages for all of them, made from the table of acts and the schema of each.
import { isDeepStrictEqual } from 'node:util';
import type { ActName, Listed } from '../../../operations/admin/act-formats.ts';
import { ACTS } from '../../../operations/admin/act-table.ts';
import { type Preview, previewPut } from '../../../operations/admin/acts/preview.ts';
import type { AdminOutcome } from '../../../operations/admin/admin.ts';
import { grantsOfThing, type Touched } from '../../../operations/admin/foresee.ts';
import type { Section } from '../../../operations/admin/objects.ts';
import { flawOf, type Schema } from '../../../schema.ts';
import type { Answer } from '../parts/answer.ts';
import { type Html, html } from '../parts/html.ts';
import { alertBox, postForm } from '../parts/layout.ts';
import type { Form, PageRoute } from '../parts/route.ts';
import { enConsole } from '../parts/texts/en-console.ts';
import { queryOf } from '../parts/visit.ts';
import { type ConsoleParts, type ConsoleVisit, idOf, show, take } from './access.ts';
import { fieldNames, fieldsFor, readObject } from './form.ts';
import {
  consolePage,
  factList,
  nameText,
  pathOf,
  refusalBox,
  refusalOf,
  stateMark,
  table,
  valueText,
} from './frame.ts';
import { refusalTable } from './refusal-table.ts';

const words = enConsole.object;
type Thing = Readonly<Record<string, unknown>>;

type SimpleAct = keyof typeof words.now;

interface Ended {
  readonly endedGrants?: number;
}

interface ThingKind {
  readonly place: 'integrations' | 'issuers' | 'token-issuers' | 'resource-servers' | 'identities';
  /** As the names of acts begin. */
  readonly kind: string;
  readonly section: Section;
  /** The member with its name, and those that the list shows. */
  readonly key: string;
  readonly listed: readonly string[];
  readonly switches: boolean;
}

const THING_KINDS: readonly ThingKind[] = [
  {
    place: 'integrations',
    kind: 'integration',
    section: 'integrations',
    key: 'clientId',
    listed: ['name', 'scope', 'vendor'],
    switches: true,
  },
  {
    place: 'issuers',
    kind: 'issuer',
    section: 'issuers',
    key: 'label',
    listed: ['subject', 'expires'],
    switches: false,
  },
  {
    place: 'token-issuers',
    kind: 'token-issuer',
    section: 'tokenIssuers',
    key: 'label',
    listed: ['issuer'],
    switches: false,
  },
  {
    place: 'resource-servers',
    kind: 'resource-server',
    section: 'resourceServers',
    key: 'id',
    listed: ['name', 'audience', 'resources'],
    switches: false,
  },
  {
    place: 'identities',
    kind: 'identity',
    section: 'identities',
    key: 'id',
    listed: ['userName', 'email', 'groups'],
    switches: true,
  },
];

const HIDDEN = ['revision', 'seen', 'step', 'object_name'] as const;

export function objectRoutes(parts: ConsoleParts): PageRoute[] {
  return THING_KINDS.flatMap((of) => {
    const { place, kind, switches } = of;
    const fields = [...fieldNames(schemaOf(of)), ...HIDDEN];
    const switching: readonly SimpleAct[] = switches ? ['enable', 'disable'] : [];
    const acts: readonly SimpleAct[] = [
      'remove',
      ...switching,
      ...(kind === 'resource-server' ? ['secret' as const] : []),
    ];
    return [
      show(parts, `/${place}`, `console-${kind}-list`, (visit) => showList(visit, of)),
      show(
        parts,
        `/${place}/new`,
        `console-${kind}-put`,
        async (visit) =>
          mayPut(visit, of, undefined) ? formPage(visit, of, undefined, {}, undefined) : notTheirs(visit, of),
        true,
      ),
      take(parts, `/${place}/new`, `console-${kind}-put`, fields, (visit, form) =>
        takeForm(visit, of, form, undefined),
      ),
      show(parts, `/${place}/:id`, `console-${kind}-show`, (visit) => showThing(visit, of)),
      show(parts, `/${place}/:id/change`, `console-${kind}-put`, (visit) => showForm(visit, of), true),
      take(parts, `/${place}/:id/change`, `console-${kind}-put`, fields, (visit, form) =>
        takeForm(visit, of, form, idOf(visit)),
      ),
      ...acts.flatMap((act) => [
        show(parts, `/${place}/:id/${act}`, `console-${kind}-${act}`, (visit) => askAct(visit, of, act), true),
        take(parts, `/${place}/:id/${act}`, `console-${kind}-${act}`, ['revision'], (visit, form) =>
          takeAct(visit, of, act, form),
        ),
      ]),
    ];
  });
}

function schemaOf({ kind }: ThingKind): Schema {
  return ACTS[`${kind}-put` as ActName].body as Schema;
}

/** An act of a kind: the names are in the table, which the type of `act` knows only one by one. */
function actOf(visit: ConsoleVisit, { kind }: ThingKind, act: string, given: Parameters<ConsoleVisit['act']>[1] = {}) {
  const done = visit.act(`${kind}-${act}` as ActName, given);
  return done as unknown as Promise<
    AdminOutcome<{ readonly value: Thing & Partial<Listed<Thing>> & Ended; readonly revision?: number }>
  >;
}

async function showList(visit: ConsoleVisit, of: ThingKind): Promise<Answer> {
  const { place, key, listed } = of;
  const cursor = queryOf(visit, 'after');
  const found = await actOf(visit, of, 'list', { query: { limit: 100, ...(cursor && { cursor }) } });
  if (!found.ok) return refusalOf(visit, place, found.refusal);
  const { items = [], next } = found.value.value;
  const columns = [
    {
      title: nameText(key),
      cell: (thing: Thing) =>
        html`<a href="${pathOf(place, String(thing[key]))}">${valueText(thing[listed[0] ?? key]) || String(thing[key])}</a><br><span class="id small">${String(thing[key])}</span>`,
    },
    ...listed.slice(1).map((name) => ({ title: nameText(name), cell: (thing: Thing) => valueText(thing[name]) })),
    {
      title: enConsole.grant.state,
      cell: (thing: Thing) => stateMark(thing['enabled'] === false ? 'disabled' : 'enabled'),
    },
  ];
  const body = html`${visit.may === 'manage' && !visit.owned && html`<p class="ways"><a class="button" href="/console/${place}/new">${words.add}</a></p>`}
${items.length === 0 ? html`<p>${words.none}</p>` : table(enConsole.menu[place], columns, items)}
${next !== undefined && html`<p class="ways"><a class="button quiet" href="/console/${place}?${new URLSearchParams({ after: next }).toString()}">${enConsole.grant.next}</a></p>`}`;
  return consolePage(visit, place, enConsole.menu[place], body);
}

async function showThing(visit: ConsoleVisit, of: ThingKind): Promise<Answer> {
  const { place, kind, key, switches } = of;
  const found = await actOf(visit, of, 'show', { id: idOf(visit) });
  if (!found.ok) return refusalOf(visit, place, found.refusal);
  const thing = found.value.value;
  const id = String(thing[key]);
  const isOn = thing['enabled'] !== false;
  const link = (act: 'change' | 'enable' | 'disable' | 'remove' | 'secret', style: string) =>
    html` <a class="button ${style}" href="${pathOf(place, id)}/${act}">${words[act]}</a>`;
  const refused =
    kind === 'integration' && !visit.owned
      ? await visit.act('refusal-list', { query: { integration: id } })
      : undefined;
  const grants =
    kind === 'integration' || kind === 'identity'
      ? `/console/grants?${new URLSearchParams({ [kind]: id })}`
      : undefined;
  const body = html`<p>${stateMark(isOn ? 'enabled' : 'disabled')} <span class="id">${id}</span></p>
<p class="ways">${grants && html`<a class="button quiet" href="${grants}">${enConsole.grant.title}</a>`}
${visit.may === 'manage' && html`${link('change', 'quiet')}${switches && link(isOn ? 'disable' : 'enable', 'quiet')}${kind === 'resource-server' && link('secret', 'quiet')}${!visit.owned && link('remove', 'deny')}`}</p>
${refused && html`<section class="card"><h2>${enConsole.overview.refusedLately}</h2>${await refusalTable(visit, refused?.ok ? refused.value.value.items : [])}</section>`}
<section class="card"><h2>${words.settings}</h2>${factList(flat(thing))}</section>`;
  return consolePage(visit, place, valueText(thing['name'] ?? thing['userName']) || id, body);
}

/** Members of members, each on its line. */
function flat(thing: Thing, path = ''): [string, Html][] {
  return Object.entries(thing).flatMap(([name, value]): [string, Html][] =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? flat(value as Thing, `${path}${name}.`)
      : [[nameText(path + name), name === 'pem' ? html`<pre>${String(value)}</pre>` : html`${valueText(value)}`]],
  );
}

async function showForm(visit: ConsoleVisit, of: ThingKind): Promise<Answer> {
  const found = await actOf(visit, of, 'show', { id: idOf(visit) });
  if (!found.ok) return refusalOf(visit, of.place, found.refusal);
  return formPage(visit, of, String(found.value.value[of.key]), found.value.value, found.value.revision);
}

/** `seen`: the object as the form showed it first, to say later what changed meanwhile. */
function formPage(
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

function hiddenFields(values: Readonly<Record<string, string | number | undefined>>): Html {
  return html`${Object.entries(values).map(([name, value]) => value !== undefined && html`<input type="hidden" name="${name}" value="${String(value)}">`)}`;
}

async function takeForm(visit: ConsoleVisit, of: ThingKind, form: Form, known: string | undefined): Promise<Answer> {
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

/** A preview shows the thing as it is: owners see theirs only, and make none. */
function mayPut({ owned }: ConsoleVisit, { kind }: ThingKind, id: string | undefined): boolean {
  return !owned || (kind === 'integration' && owned.some((each) => each === id));
}

function notTheirs(visit: ConsoleVisit, { place }: ThingKind): Answer {
  return refusalOf(visit, place, { reason: 'permission-missing', about: 'manage' });
}

function revisionOf(form: Form): number | undefined {
  const text = form['revision'] ?? '';
  return /^[0-9]{1,15}$/.test(text) ? Number(text) : undefined;
}

interface Draft {
  readonly id: string;
  readonly known: string | undefined;
  readonly body: object;
  readonly form: Form;
}

/** What would change, and what that does to living grants. The values travel in hidden fields, as they were entered. */
function previewPage(visit: ConsoleVisit, of: ThingKind, { id, known, form }: Draft, plan: Preview): Answer {
  const { place } = of;
  const changes = Object.entries(plan.fields);
  const path = known === undefined ? `/console/${place}/new` : `${pathOf(place, known)}/change`;
  const { form_token: _, step: __, ...entered } = form;
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
${postForm(visit, path, html`${hiddenFields({ ...entered, step: 'do' })}<div class="ways">${!isIdle && html`<button class="button">${words.do}</button>`} <a class="button quiet" href="${known === undefined ? `/console/${place}` : pathOf(place, known)}">${words.back}</a></div>`)}
</div>`;
  return consolePage(visit, place, `${id}: ${words.previewTitle}`, body);
}

function touchedBox({ grants, holders, names, isComplete }: Touched, way: 'change' | 'disable' | 'remove'): Html {
  const text = enConsole.touched;
  if (grants === 0 && isComplete) return html`<p>${text.none}</p>`;
  const more = holders > names.length ? [...names, '…'] : names;
  return html`<div class="warning"><p><strong>${text.some(grants, holders, more.join(', '))}</strong> ${text.ways[way]}</p>${!isComplete && html`<p>${text.atLeast}</p>`}</div>`;
}

/** Two operators at once: the second is told what the first did. */
async function stalePage(visit: ConsoleVisit, of: ThingKind, id: string, form: Form): Promise<Answer> {
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

async function askAct(visit: ConsoleVisit, of: ThingKind, act: SimpleAct): Promise<Answer> {
  const { place, kind, key } = of;
  const found = await actOf(visit, of, 'show', { id: idOf(visit) });
  if (!found.ok) return refusalOf(visit, place, found.refusal);
  const id = String(found.value.value[key]);
  const touched = act === 'enable' || act === 'secret' ? undefined : await grantsOfThing(kind, id, visit.ports.store);
  const staysAlive = kind === 'issuer' || kind === 'token-issuer';
  const fields = html`${hiddenFields({ revision: found.value.revision })}<div class="ways"><button class="button deny">${words.now[act]}</button> <a class="button quiet" href="${pathOf(place, id)}">${words.back}</a></div>`;
  const body = html`<div class="card"><p>${words.effects[act]}</p>
${touched && touchedBox(touched, act === 'remove' ? act : 'disable')}${staysAlive && html`<p>${words.newGrants}</p>`}
${postForm(visit, `${pathOf(place, id)}/${act}`, fields)}</div>`;
  return consolePage(visit, place, words.ask[act](id), body);
}

async function takeAct(visit: ConsoleVisit, of: ThingKind, act: SimpleAct, form: Form): Promise<Answer> {
  const { place, key } = of;
  const id = idOf(visit);
  const done = await actOf(visit, of, act === 'secret' ? 'secret-make' : act, {
    id,
    query: { confirmed: true },
    onlyIf: revisionOf(form),
  });
  if (!done.ok)
    return done.refusal.reason === 'changed-meanwhile'
      ? stalePage(visit, of, id, form)
      : refusalOf(visit, place, done.refusal);
  const { endedGrants, secret } = done.value.value as Ended & { readonly secret?: string };
  if (secret !== undefined)
    return consolePage(
      visit,
      place,
      words.secretShown,
      html`<div class="card"><p class="code-shown">${secret}</p><p><a href="${pathOf(place, id)}">${words.back}</a></p></div>`,
    );
  const ended = endedGrants === undefined ? '' : `&ended=${endedGrants}`;
  return {
    goTo: `${act === 'remove' ? `/console/${place}` : pathOf(place, String(done.value.value[key] ?? id))}?done=yes${ended}`,
  };
}
