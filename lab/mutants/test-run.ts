// One test file in a process of its own, ended at the first test that fails.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { temporaryFolder } from '../../test/temporary-folder.ts';

const FLAGS = ['--test-reporter=tap', '--test-force-exit', '--disable-warning=ExperimentalWarning'];

interface TestRun {
  readonly result: 'passed' | 'failed' | 'timed out';
  readonly milliseconds: number;
}

/** `folder`: the checkout; `limit` in milliseconds. */
export async function runTest(test: string, folder: string, limit: number): Promise<TestRun> {
  const began = performance.now();
  const temporary = temporaryFolder('mutant');
  chmodSync(temporary, 0o1777); // as /tmp: tests run other programs as other users
  const env = { ...process.env, TMPDIR: temporary, TEST_KEPT_FOLDER: dirname(temporary) };
  const child = spawn(process.execPath, [...FLAGS, test], {
    ...{ cwd: folder, env, detached: true, stdio: ['ignore', 'pipe', 'ignore'] },
  });
  const stop = () => {
    try {
      process.kill(-(child.pid as number), 'SIGKILL');
    } catch {
      // All have ended.
    }
  };
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
  stop();
  rmSync(temporary, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  const result = isFailed ? 'failed' : isLate ? 'timed out' : code === 0 ? 'passed' : 'failed';
  return { result, milliseconds: performance.now() - began };
}
