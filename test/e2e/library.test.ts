// A standard client library against an `errorKeys: oauth` mount.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startService } from './service.ts';
import { CLIENT, confirm } from './steps.ts';

const SCOPE = 'orders:read';

test('unmodified openid-client completes the device flow, and a refresh through its fetch hook [spec-gaps: All doors]', async (t) => {
  const mounts = [{ path: '/authsvc' }, { path: '/standard', errorKeys: 'oauth' }];
  await using service = await startService({ settings: { authsvc: { mounts }, device: { pollInterval: '1s' } } });
  const ca = join(service.folder, 'authority.crt');
  writeFileSync(ca, service.authority.pem);
  const entry = fileURLToPath(new URL('library-client.ts', import.meta.url));
  const child = spawn(process.execPath, [entry, `https://localhost:${service.port}/standard`, CLIENT, SCOPE], {
    env: { ...process.env, NODE_EXTRA_CA_CERTS: ca },
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
  assert.deepEqual(steps, [
    { step: 'granted', scope: SCOPE, token_type: 'bearer', expires_in: 90 * 86_400 },
    {
      step: 'form refused',
      code: 'invalid_request',
      description: 'A refresh takes Content-Type: application/json.',
      status: 400,
    },
    { step: 'refreshed', scope: SCOPE, isNew: true },
    { step: 'forged', code: 'invalid_grant', status: 400 },
  ]);
  const reasons = service.logLines.map((line) => JSON.parse(line).reason);
  assert.ok(reasons.includes('authorization-pending'), 'it was told to wait, in a code it knows');
});
