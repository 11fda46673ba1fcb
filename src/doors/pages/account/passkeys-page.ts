// /account/passkeys: a person's passkeys. Changing them takes a recent sign-in, with a passkey if there are any.
import { isLocal } from '../../../core/identity.ts';
import type { Passkey } from '../../../core/passkey.ts';
import { MOST_PASSKEYS, mayChange, passkeyName } from '../../../core/rules/passkey.ts';
import { isFresh, strongProof } from '../../../core/rules/proof.ts';
import type { EpochSeconds } from '../../../core/time.ts';
import { passkeysOf, registerPasskey, removePasskeys, renamePasskey } from '../../../operations/person/passkeys.ts';
import type { Answer } from '../parts/answer.ts';
import { type Html, html } from '../parts/html.ts';
import { endingForm, inputField, noticeBox, personName, postForm } from '../parts/layout.ts';
import { refusalPage } from '../parts/refusal-page.ts';
import { type Form, type PageRoute, show, take } from '../parts/route.ts';
import { type PersonVisit, paramOf } from '../parts/visit.ts';
import { answerOf, drawOptions, passkeyButton, type RelyingParty, relyingParty } from './passkey-parts.ts';
import { askToSignIn } from './sign-in.ts';
import { signInPage } from './sign-in-page.ts';

const PATH = '/account/passkeys';

export const PASSKEY_ROUTES: readonly PageRoute[] = [
  show(PATH, 'page-passkeys', forProvenPerson(showPasskeys)),
  show(`${PATH}/options`, 'passkey-options', forProvenPerson(newOptions)),
  take(PATH, 'register-passkey', ['name', 'credential', 'invitation'], forProvenPerson(takeNew)),
  take(`${PATH}/:id/rename`, 'rename-passkey', ['name'], forProvenPerson(takeRename, true)),
  take(`${PATH}/:id/remove`, 'remove-passkey', [], forProvenPerson(takeRemove, true)),
];

type Handle = (visit: PersonVisit, form: Form, party: RelyingParty) => Promise<Answer>;

/** Who can have passkeys, and has signed in a moment ago; others sign in again first. `changes`: those that there are. */
function forProvenPerson(handle: Handle, changes = false): PageRoute['handle'] {
  return async (visit, form) => {
    const { person, site } = visit;
    if (!person) return askToSignIn(visit, { goOn: 'passkeys' });
    const party = relyingParty(site);
    if (!isLocal(person.identity) || !party) return refusalPage(visit, { reason: 'not-found' });
    const isProven =
      isFresh(person.proof, await site.ports.store.now()) &&
      (!changes || mayChange(await passkeysOf(person.identity.id, site.ports), person.proof));
    if (isProven) return handle({ ...visit, person }, form, party);
    return signInPage(visit, { goOn: 'passkeys', userName: personName({ ...visit, person }) });
  };
}

async function showPasskeys(visit: PersonVisit): Promise<Answer> {
  const { ports } = visit.site;
  const { passkeys: words } = visit.language.texts;
  const [keys, now] = await Promise.all([passkeysOf(visit.person.identity.id, ports), ports.store.now()]);
  const isOpen = mayChange(keys, visit.person.proof);
  const body = html`${noticeBox(visit)}
<h1>${words.title}</h1>
<p class="lead">${words.lead}</p>
${!isOpen && html`<p>${words.onlyWithPasskey}</p>`}
${keys.length > 0 && html`<ul class="cards">${keys.map((key) => passkeyCard(visit, key, now, isOpen))}</ul>`}
<section class="card" aria-labelledby="add"><h2 id="add">${words.add}</h2>
${keys.length < MOST_PASSKEYS ? addForm(visit, keys.length, isOpen) : html`<p>${words.most(MOST_PASSKEYS)}</p>`}
</section>
<p class="aside"><a href="/account">${visit.language.texts.password.back}</a></p>`;
  return { page: { title: words.title, body, hasScript: true } };
}

function passkeyCard(
  visit: PersonVisit,
  { id, name, createdAt, usedAt }: Passkey,
  now: EpochSeconds,
  isOpen: boolean,
): Html {
  const { language } = visit;
  const { passkeys: words } = language.texts;
  const rename = html`${nameField(visit, `name_${id}`, name)}
<button class="button quiet" aria-label="${words.save}: ${name}">${words.save}</button>`;
  return html`<li class="card">
<h2 class="key-name">${name}</h2>
<dl class="facts">
<div><dt>${words.added}</dt><dd>${language.distance(now, createdAt)}</dd></div>
<div><dt>${words.used}</dt><dd>${usedAt === undefined ? language.texts.account.neverRefreshed : language.distance(now, usedAt)}</dd></div>
</dl>
${
  isOpen &&
  html`<div class="disclosures">
<details><summary aria-label="${words.rename}: ${name}">${words.rename}</summary>
${postForm(visit, `${PATH}/${id}/rename`, rename)}
</details>
${endingForm(visit, `${PATH}/${id}/remove`, words, 'remove', name)}
</div>`
}
</li>`;
}

function addForm(visit: PersonVisit, count: number, isOpen: boolean): Html {
  const { passkeys: words } = visit.language.texts;
  const { add: label, failed, known } = words;
  const fields = html`${nameField(visit, 'name', `${words.passkey} ${count + 1}`, words.nameHint)}
${!strongProof(visit.person.proof) && invitationField(visit, !isOpen)}
${passkeyButton({ label, ceremony: 'create', options: `${PATH}/options`, failed, known })}
<p class="hint" data-without-passkey>${words.needsScript}</p>`;
  return postForm(visit, PATH, fields);
}

function invitationField({ language }: PersonVisit, isRequired: boolean): Html {
  const { invitation: label, invitationHint: hint } = language.texts.passkeys;
  const input = html` maxlength="64" autocomplete="off" spellcheck="false"${isRequired && html` required`}`;
  return inputField({ id: 'invitation', label, hint, input });
}

function nameField({ language }: PersonVisit, id: string, value: string, hint?: string): Html {
  const input = html` value="${value}" required maxlength="64" autocomplete="off"`;
  return inputField({ id, name: 'name', label: language.texts.passkeys.name, hint, input });
}

/** WebAuthn 5.4. The id of the identity reveals nothing about the person. */
async function newOptions(visit: PersonVisit, _: Form, party: RelyingParty): Promise<Answer> {
  const { id } = visit.person.identity;
  const keys = await passkeysOf(id, visit.site.ports);
  const name = personName(visit);
  const json = {
    ...drawOptions(visit),
    rp: { id: party.id, name: visit.site.look.name },
    user: { id: Buffer.from(id).toString('base64url'), name, displayName: name },
    pubKeyCredParams: [-8, -7, -257].map((alg) => ({ type: 'public-key', alg })),
    excludeCredentials: keys.map(({ credentialId }) => ({ type: 'public-key', id: credentialId })),
    authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
    attestation: 'none',
  };
  return { json };
}

async function takeNew(visit: PersonVisit, form: Form, party: RelyingParty): Promise<Answer> {
  const { name, credential = '', invitation = '' } = form;
  const answer = { ...answerOf(visit, credential, party), name: nameFrom(visit, name), invitation };
  const registered = await registerPasskey(answer, visit.person, visit.site.ports);
  return registered.ok ? { goTo: `${PATH}?done=passkey-added` } : refusalPage(visit, registered.refusal);
}

function nameFrom({ language }: PersonVisit, typed = ''): string {
  return passkeyName(typed, language.texts.passkeys.passkey);
}

async function takeRename(visit: PersonVisit, { name }: Form): Promise<Answer> {
  await renamePasskey(paramOf(visit, 'id'), nameFrom(visit, name), visit.person, visit.site.ports);
  return { goTo: `${PATH}?done=passkey-renamed` };
}

async function takeRemove(visit: PersonVisit): Promise<Answer> {
  const { identity, session, proof } = visit.person;
  const by = { as: 'identity', id: identity.id, proof: proof.by } as const;
  const meant = paramOf(visit, 'id');
  await removePasskeys(identity.id, ({ id }) => id === meant, { ...visit.site.ports, by }, session);
  return { goTo: `${PATH}?done=passkey-removed` };
}
