// What a grant proves: how the person who confirmed had signed in.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Grant } from '../../../src/core/grant.ts';
import type { ClientId } from '../../../src/core/integration.ts';
import { removePasskey } from '../../../src/operations/admin/identities.ts';
import { grants, grantsOf } from '../../../src/store/tables/grants.ts';
import { anIntegration, OPERATOR, scopeOf } from '../../samples.ts';
import { AGENT, CALLBACK, decisionOf, Program } from './asking-program.ts';
import { poll, startCode } from './calling-device.ts';
import { ADA, ORDERS, type RunningService, startService } from './running-service.ts';
import { register, registered, SoftwarePasskey, signInWith } from './software-passkey.ts';
import { signedIn, Visitor } from './visitor.ts';

const ADMINISTRATION = anIntegration({
  clientId: 'tool' as ClientId,
  scope: scopeOf('tessera:read,operate,manage'),
  flows: AGENT.flows,
});

let service: RunningService;
let passkey: SoftwarePasskey;
before(async () => {
  service = await startService({ integrations: [ORDERS, AGENT, ADMINISTRATION] });
  passkey = await registered(service);
});
after(() => service?.stop());

async function byPasskey(): Promise<Visitor> {
  const visitor = new Visitor(service);
  await signInWith(visitor, passkey);
  return visitor;
}

async function newestGrant(): Promise<Grant | undefined> {
  const where = grantsOf.holder(ADA.id);
  return (await service.store.page(grants, { where, isDescending: true, limit: 1 }))[0];
}

async function confirmedBy(person: Visitor): Promise<Grant | undefined> {
  const program = new Program(service);
  const { status } = await program.redeem((await program.decided(person)).get('code'));
  assert.equal(status, 200);
  return newestGrant();
}

test('a code that a person confirms who signed in with a passkey is a strong proof, and the event says so', async () => {
  assert.deepEqual((await confirmedBy(await byPasskey()))?.origin, { kind: 'code', proof: 'passkey' });
  const [event] = (await service.store.newestEvents({ count: 1 })).slice(-1);
  assert.ok(event?.type === 'issued');
  assert.equal(event.detail.proof, 'passkey');
});

test('a strong proof counts for ten minutes: a browser may have been left alone', async () => {
  const person = await byPasskey();
  service.advance(601);
  assert.deepEqual((await confirmedBy(person))?.origin, { kind: 'code' });
});

test('for tokens that change things here, the person signs in again after ten minutes, also while the page is open', async () => {
  const person = await byPasskey();
  const program = new Program(service, CALLBACK, 'tool');
  const path = program.path({ scope: 'tessera:manage' });
  service.advance(500);
  const { text: open } = await person.get(path);
  assert.match(open, /name="decision" value="confirm"/);
  service.advance(101);
  const { text } = await person.get(path);
  assert.doesNotMatch(text, /name="decision"/);
  assert.match((await person.get(program.path({ scope: 'tessera:read' }))).text, /name="decision"/);
  const request = /name="request" value="([^"]+)"/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? '';
  const late = await person.post('/oauth2/authorize', decisionOf(open, 'confirm'));
  assert.deepEqual([late.status, late.headers.location], [200, undefined]);
  const { headers } = await signInWith(person, passkey, {}, { request });
  const { status } = await program.redeem((await program.decided(person, 'confirm', headers.location)).get('code'));
  assert.equal(status, 200);
  assert.deepEqual((await newestGrant())?.origin, { kind: 'code', proof: 'passkey' });
});

test('with a password it is none, also if the account has passkeys', async () => {
  assert.deepEqual((await confirmedBy(await signedIn(service)))?.origin, { kind: 'code' });
});

test('signing in again with the password takes the strong proof away, and with the passkey gives it', async () => {
  const person = await byPasskey();
  await person.get('/account');
  await person.post('/account/sign-in', { user_name: 'ada', password: 'canary-correct-horse-battery' });
  assert.deepEqual((await confirmedBy(person))?.origin, { kind: 'code' });
  await signInWith(person, passkey);
  assert.deepEqual((await confirmedBy(person))?.origin, { kind: 'code', proof: 'passkey' });
});

test('a device code is never a strong proof, whoever confirmed it', async () => {
  const person = await byPasskey();
  const code = await startCode(service);
  const path = await person.enterCode(code.userCode);
  await person.post(`${path.split('?')[0]}/confirm`);
  await poll(service, code);
  const found = await service.store.page(grants, { where: grantsOf.holder(ADA.id), limit: 100 });
  const origins = found.map(({ origin }) => origin).filter(({ kind }) => kind === 'device');
  assert.deepEqual(origins, [{ kind: 'device' }]);
});

test('a passkey that was added with a password alone is no strong proof', async () => {
  await removePasskey(ADA.id, { all: true }, { store: service.store, by: OPERATOR });
  const weak = new SoftwarePasskey(service);
  assert.equal((await register(await signedIn(service), weak)).status, 303);
  const person = new Visitor(service);
  await signInWith(person, weak);
  assert.deepEqual((await confirmedBy(person))?.origin, { kind: 'code' });
});
