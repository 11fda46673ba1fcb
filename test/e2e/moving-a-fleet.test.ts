// Runs the configurations of docs/moving-a-fleet.md: two mounts, and nginx for programs that use other paths.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { parse } from 'yaml';
import { importIntegrations } from '../administer.ts';
import { given } from '../given.ts';
import { administration } from '../operations/admin/admin-samples.ts';
import { callerOver, json, reachOf } from './caller.ts';
import { blockOf, startProxy } from './proxies/proxy.ts';
import { startService } from './service.ts';
import { CLIENT } from './steps.ts';

const PAGE = 'docs/moving-a-fleet.md';

suite(`the configurations of ${PAGE}`, () => {
  const proxies = { addresses: ['127.0.0.1'], clientCertificateHeader: 'url-encoded-pem' };
  const settings = { ...(parse(blockOf(PAGE, 'yaml')) as Record<string, unknown>), proxies };
  const service = given(() => startService({ settings, listeners: [{}] }));
  const proxy = given(() =>
    startProxy('nginx', { ...service, nodes: [service.port] }, { file: 'nginx/other-paths.conf' }),
  );

  const caller = () => callerOver('HTTP/1.1', { ...reachOf(service, service.ada), port: proxy.port });
  const wrongRefresh = json({ client_id: CLIENT, refresh_token: 'wrong' });

  test('each mount words errors with its own keys', async () => {
    const authsvc = await caller().ask({ path: '/authsvc/Authorize/Token', ...wrongRefresh });
    assert.deepEqual(Object.keys(authsvc.json), ['Error', 'Error_description']);
    const legacy = await caller().ask({ path: '/LegacyAuth/Authorize/Token', ...wrongRefresh });
    assert.deepEqual(Object.keys(legacy.json), ['error', 'error_description']);
    assert.equal(legacy.json['error'], 'invalid_grant');
  });

  test('a grant issued at one mount is refreshed at the other, and at the root of the host', async () => {
    const asked = json({ client_id: CLIENT, scope: 'orders:read' });
    const first = await caller().ask({ path: '/Authorize/Certificate', ...asked });
    assert.equal(first.status, 200, first.text);
    const next = json({ client_id: CLIENT, refresh_token: first.json['refresh_token'] });
    const second = await caller().ask({ path: '/legacyauth/authorize/token', ...next });
    assert.equal(second.status, 200, second.text);
    const headers = { authorization: `Bearer ${second.json['access_token']}` };
    assert.equal((await caller().ask({ path: '/revoke/token', headers })).status, 200);
  });

  test('a forged certificate header gives nobody an identity, at the root of the host either', async () => {
    const asked = json({ client_id: CLIENT, scope: 'orders:read' });
    const nobody = callerOver('HTTP/1.1', { ...reachOf(service), port: proxy.port });
    const headers = { ...asked.headers, 'X-Client-Cert': encodeURIComponent(service.ada.pem) };
    for (const path of ['/Authorize/Certificate', '/authsvc/Authorize/Certificate']) {
      const answer = await nobody.ask({ path, ...asked, headers });
      assert.equal(answer.status, 401, answer.text);
    }
  });

  test('the proxy answers the probe, and nothing beside it', async () => {
    assert.equal((await caller().ask({ path: '/legacysdk/' })).status, 200);
    assert.equal((await caller().ask({ path: '/legacysdk/other' })).status, 404);
  });

  test('a reused token is refused, and its grant stays', async () => {
    const asked = json({ client_id: CLIENT, scope: 'orders:read' });
    const first = await caller().ask({ path: '/Authorize/Certificate', ...asked });
    const old = json({ client_id: CLIENT, refresh_token: first.json['refresh_token'] });
    const second = await caller().ask({ path: '/Authorize/Token', ...old });
    service.pass(3600);
    const reused = await caller().ask({ path: '/Authorize/Token', ...old });
    assert.deepEqual([reused.status, reused.json['Error']], [400, 'invalid_grant'], reused.text);
    const next = json({ client_id: CLIENT, refresh_token: second.json['refresh_token'] });
    assert.equal((await caller().ask({ path: '/Authorize/Token', ...next })).status, 200);
  });

  test('the file of integrations can be imported', async (t) => {
    const admin = await administration(t);
    const imported = await importIntegrations({ text: blockOf(PAGE, 'json'), update: false }, admin);
    assert.ok(imported.ok);
    assert.equal((await admin.did()).length, 2);
  });
});
