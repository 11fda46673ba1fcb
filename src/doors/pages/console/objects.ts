// Integrations, issuers, token issuers, resource servers and identities: the list, and the page of one. Their forms are in
// thing-form.ts, what else is done to them in thing-acts.ts. All of it is made from the table of acts and the schema of each kind.
import { accept } from '../../../core/outcome.ts';
import { isLocked } from '../../../core/rules/client.ts';
import { isUnchecked } from '../../../core/rules/weakening.ts';
import { decline } from '../../../operations/admin/admin.ts';
import type { Answer } from '../parts/answer.ts';
import { type Html, html } from '../parts/html.ts';
import type { PageRoute } from '../parts/route.ts';
import { enConsole } from '../parts/texts/en-console.ts';
import { queryOf } from '../parts/visit.ts';
import { type ConsoleParts, type ConsoleVisit, idOf, show, take } from './access.ts';
import { fieldNames } from './form.ts';
import {
  button,
  card,
  consolePage,
  factList,
  factOf,
  filterName,
  nameText,
  pathOf,
  refusalOf,
  stateMark,
  type TableColumn,
  table,
  valueText,
} from './frame.ts';
import { refusalTable } from './refusal-table.ts';
import { actFields, askAct, takeAct } from './thing-acts.ts';
import { HIDDEN, lastChanges, mayPut, showForm, takeForm } from './thing-form.ts';
import { actOf, mayDo, schemaOf, THING_KINDS, type Thing, type ThingKind, titleOf, type Verb } from './things.ts';

const words = enConsole.object;

export function objectRoutes(parts: ConsoleParts): PageRoute[] {
  return THING_KINDS.flatMap((of) => {
    const { place, kind, verbs } = of;
    const fields = [...fieldNames(schemaOf(of)), ...HIDDEN];
    const puts = [`/${place}/new`, `/${place}/:id/change`].flatMap((path) => [
      show(parts, path, `console-${kind}-put`, (visit) => showForm(visit, of), true),
      take(parts, path, `console-${kind}-put`, fields, (visit, form) => takeForm(visit, of, form)),
    ]);
    const acts = verbs.flatMap((verb) => {
      const path = verb === 'import' ? `/${place}/import` : `/${place}/:id/${verb}`;
      return [
        show(parts, path, `console-${kind}-${verb}`, (visit) => askAct(visit, of, verb), true),
        take(parts, path, `console-${kind}-${verb}`, actFields(of, verb), (visit, form) =>
          takeAct(visit, of, verb, form),
        ),
      ];
    });
    return [
      show(parts, `/${place}`, `console-${kind}-list`, (visit) => showList(visit, of)),
      ...puts,
      show(parts, `/${place}/:id`, `console-${kind}-show`, (visit) => showThing(visit, of)),
      ...acts,
    ];
  });
}

async function showList(visit: ConsoleVisit, of: ThingKind): Promise<Answer> {
  const { place, key, listed, isKept } = of;
  const cursor = queryOf(visit, 'after');
  const found = visit.owned
    ? await ownedThings(visit, of)
    : await actOf(visit, of, 'list', {
        query: { limit: 100, ...(isKept && { all: true }), ...(cursor && { cursor }) },
      });
  if (!found.ok) return refusalOf(visit, place, found.refusal);
  const { items = [], next } = found.value.value;
  const columns: TableColumn<Thing>[] = [
    [
      nameText(key),
      (thing) =>
        html`<a href="${pathOf(place, String(thing[key]))}">${valueText(thing[listed[0] ?? key]) || String(thing[key])}</a><br><span class="id small">${String(thing[key])}</span>`,
    ],
    ...listed.slice(1).map((name): TableColumn<Thing> => [nameText(name), (thing) => valueText(thing[name])]),
    [enConsole.grant.state, (thing) => stateMarks(visit, thing, of)],
  ];
  const canAdd = visit.may === 'manage' && !visit.actsOn;
  const body = html`${canAdd && html`<p class="ways">${button(`/console/${place}/new`, `${words.add}…`, '')}${of.verbs.includes('import') && button(`/console/${place}/import`, `${enConsole.verbs.import.name}…`)}</p>`}
${items.length === 0 ? html`<p>${words.none}</p>` : table(enConsole.menu[place], columns, items)}
${next !== undefined && html`<p class="ways">${button(`/console/${place}?${new URLSearchParams({ after: next })}`, enConsole.grant.next)}</p>`}`;
  const lead = words.leads[place];
  return consolePage(visit, place, enConsole.menu[place], html`${lead && html`<p>${lead}</p>`}${body}`);
}

/** One by one: the cursor of a list would name integrations of others. */
async function ownedThings(visit: ConsoleVisit, of: ThingKind): ReturnType<typeof actOf> {
  if (of.kind !== 'integration') return decline('permission-missing', 'read');
  const shown = await Promise.all((visit.owned ?? []).map((id) => actOf(visit, of, 'show', { id })));
  return accept({ value: { items: shown.flatMap((each) => (each.ok ? [each.value.value] : [])) } });
}

/** A living issuer whose revoked certificates are accepted says so, and an integration that authenticates nobody. */
function stateMarks({ now }: ConsoleVisit, thing: Thing, of: ThingKind): Html {
  const isWeak = thing['enabled'] !== false && isUnchecked((thing['revocation'] ?? {}) as object);
  return html`${stateMark(stateOf(thing, of))} ${isWeak && stateMark(words.unchecked)} ${isLocked(thing, now * 1000) && stateMark(words.locked)}`;
}

function stateOf({ enabled }: Thing, { isKept }: ThingKind): string {
  return enabled !== false ? 'enabled' : isKept ? 'removed' : 'disabled';
}

async function showThing(visit: ConsoleVisit, of: ThingKind): Promise<Answer> {
  const { place, kind, key } = of;
  const found = await actOf(visit, of, 'show', { id: idOf(visit) });
  if (!found.ok) return refusalOf(visit, place, found.refusal);
  const { keys, secrets, enabled, ...rest } = found.value.value;
  // Of a token issuer: where they come from.
  const thing: Thing = Array.isArray(keys) ? rest : { ...rest, keys };
  const id = String(thing[key]);
  const state = stateOf({ enabled }, of);
  const its = kind === 'integration' || kind === 'identity' ? { [kind]: id } : undefined;
  const named = kind === 'identity' ? { identity: await filterName(visit, id) } : its;
  const refused = its && !visit.owned ? await visit.act('refusal-list', { query: its }) : undefined;
  const [changes, passkeys] = await Promise.all([lastChanges(visit, of, thing), passkeysOf(visit, of, id)]);
  const body = html`<p>${stateMarks(visit, found.value.value, of)} <span class="id">${id}</span></p>
<p class="ways">${named && button(`/console/grants?${new URLSearchParams(named)}`, enConsole.menu.grants)}
${!visit.owned && button(`/console/events?${new URLSearchParams(named ?? { about: id })}`, enConsole.menu.events)}
${visit.may === 'manage' && mayPut(visit, of, id) && offered(visit, of, id, state)}</p>
${state === 'removed' && html`<p class="warning">${words.removed}</p>`}
${refused && card(enConsole.overview.refusedLately, await refusalTable(visit, refused.ok ? refused.value.value.items : []))}
${changes}
${partTable(visit, of, id, 'key-remove', 'key', rowsOf(keys))}
${partTable(visit, of, id, 'secret-drop', '', rowsOf(secrets))}
${partTable(visit, of, id, 'passkey-remove', 'passkey', passkeys)}
${card(words.settings, factList(flat(visit, thing)))}`;
  return consolePage(visit, place, titleOf(thing, id), body);
}

/** What can be done to it as it is now. Parts are removed where they are shown. */
function offered(visit: ConsoleVisit, of: ThingKind, id: string, state: string): Html {
  const path = pathOf(of.place, id);
  if (state === 'removed')
    return button(`/console/${of.place}/new?${new URLSearchParams({ like: id })}`, `${words.again}…`, '');
  const useless = ['import', state === 'enabled' ? 'enable' : 'disable'];
  const verbs = of.verbs
    .toSorted((a, b) => Number(a === 'remove') - Number(b === 'remove'))
    .filter((verb) => !useless.includes(verb) && !(verb in OF_PARTS) && mayDo(visit, of, verb));
  const link = (verb: Verb) =>
    button(`${path}/${verb}`, `${enConsole.verbs[verb].name}…`, verb === 'remove' ? 'deny' : 'quiet');
  return html`${button(`${path}/change`, `${words.change}…`)}${verbs.map(link)}`;
}

/** The acts that end a part of a thing, and what those parts are called. */
const OF_PARTS = { 'key-remove': words.keys, 'secret-drop': words.secrets, 'passkey-remove': words.passkeys } as const;

function rowsOf(parts: unknown): readonly Thing[] {
  return Array.isArray(parts) ? parts.map((part) => (typeof part === 'object' ? part : { id: part })) : [];
}

async function passkeysOf(visit: ConsoleVisit, of: ThingKind, id: string): Promise<readonly Thing[]> {
  const found = of.kind === 'identity' ? await visit.act('identity-passkey-list', { id }) : undefined;
  return found?.ok ? rowsOf(found.value.value.items) : [];
}

/** Keys, secrets or passkeys, with a link to remove each; `query` names it there. */
function partTable(
  visit: ConsoleVisit,
  of: ThingKind,
  id: string,
  verb: keyof typeof OF_PARTS,
  query: string,
  parts: readonly Thing[],
): Html | undefined {
  if (parts.length === 0) return undefined;
  const names = [...new Set(parts.flatMap((part) => Object.keys(part)))];
  const cell = (name: string) => (part: Thing) => factOf(visit, name, part[name]);
  const link = (part: Thing) => {
    const which = query && `?${new URLSearchParams({ [query]: valueText(part['id']) })}`;
    return html`<a href="${pathOf(of.place, id)}/${verb}${which}">${enConsole.verbs[verb].name}…<span class="unseen"> ${valueText(part['id'])}</span></a>`;
  };
  const columns = names.map((name): TableColumn<Thing> => [nameText(name), cell(name)]);
  const title = OF_PARTS[verb];
  return card(
    title,
    table(title, mayDo(visit, of, verb) && mayPut(visit, of, id) ? [...columns, [words.action, link]] : columns, parts),
  );
}

/** Members of members, each on its line. */
function flat(visit: ConsoleVisit, thing: Thing, path = ''): [string, Html][] {
  return Object.entries(thing).flatMap(([name, value]): [string, Html][] =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? flat(visit, value as Thing, `${path}${name}.`)
      : [[nameText(path + name), name === 'pem' ? html`<pre>${String(value)}</pre>` : factOf(visit, name, value)]],
  );
}
