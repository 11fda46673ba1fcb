// The service with several workers, as `tessera serve --workers 2` runs it.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Home } from './service.ts';

const MAIN = join(import.meta.dirname, '../../src/cli/main.ts');

export interface Supervised {
  readonly supervisor: ChildProcess;
  /** Waits until the log has this many lines with the message; they are returned. */
  readonly said: (message: string, times: number) => Promise<string[]>;
}

export function serveWithWorkers(
  t: TestContext,
  { configFile, main = MAIN }: Pick<Home, 'configFile'> & { readonly main?: string },
  ...flags: string[]
): Supervised {
  const args = [main, '--config', configFile, ...flags, 'serve', '--workers', '2'];
  const supervisor = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let [log, complaints] = ['', ''];
  supervisor.stdout.on('data', (chunk) => {
    log += chunk;
  });
  supervisor.stderr.on('data', (chunk) => {
    complaints += chunk;
  });
  leftOf(t).supervisors.push(supervisor);
  const said = async (message: string, times: number) => {
    for (;;) {
      const lines = log.split('\n').filter((line) => line.includes(`"msg":"${message}"`));
      if (lines.length >= times) return lines;
      if (supervisor.exitCode !== null) throw new Error(`the service ended: ${log}${complaints}`);
      await pause(50);
    }
  };
  return { supervisor, said };
}

interface Left {
  readonly supervisors: ChildProcess[];
  readonly folders: string[];
}

const left = new WeakMap<TestContext, Left>();

/** What is ended, then removed, after a test. */
function leftOf(t: TestContext): Left {
  const known = left.get(t);
  if (known) return known;
  const { supervisors, folders }: Left = { supervisors: [], folders: [] };
  left.set(t, { supervisors, folders });
  t.after(async () => {
    await Promise.all(supervisors.map(killAll));
    for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
  });
  return { supervisors, folders };
}

/** Not before the services of this test have ended: they would write into the folder. */
export function removeAfter(t: TestContext, { folder }: Pick<Home, 'folder'>): void {
  leftOf(t).folders.push(folder);
}

/** Workers by themselves too: one that was stopped does not notice that its supervisor is gone. */
async function killAll(supervisor: ChildProcess): Promise<void> {
  if (supervisor.exitCode !== null || supervisor.signalCode !== null) return;
  const exit = once(supervisor, 'exit');
  const workers = workersOf(supervisor);
  supervisor.kill('SIGKILL');
  for (const pid of workers) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // it has ended
    }
  }
  await exit;
}

export function workersOf({ pid }: ChildProcess): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return children === '' ? [] : children.split(' ').map(Number);
}
