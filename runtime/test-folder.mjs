// The temporary folder of one `npm test`, with a folder for each test file below it. It is removed at the end, however the run ends.
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { say } from './say.mjs';

/** Loaded first by the process of each test file. */
export const OWN_FOLDER = ['--import', new URL('own-folder.mjs', import.meta.url).href];

/** Paths stay short: the path of a Unix socket below them has at most 107 bytes. */
export function openTestFolder({ isKept = false } = {}) {
  const parent = tmpdir();
  const path = mkdtempSync(join(parent, 'tessera-'));
  chmodSync(path, 0o1777); // as /tmp: tests run other programs as other users
  Object.assign(process.env, { TMPDIR: path, TEST_RUN_FOLDER: path });
  process.env.TEST_KEPT_FOLDER ??= parent; // for what tests keep from run to run
  process.on('exit', () => (isKept ? say(`the temporary files are in ${path}`) : remove(path)));
  return path;
}

/** From here on, this process puts its temporary files into a new folder, which is that of `file`. */
export function openFolderOf(file) {
  const folder = mkdtempSync(join(process.env.TEST_RUN_FOLDER, 't'));
  chmodSync(folder, 0o1777);
  writeFileSync(`${folder}.file`, file);
  process.env.TMPDIR = folder;
}

/** What test files have left behind: each file with names. */
export function leftovers(path) {
  return readdirSync(path)
    .filter((name) => name.endsWith('.file'))
    .map((name) => join(path, name))
    .map((name) => ({ file: readFileSync(name, 'utf8'), left: readdirSync(name.slice(0, -'.file'.length)) }))
    .filter(({ left }) => left.length > 0);
}

function remove(path) {
  try {
    rmSync(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  } catch (error) {
    say(`cannot remove ${path}: ${error.message}`);
  }
}
