// `npm test`: every test, or those named. Examples:
//   npm test
//   npm test -- test/core/scope.test.ts
//   npm test -- --test-name-pattern='contract 3'
//   npm test -- --quick                       under a minute, for the loop while coding; says what it leaves out
//   npm test -- --without-system-packages     installs nothing; tests that need a missing program are skipped and counted
import { spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { allTests, leaveOutNeeding, leaveOutSlow } from './choose-tests.mjs';
import { installNeeds, missingPackages } from './needs.mjs';
import { say } from './say.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const OWN = ['--quick', '--without-system-packages'];
const given = process.argv.slice(2);
const [isQuick, isWithout] = OWN.map((flag) => given.includes(flag));
const named = given.filter((argument) => !argument.startsWith('-'));
const flags = given.filter((argument) => argument.startsWith('-') && !OWN.includes(argument));

const { files, leftOut } = await chosen();
const child = spawn(process.execPath, ['--test', ...flags, ...files], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, TESSERA_SKIPPED: JSON.stringify(leftOut) },
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('exit', (code) => {
  if (leftOut.length > 0) say(`skipped for missing programs: ${leftOut.length} test files, named above`);
  process.exit(code ?? 1);
});

/** The files to run, and those to report as skipped. */
async function chosen() {
  if (isQuick) return quick();
  if (!isWithout) await installNeeds('tests');
  const wanted = named.length > 0 ? named : allTests(root);
  if (!isWithout) return { files: wanted, leftOut: [] };
  const { files: able, leftOut } = leaveOutNeeding(root, wanted, missingPackages('tests'));
  return { files: leftOut.length > 0 ? [...able, 'runtime/skipped.test.mjs'] : able, leftOut };
}

function quick() {
  const { files, reasons, count } = leaveOutSlow(root, allTests(root));
  say(`quick: ${files.length} of ${files.length + count} test files. Left out:`);
  for (const [why, names] of reasons) say(`  ${why}: ${names.length === 1 ? names[0] : `${names.length} files`}`);
  say('Run `npm test` before you push.');
  return { files, leftOut: [] };
}
