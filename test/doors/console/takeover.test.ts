// A password is not enough to administer, however it is used.
import assert from 'node:assert/strict';
import { after, before, beforeEach, suite, test } from 'node:test';
import { removePasskey } from '../../../src/operations/admin/identities.ts';
import { identities, passkeys } from '../../../src/store/tables/identities.ts';
import { integrations } from '../../../src/store/tables/integrations.ts';
import { CLIENT, OPERATOR } from '../../samples.ts';
import { ADA, BOB, PASSWORD } from '../pages/running-service.ts';
import { invitationFor, register, registered, SoftwarePasskey, signInWith } from '../pages/software-passkey.ts';
import { signedIn, Visitor } from '../pages/visitor.ts';
import { ConsoleScene } from './scene.ts';

let scene: ConsoleScene;
before(async () => {
  scene = await ConsoleScene.open();
  await scene.store.change(identities, ADA.id, (found) => ({
    outcome: undefined,
    ...(found && { next: { ...found.row, groups: ['operators'] } }),
  }));
});
after(() => scene?.stop());

const keys = async () => (await scene.store.load(passkeys, ADA.id)).found?.row.keys ?? [];
const mayAct = async (visitor: Visitor) => (await visitor.get(`/console/integrations/${CLIENT}/disable`)).status;

async function signedInWith(passkey: SoftwarePasskey): Promise<Visitor> {
  const visitor = new Visitor(scene.service);
  assert.equal((await signInWith(visitor, passkey)).status, 303);
  return visitor;
}

suite('somebody who has the password of an operator', () => {
  let thief: Visitor;
  beforeEach(async () => {
    await removePasskey(ADA.id, { all: true }, { store: scene.store, by: OPERATOR });
    thief = await signedIn(scene.service);
  });

  test('changes nothing about passkeys that there are, and adds none', async () => {
    await registered(scene.service);
    const [own] = await keys();
    assert.doesNotMatch((await thief.get('/account/passkeys')).text, /Remove now/);
    assert.equal((await register(thief, new SoftwarePasskey(scene.service))).status, 403);
    await thief.get('/account');
    assert.match((await thief.post(`/account/passkeys/${own?.id}/remove`)).text, /to change your passkeys/);
    assert.match(
      (await thief.post(`/account/passkeys/${own?.id}/rename`, { name: 'x' })).text,
      /to change your passkeys/,
    );
    assert.deepEqual(await keys(), [own]);
  });

  test('adds a first passkey that only looks, and so do those that are added with it', async () => {
    const first = new SoftwarePasskey(scene.service);
    assert.equal((await register(thief, first)).status, 303);
    const visitor = await signedInWith(first);
    assert.equal((await visitor.get('/console')).status, 200);
    assert.equal(await mayAct(visitor), 403);
    const second = new SoftwarePasskey(scene.service);
    assert.equal((await register(visitor, second)).status, 303);
    assert.equal(await mayAct(await signedInWith(second)), 403);
    assert.equal((await scene.store.load(integrations, CLIENT)).found?.row.enabled, true);
  });

  test('with such a passkey removes none that was added by invitation', async () => {
    const weak = new SoftwarePasskey(scene.service);
    await register(thief, weak);
    const own = await registered(scene.service);
    const strong = (await keys()).find(({ isStrong }) => isStrong);
    const visitor = await signedInWith(weak);
    await visitor.get('/account');
    await visitor.post(`/account/passkeys/${strong?.id}/remove`);
    assert.equal((await keys()).length, 2);
    const ada = await signedInWith(own);
    assert.equal(await mayAct(ada), 200);
    const [first] = await keys();
    assert.equal((await ada.post(`/account/passkeys/${first?.id}/remove`)).status, 303);
    assert.deepEqual(
      (await keys()).map(({ id }) => id),
      [strong?.id],
    );
  });
});

suite('an invitation', () => {
  beforeEach(() => removePasskey(ADA.id, { all: true }, { store: scene.store, by: OPERATOR }));

  test('adds one passkey, which may act, and adds more', async () => {
    const invitation = await invitationFor('ada', scene.store);
    const visitor = await signedIn(scene.service);
    const passkey = new SoftwarePasskey(scene.service);
    assert.equal((await register(visitor, passkey, {}, ` ${invitation.toUpperCase()}`)).status, 303);
    const again = await register(visitor, new SoftwarePasskey(scene.service), {}, invitation);
    assert.equal(again.status, 403);
    assert.match(again.text, /The invitation was not accepted/);
    const ada = await signedInWith(passkey);
    const further = new SoftwarePasskey(scene.service);
    assert.equal((await register(ada, further)).status, 303);
    assert.equal(await mayAct(await signedInWith(further)), 200);
  });

  test('is of one identity, and ends after a day', async () => {
    const invitation = await invitationFor('bob', scene.store);
    const visitor = await signedIn(scene.service);
    assert.equal((await register(visitor, new SoftwarePasskey(scene.service), {}, invitation)).status, 403);
    scene.service.advance(86_400);
    const bob = new Visitor(scene.service);
    await bob.signIn('bob', PASSWORD);
    assert.equal((await register(bob, new SoftwarePasskey(scene.service), {}, invitation)).status, 403);
    assert.equal((await scene.store.load(passkeys, BOB.id)).found, undefined);
  });

  test('stands in no row and no log line', async () => {
    const invitation = await invitationFor('ada', scene.store);
    await register(await signedIn(scene.service), new SoftwarePasskey(scene.service), {}, invitation);
    assert.equal(scene.service.logged().includes(invitation), false);
    assert.equal(JSON.stringify(await scene.store.newestEvents({ count: 20 })).includes(invitation), false);
  });
});

test('who sets a password is told of the passkeys, and can remove them with it', async () => {
  const passkey = await registered(scene.service);
  const olga = await scene.visitor('olga');
  const path = `/console/identities/${encodeURIComponent(ADA.id)}/password`;
  const { text } = await olga.get(path);
  assert.match(text, /Remove its passkeys too.*\(\d\)/);
  const revision = /name="revision" value="(\d+)"/.exec(text)?.[1] ?? '';
  const sent = { revision, password: 'canary-another-battery-staple', remove_passkeys: 'yes' };
  assert.equal((await olga.post(path, sent)).status, 303);
  assert.deepEqual(await keys(), []);
  assert.equal((await signInWith(new Visitor(scene.service), passkey)).status, 403);
});
