// "Protect an API" of the README, executed as it is printed.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventually } from '../eventually.ts';
import { freePort } from '../free-port.ts';
import { callerOver, reachOf } from './caller.ts';
import { startService } from './service.ts';
import { pairByCertificate } from './steps.ts';

test('the API of the README serves valid tokens with the permission, and no others', async (t) => {
  const service = await startService({ listeners: [{ tls: true }, {}] });
  t.after(() => service.stop());
  const [, block = ''] = /```js\n([\s\S]+?)```/.exec(readFileSync('README.md', 'utf8')) ?? [];
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'tessera-readme-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const origin = `http://127.0.0.1:${service.portsOfListeners[1]}`;
  writeFileSync(join(folder, 'api.mjs'), block.replace('https://localhost:8443', origin).replace('3000', `${port}`));
  const api = spawn(process.execPath, [join(folder, 'api.mjs')], { stdio: ['ignore', 'ignore', 'inherit'] });
  t.after(() => api.kill());
  const ask = async (token?: string) => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    return fetch(`http://127.0.0.1:${port}/`, { headers });
  };
  await eventually('the API listens', () => ask().then(Boolean, () => false));

  const caller = callerOver('HTTP/1.1', reachOf(service, service.ada));
  t.after(() => caller.close());
  const { access_token: token } = await pairByCertificate(caller);
  assert.equal((await ask()).status, 401);
  assert.equal((await ask('tsa_nonsense')).status, 401);
  const answer = await ask(token);
  assert.deepEqual([answer.status, (await answer.text()).startsWith('local:{')], [200, true]);
  await caller.ask({ path: '/authsvc/Revoke/Token', headers: { authorization: `Bearer ${token}` } });
  assert.equal((await ask(token)).status, 401, 'a revoked token fails the next request');
});
