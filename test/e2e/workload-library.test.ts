// Standard client libraries send assertions to the oauth door, unmodified, by discovery alone.
// Only in test:all: libraries of others
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { tokenIssuers } from '../../src/store/tables/token-issuers.ts';
import { freePort } from '../free-port.ts';
import { aTokenIssuer, claimsOf, keySetOf, platformKey } from '../platform.ts';
import { anIntegration } from '../samples.ts';
import { clientId, startService } from './service.ts';

test('unmodified openid-client and oauth4webapi: discovery and jwt-bearer [RFC 7523 2.1]', async (t) => {
  const port = await freePort();
  const issuer = `https://localhost:${port}`;
  await using service = await startService({ listeners: [{ tls: true, port }], settings: { publicUrl: issuer } });
  const key = await platformKey('k1', 'RS256');
  await service.put(tokenIssuers, aTokenIssuer({ keys: { from: 'file', set: keySetOf(key) } }));
  const flows = { device: true, certificate: true, assertion: true };
  await service.register(anIntegration({ clientId: clientId('deploy'), flows }));
  const file = (name: string, text: string) => {
    writeFileSync(join(service.folder, name), text);
    return join(service.folder, name);
  };
  const now = Math.floor(Date.now() / 1000);
  const assertion = () => key.sign({ ...claimsOf({}, now), aud: issuer });
  const files = [file('first.jwt', await assertion()), file('second.jwt', await assertion())];
  const entry = fileURLToPath(new URL('workload-client.ts', import.meta.url));
  const child = spawn(process.execPath, [entry, issuer, 'deploy', ...files], {
    env: { ...process.env, NODE_EXTRA_CA_CERTS: file('authority.crt', service.authority.pem) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => child.kill());
  const steps: unknown[] = [];
  for await (const line of createInterface({ input: child.stdout })) steps.push(JSON.parse(line));
  assert.deepEqual(steps, [
    { by: 'openid-client', scope: 'orders:read orders:write stock:read', hasRefreshToken: false },
    { by: 'openid-client', code: 'invalid_grant', status: 400 },
    { by: 'oauth4webapi', scope: 'stock:read' },
  ]);
});
