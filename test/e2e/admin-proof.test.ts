// What a token proves at the admin door, and what happens to a thing that two people change at once.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { isRecent } from '../../src/core/rules/operator.ts';
import { epochSeconds } from '../../src/core/time.ts';
import { runActAs } from '../../src/operations/admin/acts/owned-act.ts';
import { RefusalCounts } from '../../src/operations/upkeep/count-refusals.ts';
import { writePem } from '../../src/pki/der/pem.ts';
import { rows } from '../../src/store/pages.ts';
import type { Store } from '../../src/store/store.ts';
import { refusalCounts } from '../../src/store/tables/figures.ts';
import { grants } from '../../src/store/tables/grants.ts';
import { integrations } from '../../src/store/tables/integrations.ts';
import { makeAuthority } from '../authority.ts';
import { given, prepare } from '../given.ts';
import { anIntegration, OPERATOR, scopeOf } from '../samples.ts';
import { AdminScene, BACK_END } from './admin-scene.ts';
import { postForm } from './oauth-steps.ts';
import { registryFollows } from './registry-follows.ts';
import { clientId } from './service.ts';

const scene = given(() => AdminScene.open({}, BACK_END));

/** Once, somebody else changes the integration after it was loaded. */
function racing(store: Store, id: string, meanwhile: () => Promise<unknown>): Store {
  let isDone = false;
  return new Proxy(store, {
    get(target, name) {
      const value = target[name as keyof Store] as unknown;
      if (typeof value !== 'function') return value;
      if (name !== 'load') return value.bind(target);
      return async (...args: Parameters<Store['load']>) => {
        const loaded = await target.load(...args);
        if (args[1] === id && !isDone) {
          isDone = true;
          await meanwhile();
        }
        return loaded;
      };
    },
  });
}

prepare(async () => {
  await scene.service.register(anIntegration({ clientId: clientId('shop'), owners: ['shop-team'] }));
  await registryFollows();
});

suite(`proof and races at the admin door, on ${BACK_END}`, () => {
  test('a new owner does not bring back what somebody has taken from tessera-cli', async () => {
    const { store, random } = scene.service.ports;
    const narrow = () =>
      store.change(integrations, 'tessera-cli', (found) => ({
        outcome: undefined,
        next: { ...found?.row, scope: scopeOf('tessera:read'), enabled: false } as never,
      }));
    const before = (await store.load(integrations, 'tessera-cli')).found?.row ?? assert.fail();
    const ports = {
      store: racing(store, 'tessera-cli', narrow),
      by: OPERATOR,
      random,
      issuer: 'https://tokens.example',
      everyNodeKnows: async () => {},
      callerPorts: async () => assert.fail(),
    };
    const body = { scope: 'a:b', owners: ['fresh-team'] };
    const made = await runActAs(undefined, 'integration-put', { id: 'newone', body, onlyIf: 'absent' }, ports);
    assert.ok(made.ok);
    const { row } = (await store.load(integrations, 'tessera-cli')).found ?? assert.fail();
    assert.deepEqual([row.scope.text, row.enabled], ['tessera:read', false]);
    assert.ok(row.access.to === 'named' && row.access.groups.includes('fresh-team'));
    await store.change(integrations, 'tessera-cli', () => ({ outcome: undefined, next: before }));
    await registryFollows();
  });

  test('two requests at the same moment never take one name, in whatever tables', async () => {
    const token = await scene.token('olga');
    const pem = writePem(makeAuthority({ name: 'Twin' }).certificate);
    const rule = [{ when: { '/sub': 'job' } }];
    const authority = () => writePem(makeAuthority({ name: 'Any' }).certificate);
    const issuer = (certificate: string) => ({ pem: certificate, identitySources: ['common-name'] });
    const server = (audience: string) => ({ audience, resources: ['stock'] });
    const keys = { from: 'url', url: 'https://keys.example/jwks' };
    const platform = (iss: string) => ({ issuer: iss, keys, rules: rule });
    type Pair = readonly (readonly [path: string, body: object])[];
    const pairs: readonly ((n: number) => Pair)[] = [
      (n) => [
        [`integrations/same${n}`, { scope: 'a:b' }],
        [`resource-servers/same${n}`, server(`https://id${n}.example`)],
      ],
      (n) => [
        [`integrations/iss${n}`, { scope: 'a:b' }],
        [`token-issuers/of${n}`, platform(`iss${n}`)],
      ],
      (n) => [
        [`issuers/label${n}`, issuer(authority())],
        [`token-issuers/label${n}`, platform(`https://label${n}.example`)],
      ],
      (n) => [
        [`issuers/one${n}`, issuer(pem)],
        [`issuers/two${n}`, issuer(pem)],
      ],
      (n) => [
        [`token-issuers/one${n}`, platform(`https://one${n}.example`)],
        [`token-issuers/two${n}`, platform(`https://one${n}.example`)],
      ],
      (n) => [
        [`resource-servers/one${n}`, server(`https://aud${n}.example`)],
        [`resource-servers/two${n}`, server(`https://aud${n}.example`)],
      ],
      (n) => [
        [`identities/person${n}`, { email: `p${n}@example.com` }],
        [`identities/other${n}`, { email: `p${n}@example.com` }],
      ],
    ];
    for (const [kind, pairOf] of pairs.entries()) {
      for (let n = 0; n < 3; n++) {
        const put = ([path, body]: Pair[number]) => scene.ask(token, 'PUT', `/${path}`, { body });
        const pair = pairOf(n);
        const answers = await Promise.all(pair.map(put));
        const statuses = answers.map(({ status }) => status).sort((a, b) => a - b);
        assert.deepEqual(statuses, [201, 409], `${kind}: ${answers.map(({ text }) => text).join(' ')}`);
        const [made] = pair.filter((_, at) => answers[at]?.status === 201);
        if (made?.[0].startsWith('issuers/')) await scene.ask(token, 'DELETE', `/${made[0]}`);
      }
    }
  });

  test('refusals of thousands of integrations take a bounded number of rows', async () => {
    const { store, clock, registry } = scene.service.ports;
    const known = anIntegration();
    const everything = { integration: () => known } as unknown as typeof registry;
    const counts = new RefusalCounts({ store, registry: everything, clock });
    for (let turn = 0; turn < 6; turn++) {
      for (let at = 0; at < 3000; at++)
        counts.count({ clientId: `i${turn}-${at}`, identityId: `p${at}`, reason: 'a', requestId: 'r' });
      await counts.flush();
    }
    const stored = await Array.fromAsync(rows(store, refusalCounts));
    assert.ok(stored.length <= 2_100, `${stored.length} rows`);
    assert.equal(
      // the service itself refuses something now and then
      stored.reduce((sum, { reason, count }) => (reason === 'a' ? sum + count : sum), 0),
      18_000,
    );
  });

  test('a refresh token without its certificate only looks; an old grant does nothing', async () => {
    const cli = { scope: scopeOf('tessera:read,operate,manage'), overrides: { refresh: true } };
    const ids = { loose: 'none', bound: 'certificate' } as const;
    for (const [id, binding] of Object.entries(ids))
      await scene.service.register(anIntegration({ ...cli, clientId: clientId(id), binding: binding as 'none' }));
    await registryFollows();
    const login = async (client_id: string) => {
      const fields = { client_id, scope: 'tessera:manage', grant_type: 'client_credentials' };
      return (await postForm(scene.caller('olga'), '/oauth2/token', fields)).json as Record<string, string>;
    };
    const refresh = (client_id: string, refresh_token = '', by?: string) =>
      postForm(scene.caller(by), '/oauth2/token', { client_id, grant_type: 'refresh_token', refresh_token });
    const stolen = (await refresh('loose', (await login('loose'))['refresh_token'])).json['access_token'];
    assert.equal((await scene.ask(String(stolen), 'POST', '/integrations/shop/disable')).status, 403);
    assert.equal((await refresh('bound', (await login('bound'))['refresh_token'])).status, 400);
    const renewed = await refresh('bound', (await login('bound'))['refresh_token'], 'olga');
    assert.equal((await scene.ask(String(renewed.json['access_token']), 'GET', '/integrations/shop')).status, 401);
    const own = await scene.caller('olga').ask({
      method: 'POST',
      path: `/admin/v1/integrations/shop/enable`,
      headers: { authorization: `Bearer ${renewed.json['access_token']}` },
    });
    assert.equal(own.status, 200, own.text);
    const { store } = scene.service.ports;
    const fresh = await scene.token('olga');
    const last = (await store.page(grants, { limit: 1000 })).at(-1);
    await store.change(grants, last?.id ?? '', (found) => {
      const { pair, ...row } = found?.row ?? assert.fail();
      return { outcome: undefined, next: { ...row, pair: { ...pair, issuedAt: epochSeconds(pair.issuedAt - 7_200) } } };
    });
    assert.equal((await scene.ask(fresh, 'GET', '/integrations')).status, 401);
    const [now, hour] = [epochSeconds(1_800_000_000), 3_600];
    const at = (ago: number) => epochSeconds(now - ago);
    const young = { now, issuedAt: at(60), expiresAt: at(60 - hour), createdAt: at(60) };
    assert.ok(isRecent(young));
    assert.ok(!isRecent({ ...young, createdAt: at(13 * hour) }));
    assert.ok(!isRecent({ ...young, expiresAt: at(-90 * 24 * hour) }));
  });
});
