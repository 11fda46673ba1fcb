// Standard client libraries against the service, unmodified, by discovery alone.
// Only in test:all: libraries of others
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { ResourceServerId } from '../../src/core/resource-server.ts';
import { epochSeconds } from '../../src/core/time.ts';
import { resourceServers } from '../../src/store/tables/resource-servers.ts';
import { tokenIssuers } from '../../src/store/tables/token-issuers.ts';
import { systemRandom } from '../../src/system.ts';
import { drawResourceServerSecret } from '../../src/tokens/resource-server-secret.ts';
import { aTokenIssuer, claimsOf, keySetOf, platformKey } from '../platform.ts';
import { ADA, anIntegration, aResourceServer } from '../samples.ts';
import type { Program } from './library-programs.ts';
import { startPublic } from './public-service.ts';
import { clientId, type SetUp } from './service.ts';
import { CLIENT, confirm, pairByCertificate } from './steps.ts';

const PROGRAMS = fileURLToPath(new URL('library-programs.ts', import.meta.url));
const WHOLE = 'orders:read orders:write stock:read';
const QUARTER = 90 * 86_400;

async function scene(t: TestContext, settings?: SetUp['settings']) {
  const service = await startPublic(settings);
  t.after(() => service.stop());
  const file = (name: string, text: string) => {
    writeFileSync(join(service.folder, name), text, { mode: 0o600 });
    return join(service.folder, name);
  };
  /** What a program prints. It starts with a user code, if it has one: the person confirms it. */
  const stepsOf = async (program: Program, ...args: readonly string[]): Promise<object[]> => {
    const child = spawn(process.execPath, [PROGRAMS, program, ...args], {
      env: { ...process.env, NODE_EXTRA_CA_CERTS: file('authority.crt', service.authority.pem) },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    t.after(() => child.kill());
    const steps: Record<string, unknown>[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      const step = JSON.parse(line) as Record<string, unknown>;
      if (step['step'] !== 'started') steps.push(step);
      // Later than the library's first poll, so that it meets authorization_pending.
      else setTimeout(() => void confirm(service, { user_code: String(step['user_code']), device_code: '' }), 1300);
    }
    return steps;
  };
  const certificate = () => [file('ada.crt', service.ada.pem), file('ada.key', service.ada.key)];
  const reasons = () => service.logLines.map((line) => JSON.parse(line).reason);
  return { service, file, stepsOf, certificate, reasons };
}

test('openid-client at the contract: the device flow, and a refresh through its fetch hook [spec-gaps: All doors]', async (t) => {
  const mounts = [{ path: '/authsvc' }, { path: '/standard', errorKeys: 'oauth' }];
  const { service, stepsOf, reasons } = await scene(t, { authsvc: { mounts } });
  const description = 'A refresh takes Content-Type: application/json.';
  assert.deepEqual(await stepsOf('atTheContract', `${service.issuer}/standard`, CLIENT), [
    { step: 'granted', scope: 'orders:read', token_type: 'bearer', expires_in: QUARTER },
    { step: 'form refused', code: 'invalid_request', description, status: 400 },
    { step: 'refreshed', scope: 'orders:read', isNew: true },
    { step: 'forged', code: 'invalid_grant', status: 400 },
  ]);
  assert.ok(reasons().includes('authorization-pending'), 'it was told to wait, in a code it knows');
});

test('oauth4webapi: discovery, device flow, refresh, revocation [RFC 8414 3]', async (t) => {
  const { service, stepsOf } = await scene(t);
  assert.deepEqual(await stepsOf('deviceByOauth4webapi', service.issuer, CLIENT), [
    { step: 'granted', scope: 'orders:read' },
    { step: 'refreshed', scope: 'orders:read', isNew: true },
    { step: 'revoked', code: 'invalid_grant', status: 400 },
  ]);
});

for (const algorithm of ['oidc', 'oauth2']) {
  test(`openid-client: discovery (${algorithm}), device flow, refresh, revocation, mutual TLS [RFC 8414 3]`, async (t) => {
    const { service, stepsOf, certificate, reasons } = await scene(t);
    assert.deepEqual(await stepsOf('deviceByOpenidClient', service.issuer, CLIENT, algorithm, ...certificate()), [
      { step: 'granted', scope: WHOLE, token_type: 'bearer', expires_in: QUARTER },
      { step: 'refreshed', scope: WHOLE, isNew: true },
      { step: 'revoked', code: 'invalid_grant', status: 400 },
      { step: 'by certificate', scope: 'orders:read', hasRefreshToken: false },
    ]);
    assert.ok(reasons().includes('authorization-pending'), 'it was told to wait');
    assert.ok(!reasons().includes('polled-too-fast'), 'and never to slow down');
  });
}

test('openid-client and oauth4webapi introspect as a resource server [RFC 7662 2.1]', async (t) => {
  const { service, stepsOf, certificate } = await scene(t);
  const { secret, hash } = drawResourceServerSecret(systemRandom);
  const server = aResourceServer({ identity: ADA, secrets: [{ hash, createdAt: service.now() }] });
  await service.put(resourceServers, server);
  const ada = service.caller(service.ada);
  const tokens = [await pairByCertificate(ada), await pairByCertificate(ada, CLIENT, 'stock:read')];
  const args = [secret.reveal(), ...tokens.map(({ access_token }) => access_token), ...certificate()];
  const learned = { active: true, scope: 'orders:read orders:write', sub: ADA, aud: server.audience };
  const ways = ['openid-client, basic', 'openid-client, post', 'openid-client, certificate', 'oauth4webapi, basic'];
  assert.deepEqual(
    await stepsOf('introspection', service.issuer, server.id, ...args),
    ways.map((step) => ({ step, ...learned, bad: { active: false } })),
  );
});

test('openid-client and oauth4webapi: private_key_jwt, secrets, exchange, DPoP', async (t) => {
  const { service, file, stepsOf } = await scene(t);
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { secret, hash } = drawResourceServerSecret(systemRandom);
  const now = service.now();
  await service.put(resourceServers, aResourceServer());
  await service.register(
    anIntegration({
      clientId: clientId('robot'),
      flows: { device: false, certificate: false, secret: true },
      keys: { from: 'file', set: JSON.stringify({ keys: [publicKey.export({ format: 'jwk' })] }) },
      secrets: [{ hash, createdAt: now, endsAt: epochSeconds(now + 3600) }],
      resourceServer: 'orders-api' as ResourceServerId,
    }),
  );
  await service.register(anIntegration({ exchange: [{ integration: clientId('robot'), scope: 'orders:read' }] }));
  const { access_token } = await pairByCertificate(service.caller(service.ada), CLIENT, 'orders:read');
  const pem = file('robot.pem', privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
  const steps = await stepsOf('authentication', service.issuer, 'robot', secret.reveal(), pem, access_token);
  const type = 'urn:ietf:params:oauth:token-type:access_token';
  const expected = ['openid-client', 'oauth4webapi'].flatMap((by) => [
    ...['private_key_jwt', 'client_secret_post', 'client_secret_basic'].flatMap((how) => [
      { by, how, scope: 'orders:read', type: 'bearer' },
      { by, how: `exchange, ${how}`, scope: 'orders:read', type },
    ]),
    { by, how: 'DPoP', scope: 'orders:read', type: 'dpop' },
  ]);
  assert.deepEqual(steps, expected);
});

test('openid-client and oauth4webapi: jwt-bearer [RFC 7523 2.1]', async (t) => {
  const { service, file, stepsOf } = await scene(t);
  const key = await platformKey('k1', 'RS256');
  await service.put(tokenIssuers, aTokenIssuer({ keys: { from: 'file', set: keySetOf(key) } }));
  const flows = { device: true, certificate: true, assertion: true };
  await service.register(anIntegration({ clientId: clientId('deploy'), flows }));
  const assertion = () => key.sign({ ...claimsOf({}, Math.floor(Date.now() / 1000)), aud: service.issuer });
  const files = [file('first.jwt', await assertion()), file('second.jwt', await assertion())];
  assert.deepEqual(await stepsOf('assertions', service.issuer, 'deploy', ...files), [
    { by: 'openid-client', scope: WHOLE, hasRefreshToken: false },
    { by: 'openid-client', code: 'invalid_grant', status: 400 },
    { by: 'oauth4webapi', scope: 'stock:read' },
  ]);
});
