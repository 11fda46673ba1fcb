// The commands a person would type, run against a running service.
// Needs: curl
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startService, type TestService } from './service.ts';
import { confirm } from './steps.ts';

function environment(service: TestService): Record<string, string> {
  const file = (name: string, text: string) => {
    const path = join(service.folder, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  return {
    PATH: process.env['PATH'] ?? '',
    BASE: `https://localhost:${service.port}`,
    CA: file('authority.crt', service.authority.pem),
    CERT: file('client.crt', service.ada.pem),
    KEY: file('client.key', service.ada.key),
  };
}

test('certificate, refresh, verify, device and revoke, with plain curl', async () => {
  await using service = await startService({ settings: { device: { pollInterval: '1s' } } });
  const script = spawn('bash', [fileURLToPath(new URL('curl.sh', import.meta.url))], { env: environment(service) });
  let printed = '';
  let confirmed: Promise<void> | undefined;
  for (const stream of [script.stdout, script.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
      const [, user_code] = /enter (\S+)/.exec(printed) ?? [];
      const isAsking = printed.includes('until it is confirmed');
      if (user_code && isAsking) confirmed ??= confirm(service, { user_code, device_code: '' });
    });
  }
  const code = await new Promise((resolve) => script.once('close', resolve));
  await confirmed;
  assert.equal(code, 0, printed);
  assert.match(printed, /# done\n$/);
  assert.doesNotMatch(printed, /ts[ard]_[A-Za-z0-9_-]{20}/, 'it prints no whole token');
});

test('the first answer on a new connection does not wait for an acknowledgement, which curl sends after 40 ms', async () => {
  await using service = await startService();
  const { CA = '', BASE = '' } = environment(service);
  const timing = '%{time_starttransfer} %{time_appconnect}';
  const seconds: number[] = [];
  for (let n = 0; n < 21; n++) {
    const options = ['--silent', '--http1.1', '--cacert', CA, '--output', '/dev/null', '--write-out', timing];
    const { stdout } = await promisify(execFile)('curl', [...options, `${BASE}/healthz`]);
    const [answered = 0, connected = 0] = stdout.split(' ').map(Number);
    seconds.push(answered - connected);
  }
  const [median = 1] = seconds.toSorted((a, b) => a - b).slice(10);
  assert.ok(median < 0.035, `${seconds} s`); // with that wait, one in ten is fast
});
