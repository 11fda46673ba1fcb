// "Protect an API" of the README, executed as it is printed.
// Needs: curl
// Only in test:all: documents as printed
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { commandEnvironment, TESSERA } from '../cli/command.ts';
import { eventually } from '../eventually.ts';
import { freePort } from '../free-port.ts';
import { blocksOf } from '../house/mentions.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { callerOver, reachOf } from './caller.ts';
import { startService } from './service.ts';
import { pairByCertificate } from './steps.ts';

function blocksIn(language: string): string[] {
  const blocks = blocksOf({ path: 'README.md', text: readFileSync('README.md', 'utf8') });
  return blocks.filter((block) => block.language === language).map(({ text }) => text);
}

test('the commands of the README get an answer from that API, beside the quick start', async (t) => {
  const [program = ''] = blocksIn('js');
  const [startApi = '', callApi = ''] = blocksIn('sh');
  const folder = temporaryFolder('readme');
  t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }));
  const [servicePort, apiPort] = [await freePort(), await freePort()];
  const withPorts = (text: string) => text.replace(':8443', `:${servicePort}`).replace('3000', `${apiPort}`);
  const inFolder = { cwd: folder, env: commandEnvironment() };
  const service = spawn(process.execPath, [TESSERA, 'quickstart', '--set', `listeners.0.port=${servicePort}`], {
    ...inFolder,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const serviceEnds = once(service, 'exit');
  t.after(async () => {
    service.kill();
    await serviceEnds;
  });
  let printed = '';
  service.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
  await eventually('the quick start is ready', () => printed.includes('THIS IS FOR TRYING'));
  writeFileSync(join(folder, 'api.mjs'), withPorts(program));
  const api = spawn('sh', ['-c', `exec env ${startApi}`], { ...inFolder, stdio: ['ignore', 'ignore', 'inherit'] });
  t.after(() => api.kill());
  await eventually('the API listens', () => fetch(`http://localhost:${apiPort}/`).then(Boolean, () => false));

  const run = (commands: string) => execFileSync('sh', ['-e', '-c', commands], { ...inFolder, encoding: 'utf8' });
  assert.match(run(withPorts(callApi)), /^local:\{[0-9a-f-]+\}: orders:read$/m);
  run('data/try/revoke.sh');
  const [, call = ''] = withPorts(callApi).split('data/try/token.sh\n');
  assert.equal(run(call), '', 'a revoked token fails the next request');
});

test('the API of the README serves valid tokens with the permission, and no others', async (t) => {
  const service = await startService({ listeners: [{ tls: true }, {}] });
  t.after(() => service.stop());
  const [block = ''] = blocksIn('js');
  const port = await freePort();
  const folder = temporaryFolder('readme');
  t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }));
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
  await service.stop();
  for (let turn = 0; turn < 2; turn++) assert.equal((await ask(token)).status, 503, 'the API outlives the service');
});
