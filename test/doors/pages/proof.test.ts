// What a grant proves: how the person who confirmed had signed in.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Grant } from '../../../src/core/grant.ts';
import { removePasskey } from '../../../src/operations/admin/identities.ts';
import { grants, grantsOf } from '../../../src/store/tables/grants.ts';
import { OPERATOR } from '../../samples.ts';
import { AGENT, Program } from './asking-program.ts';
import { poll, startCode } from './calling-device.ts';
import { ADA, ORDERS, type RunningService, startService } from './running-service.ts';
import { register, registered, SoftwarePasskey, signInWith } from './software-passkey.ts';
import { signedIn, Visitor } from './visitor.ts';

let service: RunningService;
let passkey: SoftwarePasskey;
before(async () => {
  service = await startService({ integrations: [ORDERS, AGENT] });
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
  assert.deepEqual((await newestGrant())?.origin, { kind: 'device' });
});

test('a passkey that was added with a password alone is no strong proof', async () => {
  await removePasskey(ADA.id, { all: true }, { store: service.store, by: OPERATOR });
  const weak = new SoftwarePasskey(service);
  assert.equal((await register(await signedIn(service), weak)).status, 303);
  const person = new Visitor(service);
  await signInWith(person, weak);
  assert.deepEqual((await confirmedBy(person))?.origin, { kind: 'code' });
});
