// Who may do what at the admin door. The routes come from the OpenAPI document that the service sends, so that a new route is
// tested without a change here.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { ACTS } from '../../src/operations/admin/act-table.ts';
import { identities } from '../../src/store/tables/identities.ts';
import { resourceServers } from '../../src/store/tables/resource-servers.ts';
import { anIntegration, aResourceServer, scopeOf } from '../samples.ts';
import { AdminScene } from './admin-scene.ts';
import { registryFollows } from './registry-follows.ts';
import { clientId } from './service.ts';
import { revoke } from './steps.ts';

const LEVELS = ['none', 'read', 'operate', 'manage'] as const;
type Level = (typeof LEVELS)[number];

interface Route {
  readonly method: string;
  readonly path: string;
  readonly permission: Level;
}

/** A token that may do nothing at all gets 401 if it is worthless, and 403 if its holder has no permission. */
interface Row {
  readonly who: string;
  readonly token: () => Promise<string | undefined>;
  readonly may: Level;
  readonly refusedWith?: number;
}

let scene: AdminScene;
before(async () => {
  scene = await AdminScene.open();
  const { service } = scene;
  const both = { scope: scopeOf('tessera:read,manage;orders:read'), access: { to: 'everyone' } as const };
  await service.put(resourceServers, aResourceServer());
  await service.register(anIntegration({ ...both, clientId: clientId('both') }));
  await service.register(
    anIntegration({ ...both, clientId: clientId('for-everyone'), scope: scopeOf('tessera:read,manage') }),
  );
});
after(() => scene.close());

async function disabledOperator(): Promise<string> {
  const omar = await scene.add('omar', ['operators']);
  const token = await scene.token('omar');
  await scene.service.put(identities, { ...omar, enabled: false });
  return token;
}

async function operatorNoMore(): Promise<string> {
  const otto = await scene.add('otto', ['operators']);
  const token = await scene.token('otto');
  await scene.service.put(identities, { ...otto, groups: ['viewers'] });
  return token;
}

async function expired(integration: string): Promise<string> {
  const token = await scene.token('olga', 'tessera:manage', integration);
  scene.service.pass(3601);
  return token;
}

async function revoked(integration = 'tessera-cli'): Promise<string> {
  const token = await scene.token('olga', 'tessera:manage', integration);
  assert.equal((await revoke(scene.caller(), token)).status, 200);
  return token;
}

const ROWS: readonly Row[] = [
  { who: 'nobody', token: async () => undefined, may: 'none', refusedWith: 401 },
  { who: 'a forged token', token: async () => 'tsa_forged', may: 'none', refusedWith: 401 },
  {
    who: 'a token of an API',
    token: () => scene.token('ada', 'orders:read', 'orders-sync'),
    may: 'none',
    refusedWith: 401,
  },
  {
    who: 'an operator whose token is for an API too',
    token: () => scene.token('olga', 'tessera:manage orders:read', 'both'),
    may: 'none',
    refusedWith: 401,
  },
  {
    who: 'somebody without a group',
    token: () => scene.token('ada', 'tessera:manage', 'for-everyone'),
    may: 'none',
    refusedWith: 403,
  },
  { who: 'an operator, read', token: () => scene.token('olga', 'tessera:read'), may: 'read' },
  { who: 'an operator, operate', token: () => scene.token('olga', 'tessera:operate'), may: 'operate' },
  { who: 'an operator, manage', token: () => scene.token('olga', 'tessera:manage'), may: 'manage' },
  {
    who: 'an operator, manage, as JWT',
    token: () => scene.token('olga', 'tessera:manage', 'tessera-jwt'),
    may: 'manage',
  },
  {
    who: 'an operator, operate, as JWT',
    token: () => scene.token('olga', 'tessera:operate', 'tessera-jwt'),
    may: 'operate',
  },
  { who: 'a viewer who asked for everything', token: () => scene.token('vera'), may: 'read' },
  {
    who: 'an operator by device code',
    token: async () => scene.tokenByDevice(await scene.add('olga', ['operators'])),
    may: 'read',
  },
  {
    who: 'an operator by code, after a sign-in with the password',
    token: async () => scene.tokenByCode(await scene.add('olga', ['operators']), 'password'),
    may: 'read',
  },
  {
    who: 'an operator by code, after a sign-in with a passkey',
    token: async () => scene.tokenByCode(await scene.add('olga', ['operators']), 'passkey'),
    may: 'manage',
  },
  {
    who: 'a viewer by code, after a sign-in with a passkey',
    token: async () => scene.tokenByCode(await scene.add('vera', ['viewers']), 'passkey'),
    may: 'read',
  },
  { who: 'a disabled operator', token: disabledOperator, may: 'none', refusedWith: 401 },
  { who: 'an operator who lost the group', token: operatorNoMore, may: 'read' },
  { who: 'a revoked token', token: () => revoked(), may: 'none', refusedWith: 401 },
  { who: 'a revoked JWT', token: () => revoked('tessera-jwt'), may: 'none', refusedWith: 401 },
  { who: 'an expired token', token: () => expired('tessera-cli'), may: 'none', refusedWith: 401 },
  { who: 'an expired JWT', token: () => expired('tessera-jwt'), may: 'none', refusedWith: 401 },
];

async function routes(): Promise<readonly Route[]> {
  const document = (await scene.ask(undefined, 'GET', '/openapi.json')).json as {
    paths: Record<string, Record<string, { 'x-permission': Level }>>;
  };
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { 'x-permission': permission }]) => ({
      method: method.toUpperCase(),
      path: path.replace('/admin/v1', '').replaceAll(/\{\w+\}/g, 'nothing-of-this-name'),
      permission,
    })),
  );
}

suite('permissions at the admin door', () => {
  test('the document has every act of the table', async () => {
    assert.equal((await routes()).length, Object.keys(ACTS).length);
    assert.ok((await routes()).every(({ permission }) => LEVELS.indexOf(permission) > 0));
  });

  for (const { who, token, may, refusedWith = 403 } of ROWS) {
    test(`${who}: ${may}`, async () => {
      const presented = await token();
      for (const { method, path, permission } of await routes()) {
        const { status, json, headers } = await scene.ask(presented, method, path);
        const isAllowed = LEVELS.indexOf(may) >= LEVELS.indexOf(permission);
        if (isAllowed) assert.ok(status !== 401 && status !== 403, `${method} ${path}: ${status}`);
        else assert.equal(status, refusedWith, `${method} ${path}`);
        if (status >= 400) {
          assert.equal(headers['content-type'], 'application/problem+json; charset=utf-8');
          assert.match(String(json['type']), /^https:\/\/tokens\.example\/docs\/errors#/);
          assert.equal(json['status'], status);
        }
      }
    });
  }

  test('owners see and operate their own integrations and grants, and change what does not widen them', async () => {
    const manage = await scene.token('olga');
    const shop = { scope: 'shop:read,write', owners: ['shop-team'], flows: { device: false } };
    assert.equal((await scene.ask(manage, 'PUT', '/integrations/shop', { body: shop })).status, 200);
    await registryFollows();
    const token = await scene.token('shaun');
    const rows: [number, string, string, unknown?][] = [
      [200, 'GET', '/integrations/shop'],
      [403, 'GET', '/integrations/orders-sync'],
      [403, 'GET', '/integrations/nothing-of-this-name'],
      [200, 'POST', '/integrations/shop/disable'],
      [200, 'POST', '/integrations/shop/enable'],
      [403, 'POST', '/integrations/orders-sync/disable'],
      [200, 'PUT', '/integrations/shop', { ...shop, description: 'ours' }],
      [200, 'PUT', '/integrations/shop', { ...shop, scope: 'shop:read' }],
      [403, 'PUT', '/integrations/shop', { ...shop, scope: 'shop:read,write,delete' }],
      [403, 'PUT', '/integrations/shop', { ...shop, scope: 'shop:read', flows: { device: true } }],
      [403, 'PUT', '/integrations/shop', { ...shop, scope: 'shop:read', owners: ['shop-team', 'others'] }],
      [403, 'PUT', '/integrations/shop', { ...shop, scope: 'shop:read', overrides: { grantLifetime: 99999999 } }],
      [403, 'PUT', '/integrations/another', shop],
      [403, 'DELETE', '/integrations/shop?confirmed=true'],
      [200, 'GET', '/grants?integration=shop'],
      [403, 'GET', '/grants'],
      [403, 'GET', '/grants?integration=orders-sync'],
      [403, 'POST', '/grants/revoke', { identity: 'ada', confirmed: true }],
      [200, 'POST', '/grants/revoke', { integration: 'shop', confirmed: true }],
      [403, 'GET', '/events'],
      [403, 'GET', '/identities'],
      [403, 'GET', '/objects'],
    ];
    for (const [status, method, path, body] of rows) {
      const answer = await scene.ask(token, method, path, { body });
      assert.equal(answer.status, status, `${method} ${path} ${JSON.stringify(body)}: ${answer.text}`);
    }
    const { items } = (await scene.ask(token, 'GET', '/integrations')).json as { items: { clientId: string }[] };
    assert.deepEqual(
      items.map(({ clientId }) => clientId),
      ['shop'],
    );
    const read = await scene.token('shaun', 'tessera:read');
    assert.equal((await scene.ask(read, 'POST', '/integrations/shop/disable')).status, 403);
    const byDevice = await scene.tokenByDevice(await scene.add('shaun', ['shop-team']));
    assert.equal((await scene.ask(byDevice, 'POST', '/integrations/shop/disable')).status, 403);
  });

  test('a refusal names what is lacking: the scope of the login, the group, or the proof', async () => {
    const lacking = async (token: string) => {
      const { json } = await scene.ask(token, 'POST', '/integrations/tessera-cli/disable');
      return [json['reason'], json['about']];
    };
    const byScope = await lacking(await scene.token('olga', 'tessera:read'));
    assert.deepEqual(byScope, ['login-scope-missing', 'tessera:operate']);
    await scene.add('vera', ['viewers']);
    assert.deepEqual(await lacking(await scene.token('vera')), ['group-missing', 'operators']);
    const byDevice = await scene.tokenByDevice(await scene.add('oskar', ['operators']));
    assert.deepEqual(await lacking(byDevice), ['permission-missing', 'operate']);
  });

  test('a token expires after an hour, and its grant after twelve, whatever the settings say', async () => {
    const fields = { client_id: 'tessera-cli', scope: 'tessera:read' };
    const answer = await scene.caller('olga').ask({
      method: 'POST',
      path: '/authsvc/Authorize/Certificate',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(fields),
    });
    const { expires_in, refresh_until, expires, access_token } = answer.json as Record<string, number> & {
      access_token: string;
    };
    assert.equal(expires_in, 3600);
    assert.equal(Number(refresh_until) - Number(expires), 11 * 3600);
    scene.service.pass(3601);
    assert.equal((await scene.ask(access_token, 'GET', '/integrations')).status, 401);
  });

  test('a listener that does not name the door does not serve it', async () => {
    const other = await AdminScene.open({ listeners: [{ tls: true, doors: undefined }] });
    const { status } = await other.ask(await other.token('olga'), 'GET', '/integrations');
    await other.close();
    assert.equal(status, 404);
  });

  test('a token of an operator is worth nothing at an API', async () => {
    const token = await scene.token('olga', 'tessera:manage', 'tessera-jwt');
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    assert.deepEqual([claims.aud].flat(), ['https://tokens.example']);
  });
});
