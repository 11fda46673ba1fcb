// Runs test files one after the other in this process. Each is a test, and the tests of the file are below it.
import { writeFileSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { join } from 'node:path';
import { mock, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { openFolderOf } from './test-folder.mjs';

/** Where the tests that stand for files are defined. */
export const SHARED_PROCESS = fileURLToPath(import.meta.url);

/** Modules of tests add what ends after the last file (test/at-end.ts). */
const ends = [];
globalThis[Symbol.for('tessera: after the last test file')] = (end) => ends.push(end);

/** Runs those of the numbered files that no other process has taken, `most` of them. */
export async function runTogether(root, files, { folder, name, most }) {
  const environment = { ...process.env };
  // As Node does for a single file: a test may wait for a timer that does not keep the process alive.
  const keepAlive = setInterval(() => undefined, 60_000);
  // What happens outside of the test of a file belongs to any of the files before: all are blamed.
  let isEnded = false;
  const stray = () => isEnded || writeFileSync(join(folder, `${name}.stray`), '');
  for (const event of ['uncaughtExceptionMonitor', 'unhandledRejection', 'exit']) process.on(event, stray);
  let taken = 0;
  for (const [at, file] of files) {
    const mark = join(folder, String(at));
    if (taken === most || !take(`${mark}.taken`, name)) continue;
    taken += 1;
    openFolderOf(file);
    // Ends after the last test of the file, and after the hooks that the file defines outside of tests.
    await test(file, () => import(pathToFileURL(join(root, file)).href));
    mock.reset();
    for (const name of restoreClocks())
      await test(`${file} leaves ${name} replaced`, () => Promise.reject(new Error(name)));
    process.chdir(root);
    restoreEnvironment(environment);
    writeFileSync(`${mark}.ended`, name);
    flushCompileCache(); // for the processes that are started meanwhile, many of which are killed and write nothing
  }
  for (const end of ends) await end();
  isEnded = true;
  clearInterval(keepAlive);
}

/** Whether this process is the first that wants it. */
function take(mark, name) {
  try {
    writeFileSync(mark, name, { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

/** What is replaced twice, Node puts back to the first replacement: every later file would have a clock that stands still. */
const CLOCKS = [
  { of: Math, name: 'random' },
  { of: Date, name: 'now' },
  { of: performance, name: 'now' },
  ...['setTimeout', 'setInterval', 'setImmediate'].map((name) => ({ of: globalThis, name })),
].map((clock) => ({ ...clock, own: clock.of[clock.name] }));

function restoreClocks() {
  const replaced = CLOCKS.filter(({ of, name, own }) => of[name] !== own);
  for (const { of, name, own } of replaced) of[name] = own;
  return replaced.map(({ name }) => name);
}

function restoreEnvironment(wanted) {
  for (const name of Object.keys(process.env)) if (!(name in wanted)) delete process.env[name];
  Object.assign(process.env, wanted);
}
