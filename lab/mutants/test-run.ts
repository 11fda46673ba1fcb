// One test file in a process of its own, ended at the first test that fails.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { temporaryFolder } from '../../test/temporary-folder.ts';

const FLAGS = ['--test-reporter=tap', '--test-force-exit', '--disable-warning=ExperimentalWarning'];

/** Milliseconds; undefined if a test failed or did not end. `folder`: the checkout. */
export async function timeOf(test: string, folder: string, limit: number): Promise<number | undefined> {
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
  let isPassed = true;
  createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
    if (!/^ *not ok /.test(line)) return;
    isPassed = false;
    stop();
  });
  const timer = setTimeout(stop, limit);
  const [code] = (await once(child, 'exit')) as [number | null];
  clearTimeout(timer);
  stop();
  rmSync(temporary, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  return code === 0 && isPassed ? performance.now() - began : undefined;
}
