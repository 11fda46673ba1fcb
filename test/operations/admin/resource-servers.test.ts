import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { addIdentity } from '../../../src/operations/admin/identities.ts';
import { ResourceServerObject } from '../../../src/operations/admin/objects.ts';
import { findThing } from '../../../src/operations/admin/perform.ts';
import { dropOldSecret, makeResourceServerSecret } from '../../../src/operations/admin/secrets.ts';
import { resourceServers } from '../../../src/store/tables/resource-servers.ts';
import { sha256 } from '../../../src/tokens/sha256.ts';
import {
  changeResourceServer,
  type ResourceServerDraft,
  registerIntegration,
  registerResourceServer,
  removeResourceServer,
} from '../../administer.ts';
import { administration } from './admin-samples.ts';

const ORDERS = { audience: 'https://orders.example', resources: ['Orders', 'invoices', 'orders'] };

async function administered(t: TestContext) {
  return { ...(await administration(t)), issuer: 'https://tokens.example' };
}

suite('resource servers', () => {
  test('a registered resource server is stored with its resources in lower case, with an event in the same commit', async (t) => {
    const admin = await administered(t);
    const outcome = await registerResourceServer('orders-api', ORDERS, admin);
    assert.ok(outcome.ok);
    const expected = {
      id: 'orders-api',
      audience: ORDERS.audience,
      name: 'orders-api',
      resources: ['invoices', 'orders'],
    };
    assert.deepEqual(outcome.value, { ...expected, enabled: true, secrets: [] });
    assert.deepEqual((await admin.store.load(resourceServers, 'orders-api')).found?.row, outcome.value);
    assert.deepEqual(await admin.did(), ['resource server registered']);
  });

  const refused: [why: string, id: string, draft: ResourceServerDraft, reason: string][] = [
    ['an id with a colon', 'a:b', ORDERS, 'resource-server-id-malformed'],
    ['an id that is an integration', 'orders-sync', ORDERS, 'resource-server-id-taken'],
    ['no audience', 'a', { resources: ['a'] }, 'audience-malformed'],
    ['an audience that is not absolute', 'a', { ...ORDERS, audience: '/orders' }, 'audience-malformed'],
    ['an audience with a fragment', 'a', { ...ORDERS, audience: 'https://a.example#b' }, 'audience-malformed'],
    ['the audience of another', 'a', { ...ORDERS, audience: 'urn:taken' }, 'audience-taken'],
    ['the issuer as audience', 'a', { ...ORDERS, audience: 'https://tokens.example' }, 'audience-taken'],
    ['the issuer with a slash', 'a', { ...ORDERS, audience: 'https://tokens.example/' }, 'audience-taken'],
    ['no resource', 'a', { ...ORDERS, resources: [] }, 'resources-missing'],
    ['a resource with a permission', 'a', { ...ORDERS, resources: ['orders:read'] }, 'resource-malformed'],
    ['the reserved resource', 'a', { ...ORDERS, resources: ['Tessera'] }, 'resource-malformed'],
    ['a name with an escape sequence', 'a', { ...ORDERS, name: '\u001b[2J' }, 'text-malformed'],
    ['an identity that does not exist', 'a', { ...ORDERS, identity: 'nobody' }, 'identity-unknown'],
    ['an id that is registered', 'taken', ORDERS, 'resource-server-exists'],
  ];
  test('its published form asks for one resource or more', () => {
    assert.partialDeepStrictEqual(ResourceServerObject, { properties: { resources: { minItems: 1 } } });
  });

  for (const [why, id, draft, reason] of refused) {
    test(`${why} is refused`, async (t) => {
      const admin = await administered(t);
      await registerIntegration('orders-sync', { scope: 'orders:read' }, admin);
      await registerResourceServer('taken', { audience: 'urn:taken', resources: ['a'] }, admin);
      const outcome = await registerResourceServer(id, draft, admin);
      assert.equal(outcome.ok ? 'accepted' : outcome.refusal.reason, reason);
      assert.equal((await admin.did()).length, 2, 'nothing was written');
    });
  }

  test('an integration cannot take the id of a resource server, not even of a removed one', async (t) => {
    const admin = await administered(t);
    await registerResourceServer('orders-api', ORDERS, admin);
    for (const isRemoved of [false, true]) {
      if (isRemoved) await removeResourceServer('orders-api', { isConfirmed: true }, admin);
      const outcome = await registerIntegration('orders-api', { scope: 'orders:read' }, admin);
      assert.equal(outcome.ok ? 'accepted' : outcome.refusal.reason, 'client-id-of-resource-server');
    }
  });

  test('a change keeps the fields it does not name, secrets included', async (t) => {
    const admin = await administered(t);
    await addIdentity({ userName: 'gateway' } as never, admin as never);
    await registerResourceServer('orders-api', { ...ORDERS, name: 'Orders', identity: 'gateway' }, admin);
    await makeResourceServerSecret('orders-api', { replaces: false }, admin);
    const before = await findThing('resource-server', 'orders-api', admin);
    const changed = await changeResourceServer('orders-api', { resources: ['orders'], enabled: false }, admin);
    assert.ok(before.ok && changed.ok);
    assert.deepEqual(changed.value, { ...before.value, resources: ['orders'], enabled: false });
    const without = await changeResourceServer('orders-api', { identity: '' }, admin);
    assert.ok(without.ok && before.value.identity);
    assert.equal(without.value.identity, undefined);
  });

  test('a change may keep its own audience, and not take that of another', async (t) => {
    const admin = await administered(t);
    await registerResourceServer('a', { ...ORDERS, audience: 'urn:a' }, admin);
    await registerResourceServer('b', { ...ORDERS, audience: 'urn:b' }, admin);
    assert.ok((await changeResourceServer('a', { audience: 'urn:a' }, admin)).ok);
    const outcome = await changeResourceServer('a', { audience: 'urn:b' }, admin);
    assert.equal(outcome.ok ? 'accepted' : outcome.refusal.reason, 'audience-taken');
  });

  test('a removed resource server has no secrets, is not listed, and its id and audience may be registered again', async (t) => {
    const admin = await administered(t);
    await registerResourceServer('orders-api', ORDERS, admin);
    await makeResourceServerSecret('orders-api', { replaces: false }, admin);
    const unconfirmed = await removeResourceServer('orders-api', { isConfirmed: false }, admin);
    assert.equal(unconfirmed.ok ? 'accepted' : unconfirmed.refusal.reason, 'resource-server-removal-unconfirmed');
    assert.ok((await removeResourceServer('orders-api', { isConfirmed: true }, admin)).ok);
    assert.deepEqual((await admin.store.load(resourceServers, 'orders-api')).found?.row.secrets, []);
    for (const outcome of [
      await changeResourceServer('orders-api', { name: 'x' }, admin),
      await makeResourceServerSecret('orders-api', { replaces: false }, admin),
      await findThing('resource-server', 'orders-api', admin),
    ])
      assert.equal(outcome.ok ? 'accepted' : outcome.refusal.reason, 'resource-server-unknown');
    const again = await registerResourceServer('orders-api', ORDERS, admin);
    assert.ok(again.ok && !again.value.removed && again.value.enabled);
  });

  test('a secret is stored as its hash alone; two at a time; events never contain it', async (t) => {
    const admin = await administered(t);
    await registerResourceServer('orders-api', ORDERS, admin);
    const first = await makeResourceServerSecret('orders-api', { replaces: false }, admin);
    const second = await makeResourceServerSecret('orders-api', { replaces: false }, admin);
    assert.ok(first.ok && second.ok);
    const texts = [first.value.reveal(), second.value.reveal()];
    const hashes = async () =>
      (await admin.store.load(resourceServers, 'orders-api')).found?.row.secrets.map(({ hash }) => hash);
    assert.deepEqual(await hashes(), texts.map(sha256));
    const third = await makeResourceServerSecret('orders-api', { replaces: false }, admin);
    assert.equal(third.ok ? 'accepted' : third.refusal.reason, 'secrets-exhausted');
    assert.ok((await dropOldSecret('orders-api', admin)).ok);
    assert.deepEqual(await hashes(), texts.slice(1).map(sha256));
    const nothing = await dropOldSecret('orders-api', admin);
    assert.equal(nothing.ok ? 'accepted' : nothing.refusal.reason, 'secrets-not-two');
    const events = JSON.stringify(await admin.store.events({ after: 0, limit: 100 }));
    for (const text of [...texts, ...texts.map(sha256)]) assert.ok(!events.includes(text));
  });

  test('of eight parallel calls for a secret, two get one', async (t) => {
    const admin = await administered(t);
    await registerResourceServer('orders-api', ORDERS, admin);
    const calls = Array.from({ length: 8 }, () => makeResourceServerSecret('orders-api', { replaces: false }, admin));
    assert.equal((await Promise.all(calls)).filter(({ ok }) => ok).length, 2);
  });
});
