// Who may do what at the admin door.
// Own process: it changes the table of acts
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { given } from '../given.ts';
import { changedMatrix, permissionMatrix } from './admin-matrix.ts';
import { AdminScene } from './admin-scene.ts';
import { registryFollows } from './registry-follows.ts';

permissionMatrix('SQLite');
changedMatrix();

const scene = given(() => AdminScene.open());

suite('owners, and limits of tokens', () => {
  test('owners change what does not widen their integrations', async () => {
    const manage = await scene.token('olga');
    const shop = { scope: 'shop:read,write', owners: ['shop-team'], flows: { device: false } };
    assert.equal((await scene.ask(manage, 'PUT', '/integrations/shop', { body: shop })).status, 201);
    await registryFollows();
    const token = await scene.token('shaun');
    const bodies: [number, object][] = [
      [200, { ...shop, description: 'ours' }],
      [200, { ...shop, scope: 'shop:read' }],
      [403, { ...shop, scope: 'shop:read,write,delete' }],
      [403, { ...shop, scope: 'shop:read', flows: { device: true } }],
      [403, { ...shop, scope: 'shop:read', owners: ['shop-team', 'others'] }],
      [403, { ...shop, scope: 'shop:read', overrides: { grantLifetime: 99999999 } }],
    ];
    for (const [status, body] of bodies) {
      const answer = await scene.ask(token, 'PUT', '/integrations/shop', { body });
      assert.equal(answer.status, status, `${JSON.stringify(body)}: ${answer.text}`);
    }
    const { items } = (await scene.ask(token, 'GET', '/integrations')).json as { items: { clientId: string }[] };
    assert.deepEqual(
      items.map(({ clientId }) => clientId),
      ['shop'],
    );
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
    const headers = { authorization: `Bearer ${await other.token('olga')}` };
    const { status } = await other.caller().ask({ path: '/admin/v1/integrations', headers });
    await other.close();
    assert.equal(status, 404);
  });

  test('a token of an operator is worth nothing at an API', async () => {
    const token = await scene.token('olga', 'tessera:manage', 'tessera-jwt');
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    assert.deepEqual([claims.aud].flat(), ['https://tokens.example']);
  });
});
