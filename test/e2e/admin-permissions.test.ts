// Who may do what at the admin door.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { permissionMatrix } from './admin-matrix.ts';
import { AdminScene } from './admin-scene.ts';
import { registryFollows } from './registry-follows.ts';

permissionMatrix('SQLite');

let scene: AdminScene;

suite('owners, and limits of tokens', () => {
  before(async () => {
    scene = await AdminScene.open();
  });
  after(() => scene.close());

  test('owners see and operate their own integrations and grants, and change what does not widen them', async () => {
    const manage = await scene.token('olga');
    const shop = { scope: 'shop:read,write', owners: ['shop-team'], flows: { device: false } };
    assert.equal((await scene.ask(manage, 'PUT', '/integrations/shop', { body: shop })).status, 201);
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
