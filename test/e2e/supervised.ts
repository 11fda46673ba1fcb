// The service with several workers, as `tessera serve --workers 2` runs it.
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
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
  { configFile }: Pick<Home, 'configFile'>,
  ...flags: string[]
): Supervised {
  const args = [MAIN, '--config', configFile, ...flags, 'serve', '--workers', '2'];
  const supervisor = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let [log, complaints] = ['', ''];
  supervisor.stdout.on('data', (chunk) => {
    log += chunk;
  });
  supervisor.stderr.on('data', (chunk) => {
    complaints += chunk;
  });
  t.after(() => supervisor.kill('SIGKILL'));
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

export function workersOf({ pid }: ChildProcess): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);
}
