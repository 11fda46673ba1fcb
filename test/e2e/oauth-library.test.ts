// Standard client libraries against the oauth door, unmodified, by discovery alone.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { resourceServers } from '../../src/store/tables/resource-servers.ts';
import { systemRandom } from '../../src/system.ts';
import { drawResourceServerSecret } from '../../src/tokens/resource-server-secret.ts';
import { ADA, aResourceServer } from '../samples.ts';
import { startPublic } from './public-service.ts';
import type { TestService } from './service.ts';
import { CLIENT, confirm, pairByCertificate } from './steps.ts';

const WHOLE = 'orders:read orders:write stock:read';

/** What the client prints, without its first line, at which the person confirms. */
async function stepsOf(
  entry: string,
  service: TestService,
  args: readonly string[],
  stop: (end: () => void) => void,
): Promise<object[]> {
  const file = (name: string, text: string) => {
    const path = join(service.folder, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  const own = [file('ada.crt', service.ada.pem), file('ada.key', service.ada.key)];
  const child = spawn(process.execPath, [fileURLToPath(new URL(entry, import.meta.url)), ...args, ...own], {
    env: { ...process.env, NODE_EXTRA_CA_CERTS: file('authority.crt', service.authority.pem) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  stop(() => child.kill());
  const steps: Record<string, unknown>[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    const step = JSON.parse(line) as Record<string, unknown>;
    if (step['step'] !== 'started') steps.push(step);
    // Later than the library's first poll, so that it meets authorization_pending.
    else setTimeout(() => void confirm(service, { user_code: String(step['user_code']), device_code: '' }), 1300);
  }
  return steps;
}

test('unmodified oauth4webapi: discovery, device flow, refresh, revocation [RFC 8414 3]', async (t) => {
  const service = await startPublic();
  t.after(() => service.stop());
  const args = [service.issuer, CLIENT];
  const steps = await stepsOf('oauth4webapi-client.ts', service, args, (end) => t.after(end));
  assert.deepEqual(steps, [
    { step: 'granted', scope: 'orders:read' },
    { step: 'refreshed', scope: 'orders:read', isNew: true },
    { step: 'revoked', code: 'invalid_grant', status: 400 },
  ]);
});

for (const algorithm of ['oidc', 'oauth2']) {
  test(`unmodified openid-client: discovery (${algorithm}), device flow, refresh, revocation, mutual TLS [RFC 8414 3]`, async (t) => {
    const service = await startPublic();
    t.after(() => service.stop());
    const args = [service.issuer, CLIENT, algorithm];
    const steps = await stepsOf('oauth-library-client.ts', service, args, (end) => t.after(end));
    assert.deepEqual(steps, [
      { step: 'granted', scope: WHOLE, token_type: 'bearer', expires_in: 90 * 86_400 },
      { step: 'refreshed', scope: WHOLE, isNew: true },
      { step: 'revoked', code: 'invalid_grant', status: 400 },
      { step: 'by certificate', scope: 'orders:read', hasRefreshToken: false },
    ]);
    const reasons = service.logLines.map((line) => JSON.parse(line).reason);
    assert.ok(reasons.includes('authorization-pending'), 'it was told to wait');
    assert.ok(!reasons.includes('polled-too-fast'), 'and never to slow down');
  });
}

test('unmodified openid-client and oauth4webapi introspect as a resource server, by discovery alone [RFC 7662 2.1]', async (t) => {
  const service = await startPublic();
  t.after(() => service.stop());
  const { secret, hash } = drawResourceServerSecret(systemRandom);
  const server = aResourceServer({ identity: ADA, secrets: [{ hash, createdAt: service.now() }] });
  await service.put(resourceServers, server);
  const ada = service.caller(service.ada);
  const [good, bad] = [await pairByCertificate(ada), await pairByCertificate(ada, CLIENT, 'stock:read')];
  ada.close();
  const args = [service.issuer, server.id, secret.reveal(), good.access_token, bad.access_token];
  const steps = await stepsOf('introspecting-client.ts', service, args, (end) => t.after(end));
  const learned = { active: true, scope: 'orders:read orders:write', sub: ADA, aud: server.audience };
  const ways = ['openid-client, basic', 'openid-client, post', 'openid-client, certificate', 'oauth4webapi, basic'];
  assert.deepEqual(
    steps,
    ways.map((step) => ({ step, ...learned, bad: { active: false } })),
  );
});
