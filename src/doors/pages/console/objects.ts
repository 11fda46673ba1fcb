// Integrations, issuers, token issuers, resource servers and identities: list, show, enable, disable, remove; their forms are in
// thing-form.ts. All of it is made from the table of acts and the schema of each kind.
import { grantsOfThing } from '../../../operations/admin/foresee.ts';
import type { Answer } from '../parts/answer.ts';
import { type Html, html } from '../parts/html.ts';
import { postForm } from '../parts/layout.ts';
import type { Form, PageRoute } from '../parts/route.ts';
import { enConsole } from '../parts/texts/en-console.ts';
import { queryOf } from '../parts/visit.ts';
import { type ConsoleParts, type ConsoleVisit, idOf, show, take } from './access.ts';
import { fieldNames } from './form.ts';
import { consolePage, factList, nameText, pathOf, refusalOf, stateMark, table, valueText } from './frame.ts';
import { refusalTable } from './refusal-table.ts';
import {
  formPage,
  HIDDEN,
  hiddenFields,
  mayPut,
  notTheirs,
  revisionOf,
  showForm,
  stalePage,
  takeForm,
  touchedBox,
} from './thing-form.ts';
import { actOf, type Ended, type SimpleAct, schemaOf, THING_KINDS, type Thing, type ThingKind } from './things.ts';

const words = enConsole.object;

export function objectRoutes(parts: ConsoleParts): PageRoute[] {
  return THING_KINDS.flatMap((of) => {
    const { place, kind, acts } = of;
    const fields = [...fieldNames(schemaOf(of)), ...HIDDEN];
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
        take(parts, `/${place}/:id/${act}`, `console-${kind}-${act}`, ['revision', 'password'], (visit, form) =>
          takeAct(visit, of, act, form),
        ),
      ]),
    ];
  });
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
  const { place, kind, key, acts } = of;
  const found = await actOf(visit, of, 'show', { id: idOf(visit) });
  if (!found.ok) return refusalOf(visit, place, found.refusal);
  const thing = found.value.value;
  const id = String(thing[key]);
  const isOn = thing['enabled'] !== false;
  const link = (act: 'change' | SimpleAct, style = act === 'remove' ? 'deny' : 'quiet') =>
    html` <a class="button ${style}" href="${pathOf(place, id)}/${act}">${words[act]}</a>`;
  const refused =
    kind === 'integration' && !visit.owned
      ? await visit.act('refusal-list', { query: { integration: id } })
      : undefined;
  const grants =
    kind === 'integration' || kind === 'identity'
      ? `/console/grants?${new URLSearchParams({ [kind]: id })}`
      : undefined;
  // Owners may disable; the rest is for operators.
  const offered = acts.filter(
    (act) => act !== (isOn ? 'enable' : 'disable') && (!visit.owned || SWITCHES.includes(act)),
  );
  const body = html`<p>${stateMark(isOn ? 'enabled' : 'disabled')} <span class="id">${id}</span></p>
<p class="ways">${grants && html`<a class="button quiet" href="${grants}">${enConsole.grant.title}</a>`}
${visit.may === 'manage' && html`${link('change')}${offered.map((act) => link(act))}`}</p>
${refused && html`<section class="card"><h2>${enConsole.overview.refusedLately}</h2>${await refusalTable(visit, refused?.ok ? refused.value.value.items : [])}</section>`}
<section class="card"><h2>${words.settings}</h2>${factList(flat(thing))}</section>`;
  return consolePage(visit, place, valueText(thing['name'] ?? thing['userName']) || id, body);
}

const SWITCHES: readonly SimpleAct[] = ['enable', 'disable'];
/** Those that end or refuse grants. */
const STOPPING: readonly SimpleAct[] = ['disable', 'remove'];

/** Members of members, each on its line. */
function flat(thing: Thing, path = ''): [string, Html][] {
  return Object.entries(thing).flatMap(([name, value]): [string, Html][] =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? flat(value as Thing, `${path}${name}.`)
      : [[nameText(path + name), name === 'pem' ? html`<pre>${String(value)}</pre>` : html`${valueText(value)}`]],
  );
}

async function askAct(visit: ConsoleVisit, of: ThingKind, act: SimpleAct): Promise<Answer> {
  const { place, kind, key } = of;
  const found = await actOf(visit, of, 'show', { id: idOf(visit) });
  if (!found.ok) return refusalOf(visit, place, found.refusal);
  const id = String(found.value.value[key]);
  const touched = STOPPING.includes(act) ? await grantsOfThing(kind, id, visit.ports.store) : undefined;
  const way = kind.endsWith('issuer') ? 'stay' : act === 'remove' ? act : 'disable';
  const password = html`<div class="field"><label for="password">${words.newPassword}</label><input id="password" name="password" type="password" required autocomplete="new-password"></div>`;
  const fields = html`${hiddenFields({ revision: found.value.revision })}${act === 'password' && password}<div class="ways"><button class="button deny">${words.now[act]}</button> <a class="button quiet" href="${pathOf(place, id)}">${words.back}</a></div>`;
  const body = html`<div class="card"><p>${words.effects[act]}</p>
${touched && touchedBox(touched, way)}
${postForm(visit, `${pathOf(place, id)}/${act}`, fields)}</div>`;
  return consolePage(visit, place, words.ask[act](id), body);
}

/** Of an integration; the command line makes others. */
const SECRET_LASTS = 90 * 86_400;

async function takeAct(visit: ConsoleVisit, of: ThingKind, act: SimpleAct, form: Form): Promise<Answer> {
  const { place, key } = of;
  const id = idOf(visit);
  const done = await actOf(visit, of, act === 'secret' ? 'secret-make' : act, {
    id,
    query: { confirmed: true, endsIn: SECRET_LASTS },
    ...(act === 'password' && { body: { password: form['password'] ?? '' } }),
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
      html`<div class="card"><pre>${secret}</pre><p><a href="${pathOf(place, id)}">${words.back}</a></p></div>`,
    );
  const ended = endedGrants === undefined ? '' : `&ended=${endedGrants}`;
  return {
    goTo: `${act === 'remove' ? `/console/${place}` : pathOf(place, valueText(done.value.value[key]) || id)}?done=yes${ended}`,
  };
}
