// One test file in a process of its own, ended at the first test that fails.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { temporaryFolder } from '../../test/temporary-folder.ts';

const FLAGS = ['--test-reporter=tap', '--test-force-exit', '--disable-warning=ExperimentalWarning'];

interface TestRun {
  readonly result: 'passed' | 'failed' | 'timed out';
  readonly milliseconds: number;
}

/** `folder`: the checkout; `limit` in milliseconds. `coverage`: a folder for what Node writes about what was executed, also by other processes. */
export async function runTest(test: string, folder: string, limit: number, coverage?: string): Promise<TestRun> {
  const began = performance.now();
  const temporary = temporaryFolder('mutant');
  chmodSync(temporary, 0o1777); // as /tmp: tests run other programs as other users
  const covered = coverage && { NODE_V8_COVERAGE: coverage, NODE_COMPILE_CACHE: '' }; // what is compiled already is counted less exactly
  const env = { ...process.env, ...covered, TMPDIR: temporary, TEST_KEPT_FOLDER: dirname(temporary) };
  const child = spawn(process.execPath, [...FLAGS, test], {
    ...{ cwd: folder, env, detached: true, stdio: ['ignore', 'pipe', 'ignore'] },
  });
  /** False if all have ended. */
  const signal = (signal: 'SIGKILL' | 0) => {
    try {
      return process.kill(-(child.pid as number), signal);
    } catch {
      return false;
    }
  };
  const stop = () => signal('SIGKILL');
  let [isFailed, isLate] = [false, false];
  createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
    if (!/^ *not ok /.test(line)) return;
    isFailed = true;
    stop();
  });
  const timer = setTimeout(() => {
    isLate = true;
    stop();
  }, limit);
  const [code] = (await once(child, 'exit')) as [number | null];
  clearTimeout(timer);
  const milliseconds = performance.now() - began;
  for (let turn = 0; coverage && turn < 50 && signal(0); turn++) await pause(100); // they write it as they end
  stop();
  rmSync(temporary, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  const result = isFailed ? 'failed' : isLate ? 'timed out' : code === 0 ? 'passed' : 'failed';
  return { result, milliseconds };
}
