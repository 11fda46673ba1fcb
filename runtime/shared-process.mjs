// Runs test files one after the other in this process. Each is a test, and the tests of the file are below it.
import { join } from 'node:path';
import { mock, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { openFolderOf } from './test-folder.mjs';

/** Where the tests that stand for files are defined. */
export const SHARED_PROCESS = fileURLToPath(import.meta.url);

/** Modules of tests add what ends after the last file (test/at-end.ts). */
const ends = [];
globalThis[Symbol.for('tessera: after the last test file')] = (end) => ends.push(end);

export async function runTogether(root, files) {
  const environment = { ...process.env };
  // As Node does for a single file: a test may wait for a timer that does not keep the process alive.
  const keepAlive = setInterval(() => undefined, 60_000);
  for (const file of files) {
    if (process.env.TEST_RUN_FOLDER !== undefined) openFolderOf(file);
    // Ends after the last test of the file, and after the hooks that the file defines outside of tests.
    await test(file, () => import(pathToFileURL(join(root, file)).href));
    mock.reset();
    process.chdir(root);
    restoreEnvironment(environment);
  }
  for (const end of ends) await end();
  clearInterval(keepAlive);
}

function restoreEnvironment(wanted) {
  for (const name of Object.keys(process.env)) if (!(name in wanted)) delete process.env[name];
  Object.assign(process.env, wanted);
}
