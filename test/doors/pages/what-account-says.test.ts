// What the pages of an account say and where they lead, word for word. Its transcript is read like the pages.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { acted, type Event } from '../../../src/core/event.ts';
import type { Grant, GrantId } from '../../../src/core/grant.ts';
import type { IdentityId } from '../../../src/core/identity.ts';
import type { ClientId } from '../../../src/core/integration.ts';
import type { Proof } from '../../../src/core/person.ts';
import { presenter } from '../../../src/core/presenter.ts';
import { epochSeconds } from '../../../src/core/time.ts';
import { grants } from '../../../src/store/tables/grants.ts';
import { identities, passkeys } from '../../../src/store/tables/identities.ts';
import { sessions } from '../../../src/store/tables/sessions.ts';
import { systemRandom } from '../../../src/system.ts';
import { sha256 } from '../../../src/tokens/sha256.ts';
import { put } from '../../node.ts';
import { aGrant, anIntegration, aPasskey, CLIENT, hexOf, NOW } from '../../samples.ts';
import { inWords } from '../console/in-words.ts';
import { ADA, BOB, ORDERS, PASSWORD, type RunningService, startService } from './running-service.ts';
import { SESSION_COOKIE, type Seen, Visitor } from './visitor.ts';

const TRANSCRIPT = 'test/doors/pages/what-account-says.txt';
const ago = (seconds: number) => epochSeconds(NOW - seconds);
/** Of a directory elsewhere. */
const CYD = { ...BOB, id: 'corp:cyd' as IdentityId, userName: 'cyd' };
/** Nobody sells it. */
const TILL = anIntegration({ clientId: 'till' as ClientId, name: 'Till', vendor: '' });

let service: RunningService;
before(async () => {
  service = await startService({ at: NOW, integrations: [ORDERS, TILL] });
  await put(service.store, identities, CYD);
});
after(() => service?.stop());

async function signedIn({ id }: { id: IdentityId }, by: Proof['by'] = 'password'): Promise<Visitor> {
  const [visitor, secret] = [new Visitor(service), systemRandom(32)];
  const session = { id: sha256(secret), identityId: id, createdAt: NOW, seenAt: NOW, proof: { by, at: NOW } };
  await put(service.store, sessions, { ...session, endsAt: epochSeconds(NOW + 3600) });
  visitor.cookies.set(SESSION_COOKIE, secret.toString('base64url'));
  return visitor;
}

const idOf = (number: number) => `018f${hexOf(14, number)}` as GrantId;
function give(number: number, difference: Partial<Grant> = {}, generation = 0, agent = 'curl/8'): Promise<unknown> {
  const pair = { ...aGrant().pair, generation, issuedAt: ago(60), presenter: presenter('192.0.2.7', agent) };
  const times = { createdAt: ago(3600), refreshUntil: epochSeconds(NOW + 86_400) };
  return put(service.store, grants, aGrant({ id: idOf(number), identityId: ADA.id, ...times, pair, ...difference }));
}
const log = (...events: Event[]) =>
  service.store.change(grants, 'none' as GrantId, () => ({ outcome: undefined, events }));

const told: string[] = [];
/** What a page says; `from` and `until`: only a part of it. */
async function tell(what: string, answer: Promise<Seen>, from = '<main', until = '</main>'): Promise<void> {
  const { status, headers, text } = await answer;
  const [said = ''] = inWords(text, from).split(until);
  told.push(
    `== ${what} ${status} ${headers.location ?? said.trim().replaceAll(/( \/ [^/]*)\1+/g, '$1 (several times)')}\n`,
  );
}

async function tellGrants(): Promise<void> {
  const ada = await signedIn(ADA);
  const account = (query = '') => ada.get(`/account${query}`);
  const tellPage = (what: string, query = '') => tell(what, account(query), '<main', '/ Recent events');
  await tellPage('no grants');
  await give(1);
  await tellPage('one grant', '?done=revoked-all');
  await give(2, { origin: { kind: 'code', guest: 'https://client.example/x' as never } }, 3, '');
  await give(3, { clientId: TILL.clientId, scope: 'orders:read,write;stock:read' });
  await give(4, { clientId: 'gone' as ClientId, origin: { kind: 'client', proof: 'key' } });
  await tellPage('grants of a guest, of what nobody sells, and of what is gone');
  const cards = (await account()).text.split('<h3>').slice(1);
  for (const [index, card] of cards.entries()) {
    assert.match(card, new RegExp(`action="/account/grants/${idOf(4 - index)}/revoke"`), 'each ends its own grant');
    assert.match(card, /aria-label="Revoke: the grant of \S.*, obtained 15 Jan 2027, 07:00 UTC"/);
  }
  const revoke = (which: string) => tell(`revokes ${which}`, ada.post(`/account/${which}`));
  for (const id of [idOf(4), idOf(4), idOf(9), 'x']) await revoke(`grants/${id}/revoke`);
  await revoke('sign-out-agents');
  await tellPage('the devices keep theirs');
  const turn = async (what: string, ...queries: string[]) => {
    for (const query of queries) {
      const { text } = await account(query);
      const links = [...text.matchAll(/href="\/account\?(.*)".*>(.*)<\/a>/g)].map(
        ([, page, name]) => ` ${name}: ${page}`,
      );
      told.push(`== ${what} ${query}`, `${text.split('<h3>').length - 1} cards${links}\n`);
    }
  };
  for (let number = 10; number < 28; number++) await give(number);
  await turn('20 grants', '');
  for (let number = 28; number < 48; number++) await give(number);
  await turn('40 grants', '', '?page=1', '?page=0', '?page=-1', '?page=1.5', '?page=x', '?page=2', '?page=3');
  await give(48);
  await turn('41 grants', '?page=2');
  for (let number = 49; number < 210; number++) await give(number);
  await tellPage('more than can be counted', '?page=11');
  await revoke('grants/revoke');
}

async function tellEvents(): Promise<void> {
  const bob = await signedIn(BOB);
  const tellPage = (what: string) => tell(what, bob.get('/account'), '<h2 id="events"', '/ Sign-in /');
  const of = { clientId: CLIENT, identityId: BOB.id, presenter: presenter('192.0.2.9', 'curl/9') };
  const by = { as: 'identity', id: BOB.id, proof: 'passkey' } as const;
  const key = { kind: 'passkey', id: BOB.id } as const;
  await tellPage('no events');
  await log(
    { ...of, type: 'refreshed', at: ago(70_000) },
    { ...of, type: 'confirmed', at: ago(60_000), clientId: 'gone' },
    acted({ kind: 'identity', id: BOB.id, did: 'password-set' }, { at: ago(50_000), by }),
    acted({ ...key, did: 'invited', until: NOW }, { at: ago(40_000), by }),
    acted({ ...key, did: 'added', key: 'aa', name: '<phone>' }, { at: ago(30_000), by }),
  );
  await tellPage('five events');
  await log(acted({ ...key, did: 'removed', ended: ['aa'], names: ['one', 'two'] }, { at: ago(20_000), by }), {
    ...of,
    type: 'revoked',
    at: ago(10_000),
    detail: { reason: 'by-caller' },
  });
  await tellPage('seven events');
  await log(...Array.from({ length: 20 }, (): Event => ({ ...of, type: 'refreshed', at: ago(5000) })));
  await tellPage('more than twenty events');
}

/** Of a person elsewhere, too, who has no password and no passkeys here. */
async function tellSignIn(): Promise<void> {
  const [bob, cyd] = [await signedIn(BOB), await signedIn(CYD)];
  await tell('bob: account', bob.get('/account'), '<h2 id="security"');
  await tell('cyd: account', cyd.get('/account'), '<h2 id="security"');
  for (const page of ['password', 'passkeys', 'passkeys/options'])
    await tell(`cyd: ${page}`, cyd.get(`/account/${page}`));
  await tell('cyd changes a password', cyd.post('/account/password', { current: 'x', next: 'y', repeated: 'y' }));
  await tell('bob: password', bob.get('/account/password'));
  await tell('bob: a wrong password', bob.post('/account/password', { current: 'x', next: 'y', repeated: 'z' }));
  const nobody = new Visitor(service);
  for (const query of ['', '?user_code=wdjbmjht', '?done=signed-out'])
    await tell(`nobody: sign-in${query}`, nobody.get(`/account/sign-in${query}`));
  for (const fields of [
    { user_name: 'b\u0007ob' },
    { password: PASSWORD, go_on: '/console/events' },
    { user_code: 'wdjbmjht' },
  ])
    await tell(`nobody: ${JSON.stringify(fields)}`, nobody.post('/account/sign-in', fields));
}

async function tellPasskeys(): Promise<void> {
  const { store } = service;
  const tellKeys = async (what: string, by?: Proof['by']) =>
    tell(`passkeys: ${what}`, (await signedIn(BOB, by)).get('/account/passkeys'));
  await tellKeys('none');
  const strong = aPasskey('aa', { name: '<key>', isStrong: true, createdAt: ago(90_000), usedAt: ago(90) });
  await put(store, passkeys, { identityId: BOB.id, keys: [strong, aPasskey('bb')] });
  await tellKeys('by password');
  await tellKeys('by one of them', 'passkey');
  const keysOf = (count: number) => Array.from({ length: count }, (_, index) => aPasskey(hexOf(1, index)));
  for (const count of [19, 20]) {
    await put(store, passkeys, { identityId: BOB.id, keys: keysOf(count) });
    await tell(`${count} passkeys`, (await signedIn(BOB, 'passkey')).get('/account/passkeys'), '<section');
  }
}

// To write it anew: UPDATE_TRANSCRIPT=1 npm test -- test/doors/pages/what-account-says.test.ts
test(`${TRANSCRIPT} has what every page says and where it leads`, async () => {
  await tellGrants();
  await tellEvents();
  await tellSignIn();
  await tellPasskeys();
  const actual = `${told.join('\n').trim()}\n`;
  if (process.env['UPDATE_TRANSCRIPT']) writeFileSync(TRANSCRIPT, actual);
  assert.equal(actual, readFileSync(TRANSCRIPT, 'utf8'));
});
