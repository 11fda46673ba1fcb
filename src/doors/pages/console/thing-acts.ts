// What is done to a thing besides making and changing it: its page says what it does, asks for what the act needs, and does it.

import { grantsOfThing } from '../../../operations/admin/foresee.ts';
import type { Schema } from '../../../schema.ts';
import type { Answer } from '../parts/answer.ts';
import { type Html, html } from '../parts/html.ts';
import { hiddenFields } from '../parts/layout.ts';
import type { Form } from '../parts/route.ts';
import { enConsole } from '../parts/texts/en-console.ts';
import { type ConsoleVisit, idOf } from './access.ts';
import { type Fault, faultBoxOf, faultIn, faultOf } from './fault.ts';
import { box } from './fields/field.ts';
import { fieldNames, fieldsFor, readObject, secretsOf } from './form.ts';
import { consolePage, doForm, pathOf, refusalOf, valueText } from './frame.ts';
import { doubtBox, mayPut, notTheirs, revisionOf, stalePage, touchedBox } from './thing-form.ts';
import { actOf, type Keywords, keywordsOf, mayDo, rowOf, type ThingKind, titleOf, type Verb } from './things.ts';

/** Those after which something works no longer. */
const ENDING = /^disable$|remove$|-drop$/;
/** Those that end or refuse grants. */
const STOPPING = ['disable', 'remove'] as const;

/** What an act must be given. That it is confirmed, the button says. */
function inputOf(of: ThingKind, verb: Verb): Keywords {
  const { body, query } = rowOf(of, verb);
  const schema = keywordsOf(body ?? query);
  const members = Object.entries(schema.properties ?? {}).filter(([name]) => name !== 'confirmed');
  const off = (member: Keywords) => (member.type === 'boolean' ? { ...member, default: false } : member);
  return { ...schema, properties: Object.fromEntries(members.map(([name, member]) => [name, off(member)])) };
}

export function actFields(of: ThingKind, verb: Verb): string[] {
  return [...fieldNames(inputOf(of, verb)), 'revision', 'remove_passkeys'];
}

/** The fields have what the address says, so that a page can link to the removal of one key. */
export async function askAct(
  visit: ConsoleVisit,
  of: ThingKind,
  verb: Verb,
  fault?: Fault,
  entered = visit.request.query as object,
): Promise<Answer> {
  const { place, kind, key } = of;
  if (!mayDo(visit, of, verb)) return notTheirs(visit, of);
  const { name, effect, ...more } = enConsole.verbs[verb];
  const found = verb === 'import' ? undefined : await actOf(visit, of, 'show', { id: idOf(visit) });
  if (found?.ok === false) return refusalOf(visit, place, found.refusal);
  const thing = found?.value.value ?? {};
  const id = valueText(thing[key]);
  if (found && !mayPut(visit, of, id)) return notTheirs(visit, of);
  const stopping = STOPPING.find((each) => each === verb);
  const touched = stopping && (await grantsOfThing(kind, id, visit.ports.store));
  const input = inputOf(of, verb);
  const fields = html`${hiddenFields({ revision: found?.value.revision })}${fieldsFor(input, { ...('usual' in more && more.usual), ...entered }, {}, fault)}${secretsOf(input, fault).fields}${verb === 'password' && (await passkeyBox(visit, id))}`;
  const back = id === '' ? `/console/${place}` : pathOf(place, id);
  const body = html`${fault && faultBoxOf(fault)}<div class="card"><p>${verb === 'remove' && of.isKept ? enConsole.object.removeKept : effect}</p>${stopping && touched && touchedBox(touched, kind.endsWith('issuer') ? 'stay' : stopping)}
${doForm(visit, `${back}/${verb}`, fields, name, back, ENDING.test(verb) ? 'deny' : '')}</div>`;
  const doubt = verb === 'enable' && thing['enabled'] === false && (await doubtBox(visit, of, thing));
  const title = id === '' ? `${enConsole.menu[place]}: ${name}` : `${name}: ${titleOf(thing, id)}`;
  return consolePage(visit, place, title, html`<p class="id small">${id}</p>${doubt}${body}`, {
    status: fault && 400,
  });
}

/** Somebody who knew the password may have added passkeys. */
async function passkeyBox(visit: ConsoleVisit, id: string): Promise<Html | false> {
  const found = await visit.act('identity-passkey-list', { id });
  const count = found.ok ? found.value.value.items.length : 0;
  return count > 0 && box('remove_passkeys', false, enConsole.object.removePasskeys(count));
}

export async function takeAct(visit: ConsoleVisit, of: ThingKind, verb: Verb, form: Form): Promise<Answer> {
  const { place, key } = of;
  const [id, schema] = [idOf(visit), inputOf(of, verb)];
  const entered = readObject(schema, form);
  const names = actFields(of, verb);
  const flaw = faultIn(schema as Schema, entered, names);
  if (flaw) return askAct(visit, of, verb, flaw, entered);
  const isBody = rowOf(of, verb).body !== undefined;
  const given = isBody ? { body: entered } : { query: { confirmed: true, ...entered } };
  const done = await actOf(visit, of, verb, { id, ...given, onlyIf: revisionOf(form) });
  if (!done.ok) {
    if (done.refusal.reason === 'changed-meanwhile') return stalePage(visit, of, id, form);
    const isMissing = ['permission-missing', `${of.kind}-unknown`].includes(done.refusal.reason);
    return isMissing
      ? refusalOf(visit, place, done.refusal)
      : askAct(visit, of, verb, faultOf(done.refusal, names, form), entered);
  }
  if (form['remove_passkeys'] === 'yes') await actOf(visit, of, 'passkey-remove', { id, query: { all: true } });
  const { endedGrants, secret, invitation = secret } = done.value.value;
  const path =
    verb === 'remove' || verb === 'import'
      ? `/console/${place}`
      : pathOf(place, valueText(done.value.value[key]) || id);
  if (invitation === undefined)
    return { goTo: `${path}?done=yes${endedGrants === undefined ? '' : `&ended=${endedGrants}`}` };
  const shown = html`<div class="card"><pre>${invitation}</pre><p><a href="${path}">${enConsole.object.back}</a></p></div>`;
  return consolePage(visit, place, enConsole.object.secretShown, shown);
}
