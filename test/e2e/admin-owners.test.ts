// Owners of integrations at the admin door: what they must neither learn nor do.
import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import type { GrantId } from '../../src/core/grant.ts';
import { grants } from '../../src/store/tables/grants.ts';
import { integrations } from '../../src/store/tables/integrations.ts';
import { given } from '../given.ts';
import { aGrant, anIntegration, scopeOf } from '../samples.ts';
import { AdminScene } from './admin-scene.ts';
import { registryFollows } from './registry-follows.ts';
import { clientId } from './service.ts';

const SHOP = { scope: 'shop:read,write', owners: ['shop-team'], description: 'the shop' };

const scene = given(() => AdminScene.open());

suite('an owner of an integration', () => {
  before(async () => {
    const shop = { ...SHOP, scope: scopeOf(SHOP.scope) };
    await scene.service.register(anIntegration({ clientId: clientId('shop'), ...shop }));
    await registryFollows();
  });

  test('learns nothing of certificates and clients that got grants elsewhere', async () => {
    await scene.token('ada', 'orders:read', 'orders-sync');
    const { id: identityId } = await scene.add('gus', []);
    const guest = 'https://agent.example/client.json';
    const origin = { kind: 'code', guest: guest as never } as const;
    await scene.service.put(grants, aGrant({ identityId, origin }));
    const many = Array.from({ length: 1_000 }, (_, n) => n.toString(16).padStart(32, '0') as GrantId);
    await Promise.all(many.map((id) => scene.service.put(grants, aGrant({ id, identityId }))));
    const token = await scene.token('shaun');
    const told = async (filter: Record<string, string>) => {
      const listed = await scene.ask(
        token,
        'GET',
        `/grants?${new URLSearchParams({ integration: 'shop', ...filter })}`,
      );
      const body = { integration: 'shop', confirmed: true, ...filter };
      const ended = await scene.ask(token, 'POST', '/grants/revoke', { body });
      return [listed.status, listed.text, ended.status, ended.text];
    };
    const serial = scene.certificateOf('ada').serialNumber;
    assert.deepEqual(await told({ certificate: serial }), await told({ certificate: '4711' }));
    const other = 'https://agent.example/other.json';
    assert.deepEqual(await told({ identity: 'gus', guest }), await told({ identity: 'gus', guest: other }));
    assert.deepEqual(await told({ identity: 'gus' }), await told({ identity: 'nobody' }));
  });

  test('who means to make an integration does not replace their own', async () => {
    const token = await scene.token('shaun');
    const headers = { 'if-none-match': '*' };
    const made = await scene.ask(token, 'PUT', '/integrations/shop', {
      body: { ...SHOP, scope: 'shop:read' },
      headers,
    });
    assert.deepEqual([made.status, made.json['reason']], [412, 'integration-exists']);
    const { json } = await scene.ask(token, 'GET', '/integrations/shop');
    assert.deepEqual([json['scope'], json['description']], [SHOP.scope, SHOP.description]);
  });

  test('who changes what somebody has changed meanwhile is told so', async () => {
    const token = await scene.token('shaun');
    const body = { ...SHOP, scope: 'shop:read' };
    for (const stale of ['"12345"', '"x"']) {
      const put = await scene.ask(token, 'PUT', '/integrations/shop', { body, headers: { 'if-match': stale } });
      assert.equal(put.status, 412, put.text);
    }
    assert.equal((await scene.ask(token, 'GET', '/integrations/shop')).json['scope'], SHOP.scope);
  });

  test('makes it no more public than it is, and takes what authenticates it', async () => {
    const token = await scene.token('shaun');
    const locked = { ...SHOP, scope: scopeOf(SHOP.scope), clientId: clientId('locked'), confidential: true };
    await scene.service.register(anIntegration(locked));
    const put = (confidential: boolean) =>
      scene.ask(token, 'PUT', '/integrations/locked', { body: { ...SHOP, confidential } });
    const refused = await put(false);
    assert.deepEqual([refused.status, refused.json['reason']], [403, 'permission-missing']);
    assert.equal((await put(true)).status, 200);
    assert.equal((await scene.ask(token, 'GET', '/integrations/locked')).json['confidential'], true);
    const manage = await scene.token('olga');
    const opened = await scene.ask(manage, 'PUT', '/integrations/locked', { body: { ...SHOP, confidential: false } });
    assert.deepEqual([opened.status, opened.json['confidential']], [200, undefined], opened.text);
  });

  test('whose proof is weak is told so, not to become an operator', async () => {
    const token = await scene.tokenByDevice(await scene.add('shaun', ['shop-team']));
    const { status, json } = await scene.ask(token, 'POST', '/integrations/shop/disable');
    assert.deepEqual([status, json['reason'], json['about']], [403, 'permission-missing', 'operate']);
  });

  test('admits no group to tessera-cli from which an operator has taken it', async () => {
    const { store } = scene.service.ports;
    await scene.add('shaun', ['shop-team', 'viewers']);
    const access = { to: 'named', identities: [], groups: ['operators', 'viewers'] } as const;
    await store.change(integrations, 'tessera-cli', (found) => ({
      outcome: undefined,
      ...(found && { next: { ...found.row, access } }),
    }));
    await registryFollows();
    const token = await scene.token('shaun');
    const put = await scene.ask(token, 'PUT', '/integrations/shop', { body: { ...SHOP, description: 'ours' } });
    assert.equal(put.status, 200, put.text);
    assert.deepEqual((await store.load(integrations, 'tessera-cli')).found?.row.access, access);
  });
});
