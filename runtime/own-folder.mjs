// Gives the process of a test file a temporary folder of its own, so that the run can say which file left something behind.
import { relative } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { openFolderOf } from './test-folder.mjs';

const { TMPDIR, TEST_RUN_FOLDER } = process.env;
// Processes and threads that the test starts use the same folder.
if (isMainThread && TEST_RUN_FOLDER !== undefined && TMPDIR === TEST_RUN_FOLDER) {
  openFolderOf(relative(process.cwd(), process.argv[1]));
}
