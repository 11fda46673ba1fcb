// What the quick start prints must work when pasted.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
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
    const printed = await printedBy([...port, '--set', 'authsvc.mounts=[{ path: /legacy/v2 }]'], newFolder(t));
    assert.match(printed, /\/legacy\/v2\/Authorize\/Certificate\)/);
    assert.match(printed, /\/legacy\/v2\/Revoke\/Token;/);
    assert.doesNotMatch(printed, /\/authsvc/);
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
