import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { makeHome } from './service.ts';

const MAIN = join(import.meta.dirname, '../../src/cli/main.ts');

interface Supervised {
  readonly supervisor: ChildProcess;
  /** Waits until the log has this many lines with the message. */
  readonly said: (message: string, times: number) => Promise<void>;
}

function serveWithWorkers(t: TestContext, ...flags: string[]): Supervised {
  const { configFile, folder } = makeHome({});
  const args = [MAIN, '--config', configFile, ...flags, 'serve', '--workers', '2'];
  const supervisor = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let log = '';
  supervisor.stdout.on('data', (chunk) => {
    log += chunk;
  });
  t.after(() => {
    supervisor.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });
  const said = async (message: string, times: number) => {
    while (log.split(`"msg":"${message}"`).length <= times) await pause(50);
  };
  return { supervisor, said };
}

function workersOf({ pid }: ChildProcess): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);
}

test('a worker that dies is replaced, and all stop together when they are told to', async (t) => {
  const { supervisor, said } = serveWithWorkers(t);
  await said('ready', 2);
  const [first, second] = workersOf(supervisor);
  process.kill(first ?? 0, 'SIGKILL');
  await said('ready', 3);
  const now = workersOf(supervisor);
  assert.equal(now.length, 2);
  assert.ok(now.includes(second ?? 0) && !now.includes(first ?? 0));
  supervisor.kill('SIGTERM');
  const [code] = await once(supervisor, 'exit');
  assert.equal(code, 0);
  for (const pid of now) assert.throws(() => process.kill(pid, 0), 'no worker outlives its supervisor');
});

test('workers that cannot even start end the service, and are not started over and over', async (t) => {
  const { supervisor } = serveWithWorkers(t, '--set', 'listeners.0.tls.certificate=/nowhere.crt');
  const [code] = await once(supervisor, 'exit');
  assert.equal(code, 1);
});
