// Gives the process of a test file a temporary folder of its own, so that the run can say which file left something behind.
import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { isMainThread } from 'node:worker_threads';

const { TMPDIR, TEST_RUN_FOLDER } = process.env;
// Processes and threads that the test starts use the same folder.
if (isMainThread && TEST_RUN_FOLDER !== undefined && TMPDIR === TEST_RUN_FOLDER) {
  const folder = mkdtempSync(join(TEST_RUN_FOLDER, 't'));
  chmodSync(folder, 0o1777);
  writeFileSync(`${folder}.file`, relative(process.cwd(), process.argv[1]));
  process.env.TMPDIR = folder;
}
