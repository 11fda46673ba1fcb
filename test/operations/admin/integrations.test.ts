import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { seconds } from '../../../src/core/time.ts';
import { enableIntegration } from '../../../src/operations/admin/acts/work/integration.ts';
import { addIdentity } from '../../../src/operations/admin/identities.ts';
import { integrations } from '../../../src/store/tables/integrations.ts';
import { resourceServers } from '../../../src/store/tables/resource-servers.ts';
import {
  act,
  applyObjects,
  changeIntegration,
  type IntegrationDraft,
  importIntegrations,
  registerIntegration,
} from '../../administer.ts';
import { put } from '../../node.ts';
import { anIntegration, aResourceServer } from '../../samples.ts';
import { administration } from './admin-samples.ts';

const URIS = Array.from({ length: 20 }, (_, n) => `https://a.example/${n}`);

function withCode(...redirectUris: string[]): IntegrationDraft {
  return { scope: 'a', flows: { code: { redirectUris } } } as IntegrationDraft;
}

function withAccess(access: object): IntegrationDraft {
  return { scope: 'a', access: { to: 'named', identities: [], groups: [], ...access } };
}

suite('integrations', () => {
  test('a registered integration is stored, with an event in the same commit', async (t) => {
    const admin = await administration(t);
    const outcome = await registerIntegration('orders-sync', { scope: 'orders:read' }, admin);
    assert.ok(outcome.ok);
    const { found } = await admin.store.load(integrations, 'orders-sync');
    assert.deepEqual(found?.row, outcome.value);
    assert.deepEqual(await admin.did(), ['integration registered']);
  });

  test('an existing integration is not registered again, even by two parallel calls', async (t) => {
    const admin = await administration(t);
    const outcomes = await Promise.all(
      ['orders:read', 'orders:write'].map((scope) => registerIntegration('orders-sync', { scope }, admin)),
    );
    assert.equal(outcomes.filter(({ ok }) => ok).length, 1);
    assert.deepEqual(await admin.did(), ['integration registered']);
  });

  test('a change keeps the fields it does not name', async (t) => {
    const admin = await administration(t);
    const overrides = { grantLifetime: seconds(60), refresh: false };
    await registerIntegration('a', { scope: 'orders:read,write', name: 'A', overrides }, admin);
    await enableIntegration('a', false, admin);
    const changed = await changeIntegration('a', { scope: 'orders:read', overrides: { refresh: true } }, admin);
    assert.ok(changed.ok);
    const { name, enabled, scope, overrides: after } = changed.value;
    assert.deepEqual(
      [name, enabled, scope.text, after],
      ['A', false, 'orders:read', { grantLifetime: 60, refresh: true }],
    );
  });

  const refused: [why: string, clientId: string, draft: Parameters<typeof registerIntegration>[1], reason: string][] = [
    ['a client id with a space', 'a b', { scope: 'a' }, 'client-id-malformed'],
    ['a client id with markup', '<script>', { scope: 'a' }, 'client-id-malformed'],
    ['a name with markup', 'a', { scope: 'a', name: '<script>' }, 'text-malformed'],
    ['a client id too long', 'a'.repeat(129), { scope: 'a' }, 'client-id-malformed'],
    ['no scope', 'a', {}, 'scope-missing'],
    ['a scope with a space', 'a', { scope: 'a b' }, 'scope-malformed'],
    ['a name with an escape sequence', 'a', { scope: 'a', name: '\u001b[2J' }, 'text-malformed'],
    ['a description with a bidi override', 'a', { scope: 'a', description: '\u202ex' }, 'text-malformed'],
    ['JWTs without a signing key', 'a', { scope: 'a', accessTokenFormat: 'jwt' }, 'signing-key-missing'],
    [
      'JWTs that live longer than a day',
      'a',
      { scope: 'a', accessTokenFormat: 'jwt', overrides: { accessTokenLifetime: seconds(86_401) } },
      'lifetime-too-long',
    ],
    ['an owner without a name', 'a', { scope: 'a', owners: ['ops', ''] }, 'text-malformed'],
    ['an owner with a newline', 'a', { scope: 'a', owners: ['o\n'] }, 'text-malformed'],
    ['no name', 'a', { scope: 'a', name: '' }, 'text-malformed'],
    ['a redirect URI that is none', 'a', withCode('https://a.example', 'nowhere'), 'redirect-uri-malformed'],
    ['more than 20 redirect URIs', 'a', withCode(...URIS, 'https://a.example/20'), 'redirect-uri-malformed'],
    ['a name that is no address', 'a', { scope: 'a', secretAddresses: ['10.0.0.0/8', 'x'] }, 'address-range-malformed'],
    [
      'an exchange for nobody',
      'a',
      { scope: 'a', exchange: [{ integration: '' as never, scope: 'a' }] },
      'exchange-malformed',
    ],
    [
      'an exchange of nothing',
      'a',
      { scope: 'a', exchange: [{ integration: 'b' as never, scope: '' }] },
      'exchange-malformed',
    ],
    ['an API that nobody registered', 'a', { scope: 'a', resourceServer: 'api' }, 'resource-server-unknown'],
    ['a group without a name', 'a', withAccess({ groups: [''] }), 'text-malformed'],
    ['no time at all', 'a', { scope: 'a', overrides: { accessTokenLifetime: seconds(0) } }, 'lifetime-malformed'],
    [
      'an identity that is none',
      'a',
      { scope: 'a', access: { to: 'named', identities: ['ada' as never], groups: [] } },
      'identity-unknown',
    ],
  ];
  test('accepted: 20 redirect URIs, ranges of addresses, exchanges, and the API that it is', async (t) => {
    const admin = await administration(t);
    await put(admin.store, resourceServers, aResourceServer({ id: 'api' as never }));
    const more = {
      secretAddresses: ['10.0.0.0/8'],
      exchange: [{ integration: 'b', scope: 'a' }],
      resourceServer: 'api',
    };
    const outcome = await registerIntegration('a', { ...withCode(...URIS), ...more } as never, admin);
    assert.partialDeepStrictEqual(outcome.ok && outcome.value, { ...more, flows: { device: true, certificate: true } });
    assert.ok((await changeIntegration('a', { name: 'A' }, admin)).ok);
  });

  for (const [why, clientId, draft, reason] of refused) {
    test(`refused: ${why}`, async (t) => {
      const admin = await administration(t);
      const outcome = await registerIntegration(clientId, draft, admin);
      assert.equal(outcome.ok || outcome.refusal.reason, reason);
      assert.deepEqual(await admin.did(), []);
    });
  }

  test('access for named identities stores their ids, each once, and refuses an unknown name', async (t) => {
    const admin = await administration(t);
    const ada = await addIdentity({ userName: 'ada' }, admin);
    assert.ok(ada.ok);
    const named = (...names: string[]) => ({
      scope: 'a',
      access: { to: 'named' as const, identities: names as never[], groups: ['staff'] },
    });
    const made = await registerIntegration('a', named('ada', ada.value.id), admin);
    assert.deepEqual(made.ok && made.value.access, { to: 'named', identities: [ada.value.id], groups: ['staff'] });
    const refused = await registerIntegration('b', named('ada', 'eve'), admin);
    assert.deepEqual(refused.ok || refused.refusal, { reason: 'identity-unknown', about: 'eve' });
  });

  test('a document that names one person in many integrations asks the store for them once; applied again, it loads nothing', async (t) => {
    const admin = await administration(t);
    await addIdentity({ userName: 'ada' }, admin);
    let [asked, loaded] = [0, 0];
    const find: typeof admin.store.find = (...given) => {
      asked += 1;
      return admin.store.find(...given);
    };
    const load: typeof admin.store.load = (...given) => {
      loaded += 1;
      return admin.store.load(...given);
    };
    const access = { to: 'named', identities: ['ada'], groups: [] };
    const integrations = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`i${n}`, { scope: 'a', access }]));
    const apply = () => applyObjects({ integrations }, { ...admin, store: { ...admin.store, find, load } });
    assert.ok((await apply()).ok);
    assert.ok(asked < 5, `${asked} lookups`);
    loaded = 0;
    assert.ok((await apply()).ok);
    assert.ok(loaded < 5, `${loaded} rows`);
  });

  test('owners enable what owners have disabled, but not what an operator has', async (t) => {
    const admin = await administration(t);
    await registerIntegration('a', { scope: 'orders:read' }, admin);
    const enable = async (enabled: boolean, isOwner: boolean) => {
      const done = await enableIntegration('a', enabled, { ...admin, isOwner });
      return done.ok ? done.value.enabled : done.refusal.reason;
    };
    assert.deepEqual([await enable(false, true), await enable(true, true)], [false, true]);
    assert.deepEqual([await enable(false, false), await enable(true, true)], [false, 'permission-missing']);
    assert.deepEqual([await enable(false, true), await enable(true, true)], [false, 'permission-missing']);
    assert.deepEqual([await enable(true, false), await enable(true, true)], [true, true]);
    assert.deepEqual([await enable(false, true), await enable(false, false)], [false, false]);
    assert.equal(await enable(true, true), 'permission-missing');
  });

  test('are listed in pages, without those that were removed', async (t) => {
    const admin = await administration(t);
    for (const id of ['a', 'b', 'c', 'd']) await registerIntegration(id, { scope: 'orders:read' }, admin);
    const run = async (name: Parameters<typeof act>[0], given: object) => {
      const done = await act(name, given, admin);
      return done.ok ? (done.value.value as { items: { clientId: string }[]; next?: string }) : assert.fail();
    };
    const page = async (query: object) => {
      const { items, ...next } = await run('integration-list', { query });
      return [items.map(({ clientId }) => clientId).join(''), next];
    };
    assert.deepEqual(await run('integration-remove', { id: 'b', query: { confirmed: true } }), {
      id: 'b',
      endedGrants: 0,
    });
    assert.deepEqual(await page({ limit: 2 }), ['a', { next: 'b' }]);
    assert.deepEqual(await page({ limit: 2, cursor: 'b' }), ['cd', { next: 'd' }]);
    assert.deepEqual(await page({ limit: 3, cursor: 'b' }), ['cd', {}]);
    assert.deepEqual(await page({ all: true }), ['abcd', {}]);
    for (let n = 0; n < 98; n++)
      await put(admin.store, integrations, anIntegration({ clientId: `e${100 + n}` as never }));
    assert.deepEqual((await page({}))[1], { next: 'e195' });
  });

  test('an unknown integration is neither changed nor enabled', async (t) => {
    const admin = await administration(t);
    for (const outcome of [await changeIntegration('a', {}, admin), await enableIntegration('a b', true, admin)]) {
      assert.equal(outcome.ok || outcome.refusal.reason, 'integration-unknown');
    }
  });
});

suite('import files', () => {
  test('a file holds one object or a list; unknown fields are ignored', async (t) => {
    const one = '{"id":"a","name":"A","description":"d","scope":"orders:read","colour":7}';
    for (const text of [one, `[${one}]`]) {
      const admin = await administration(t);
      assert.ok((await importIntegrations({ text, update: false }, admin)).ok);
      const { name, description, scope } = (await admin.store.load(integrations, 'a')).found?.row ?? assert.fail();
      assert.deepEqual([name, description, scope.text], ['A', 'd', 'orders:read']);
    }
  });

  for (const text of [
    '[]',
    '7',
    'null',
    '[null]',
    '[[]]',
    '{}',
    '{"id":7,"scope":"a"}',
    '{"id":"a"}',
    '{"id":"a","scope":"a","accessTokenFormat":"saml"}',
    '{"__proto__":{"id":"a","scope":"a"}}',
    '[{"id":"a","scope":"a"},{"id":"a","scope":"b"}]',
  ]) {
    test(`refused: ${text}`, async (t) => {
      const admin = await administration(t);
      assert.equal((await importIntegrations({ text, update: false }, admin)).ok, false);
      assert.deepEqual(await admin.did(), []);
    });
  }

  test('a file with a known id changes nothing, unless updating is asked for', async (t) => {
    const admin = await administration(t);
    await registerIntegration('a', { scope: 'orders:read' }, admin);
    const text = '[{"id":"b","scope":"stock:read"},{"id":"a","scope":"orders:write"}]';
    const refused = await importIntegrations({ text, update: false }, admin);
    assert.deepEqual(refused.ok || refused.refusal, { reason: 'integration-exists', about: 'a' });
    assert.deepEqual(await admin.did(), ['integration registered']);
    const imported = await importIntegrations({ text, update: true }, admin);
    assert.deepEqual(imported.ok && imported.value, [
      { clientId: 'b', isNew: true },
      { clientId: 'a', isNew: false },
    ]);
    assert.deepEqual((await admin.did()).slice(1), ['integration registered', 'integration changed']);
  });

  test('of two imports at once that overlap, one happens, and nothing of the other', async (t) => {
    const admin = await administration(t);
    const files = [
      ['a', 'b', 'c'],
      ['d', 'c', 'b'],
    ];
    const outcomes = await Promise.all(
      files.map((ids, n) => {
        const text = JSON.stringify(ids.map((id) => ({ id, scope: `orders:write${n}` })));
        return importIntegrations({ text, update: false }, admin);
      }),
    );
    const winner = outcomes.findIndex(({ ok }) => ok);
    const [refused] = outcomes.filter((outcome) => !outcome.ok);
    assert.equal(refused?.refusal.reason, 'integration-exists');
    const stored = await admin.store.page(integrations, { limit: 10 });
    assert.deepEqual(
      stored.map(({ clientId, scope }) => [clientId, scope.text]),
      files[winner]?.toSorted().map((id) => [id, `orders:write${winner}`]),
    );
    assert.equal((await admin.did()).length, 3);
  });

  test('an import of an id that a resource server has changes nothing', async (t) => {
    const admin = await administration(t);
    await admin.store.create(resourceServers, 'c', () => ({ outcome: 0, next: aResourceServer({ id: 'c' as never }) }));
    const text = '[{"id":"a","scope":"a"},{"id":"c","scope":"a"}]';
    const refused = await importIntegrations({ text, update: false }, admin);
    assert.equal(refused.ok || refused.refusal.reason, 'client-id-of-resource-server');
    assert.deepEqual(await admin.did(), []);
  });

  test('a file with more integrations than one commit may change is refused', async (t) => {
    const entries = Array.from({ length: 5_000 }, (_, n) => ({ id: `i${n}`, scope: 'a' }));
    const read = await importIntegrations({ text: JSON.stringify(entries), update: false }, await administration(t));
    assert.match(read.ok ? '' : read.refusal.about, /5000 integrations, or more/);
  });
});
