// `npm test`: every test, or those named. Examples:
//   npm test
//   npm test -- test/core/scope.test.ts
//   npm test -- --test-name-pattern='contract 3'
//   npm test -- --retry-alone     files that fail are run once more, one at a time, and named if they pass then
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installNeeds } from './needs.mjs';
import { say } from './say.mjs';

const RETRY = '--retry-alone';

installNeeds('tests');

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const given = process.argv.slice(2).filter((argument) => argument !== RETRY);
const files = given.filter((argument) => !argument.startsWith('-'));
const flags = given.filter((argument) => argument.startsWith('-'));
const tests = files.length > 0 ? files : ['test/**/*.test.ts'];

process.exit(process.argv.includes(RETRY) ? await runTwice() : await run([...flags, ...tests]));

function run(args) {
  const child = spawn(process.execPath, ['--test', ...args], { cwd: root, stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  return new Promise((resolve) => child.on('exit', (code) => resolve(code ?? 1)));
}

/** For machines that are busy with other things: a test that fails twice fails the run, one that passes alone is named. */
async function runTwice() {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-failed-'));
  const list = join(folder, 'files');
  const toList = ['--test-reporter=./runtime/failed-files.mjs', `--test-reporter-destination=${list}`];
  const code = await run(['--test-reporter=spec', '--test-reporter-destination=stdout', ...toList, ...flags, ...tests]);
  const failed = [...new Set(readFileSync(list, 'utf8').split('\n').filter(Boolean))].map((file) =>
    relative(root, file),
  );
  rmSync(folder, { recursive: true });
  if (code === 0 || failed.length === 0) return code;
  say(`failed, run once more alone: ${failed.join(', ')}`);
  const again = await run(['--test-concurrency=1', ...flags, ...failed]);
  if (again === 0) say(`passed alone after failing beside other tests: ${failed.join(', ')}`);
  return again;
}
