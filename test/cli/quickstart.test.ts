// What the quick start prints must work when pasted.
// Needs: curl
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { freePort } from '../free-port.ts';
import { commandEnvironment, runTessera, TESSERA } from './command.ts';

function newFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-quickstart-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** What the quick start prints until it is ready; it is stopped then. */
async function printedBy(args: readonly string[], folder: string): Promise<string> {
  const service = spawn(process.execPath, [TESSERA, 'quickstart', ...args], {
    cwd: folder,
    env: commandEnvironment(),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(service, 'exit');
  let printed = '';
  for await (const text of service.stdout.setEncoding('utf8')) {
    printed += String(text);
    if (!service.killed && printed.includes('THIS IS FOR TRYING')) service.kill('SIGTERM');
  }
  assert.deepEqual(await ended, [0, null], printed);
  return printed;
}

suite('quick start', () => {
  test('prints commands for the mount that exists', async (t) => {
    const port = ['--set', 'listeners=[{ port: 0 }]'];
    const folder = newFolder(t);
    const printed = await printedBy([...port, '--set', 'authsvc.mounts=[{ path: /legacy/v2 }]'], folder);
    assert.match(printed, /\/legacy\/v2\/Authorize\/Certificate \|/);
    assert.match(readFileSync(join(folder, 'data/try/revoke.sh'), 'utf8'), /\/legacy\/v2\/Revoke\/Token$/m);
    assert.doesNotMatch(printed, /\/authsvc/);
  });

  test('the scripts that it prints and saves work in their order', async (t) => {
    const folder = newFolder(t);
    const port = await freePort();
    const args = [TESSERA, '--set', `listeners.0.port=${port}`, 'quickstart'];
    const service = spawn(process.execPath, args, { cwd: folder, env: commandEnvironment(), stdio: 'pipe' });
    t.after(() => service.kill('SIGKILL'));
    let printed = '';
    service.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
    while (!printed.includes('THIS IS FOR TRYING')) await once(service.stdout, 'data');
    const names = [...printed.matchAll(/^ {2}(data\/try\/\w+\.sh)/gm)].map(([, name = '']) => name);
    assert.deepEqual(
      names.map((name) => name.slice(9)),
      ['token.sh', 'verify.sh', 'refresh.sh', 'revoke.sh', 'device.sh', 'redeem.sh'],
    );
    const answers = [...names, 'data/try/verify.sh'].map((name) => {
      const answer = execFileSync(join(folder, name), { encoding: 'utf8' });
      return Object.keys(JSON.parse(answer) as object)[0] ?? 'nothing';
    });
    const pair = 'access_token';
    assert.deepEqual(answers, [pair, 'identity', pair, 'nothing', 'device_code', 'Error', 'Error']);
    const waiting = readFileSync(join(folder, 'data/try/answer.json'), 'utf8');
    assert.match(waiting, /authorization_pending/, 'nobody has confirmed yet');
    assert.equal(statSync(join(folder, 'data/try/answer.json')).mode & 0o777, 0o600);
  });

  test('a port in use: the hint is a command that npm passes on', async (t) => {
    const other = createServer().listen(0, '127.0.0.1');
    t.after(() => other.close());
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    const folder = newFolder(t);
    const args = ['quickstart', '--set', `listeners=[{ host: 127.0.0.1, port: ${port} }]`];
    const byNpm = await runTessera(args, { folder, environment: { npm_lifecycle_event: 'start' } });
    assert.match(
      byNpm.printed,
      new RegExp(`choose another port\\. .*npm start -- --set listeners\\.0\\.port=${port + 1}\n`),
    );
    const direct = await runTessera(args, { folder });
    assert.match(direct.printed, new RegExp(`choose another port\\. .* --set listeners\\.0\\.port=${port + 1}\n`));
  });
});
