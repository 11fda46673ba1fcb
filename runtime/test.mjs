// `npm test`: every test, or those named. Examples:
//   npm test
//   npm test -- test/core/scope.test.ts
//   npm test -- --test-name-pattern='contract 3'
//   npm test -- --quick                       under a minute, for the loop while coding; says what it leaves out
//   npm test -- --without-system-packages     installs nothing; tests that need a missing program are skipped and counted
//   npm test -- --retry-alone     files that fail are run once more, one at a time, and named if they pass then
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { allTests, leaveOutNeeding, leaveOutSlow } from './choose-tests.mjs';
import { installNeeds, missingPackages } from './needs.mjs';
import { say } from './say.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const OWN = ['--quick', '--without-system-packages', '--retry-alone'];
const given = process.argv.slice(2);
const [isQuick, isWithout, isRetrying] = OWN.map((flag) => given.includes(flag));
const named = given.filter((argument) => !argument.startsWith('-'));
const flags = given.filter((argument) => argument.startsWith('-') && !OWN.includes(argument));

const { files: tests, leftOut } = await chosen();
const result = isRetrying ? await runTwice() : await run([...flags, ...tests]);
if (leftOut.length > 0) say(`skipped for missing programs: ${leftOut.length} test files, named above`);
process.exit(result);

/** The files to run, and those to report as skipped. */
async function chosen() {
  if (isQuick) return quick();
  if (!isWithout) await installNeeds('tests');
  const wanted = named.length > 0 ? named : allTests(root);
  if (!isWithout) return { files: wanted, leftOut: [] };
  const needing = leaveOutNeeding(root, wanted, missingPackages('tests'));
  return needing.leftOut.length > 0 ? { ...needing, files: [...needing.files, 'runtime/skipped.test.mjs'] } : needing;
}

function quick() {
  const { files, reasons, count } = leaveOutSlow(root, allTests(root));
  say(`quick: ${files.length} of ${files.length + count} test files. Left out:`);
  for (const [why, names] of reasons) say(`  ${why}: ${names.length === 1 ? names[0] : `${names.length} files`}`);
  say('Run `npm test` before you push.');
  return { files, leftOut: [] };
}

function run(args) {
  const env = { ...process.env, SKIPPED_TEST_FILES: JSON.stringify(leftOut) };
  const child = spawn(process.execPath, ['--test', ...args], { cwd: root, stdio: 'inherit', env });
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
