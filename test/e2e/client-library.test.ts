// Standard client libraries authenticate with keys and secrets, exchange tokens and use DPoP, unmodified, by discovery alone.
// Only in test:all: libraries of others
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { ResourceServerId } from '../../src/core/resource-server.ts';
import { epochSeconds } from '../../src/core/time.ts';
import { resourceServers } from '../../src/store/tables/resource-servers.ts';
import { systemRandom } from '../../src/system.ts';
import { drawResourceServerSecret } from '../../src/tokens/resource-server-secret.ts';
import { freePort } from '../free-port.ts';
import { anIntegration, aResourceServer } from '../samples.ts';
import { clientId, startService } from './service.ts';
import { pairByCertificate } from './steps.ts';

const METHODS = ['private_key_jwt', 'client_secret_post', 'client_secret_basic'];
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';

test('unmodified openid-client and oauth4webapi: private_key_jwt, secrets, exchange, DPoP', async (t) => {
  const port = await freePort();
  const issuer = `https://localhost:${port}`;
  await using service = await startService({ listeners: [{ tls: true, port }], settings: { publicUrl: issuer } });
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
  const ada = service.caller(service.ada);
  const { access_token } = await pairByCertificate(ada, 'orders-sync', 'orders:read');
  const file = (name: string, text: string) => {
    writeFileSync(join(service.folder, name), text);
    return join(service.folder, name);
  };
  const pem = file('robot.pem', privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
  const entry = fileURLToPath(new URL('client-library-client.ts', import.meta.url));
  const child = spawn(process.execPath, [entry, issuer, 'robot', secret.reveal(), pem, access_token], {
    env: { ...process.env, NODE_EXTRA_CA_CERTS: file('authority.crt', service.authority.pem) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => child.kill());
  const steps: unknown[] = [];
  for await (const line of createInterface({ input: child.stdout })) steps.push(JSON.parse(line));
  const expected = (by: string, bearer: string, dpop: string) => [
    ...METHODS.flatMap((how) => [
      { by, how, scope: 'orders:read', type: bearer },
      { by, how: `exchange, ${how}`, scope: 'orders:read', type: ACCESS_TOKEN },
    ]),
    { by, how: 'DPoP', scope: 'orders:read', type: dpop },
  ];
  assert.deepEqual(steps, [
    ...expected('openid-client', 'bearer', 'dpop'),
    ...expected('oauth4webapi', 'bearer', 'dpop'),
  ]);
});
