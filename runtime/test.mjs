// `npm test`: the tests that show every promise in a few minutes, or those named. `npm run test:all`: every test. Examples:
//   npm test
//   npm test -- test/core/scope.test.ts
//   npm test -- --test-name-pattern='contract 3'
//   npm run test:all
//   npm run test:all -- --rest                only what `npm test` leaves out
//   npm run test:all -- --shard=1/3           the first of three parts, for several machines
//   npm test -- --without-system-packages     installs nothing; tests that need a missing program are skipped and counted
//   npm test -- --keep-files      the temporary files of the tests stay
//   npm test -- --retry-alone     files that fail are run once more, one at a time, and named if they pass then
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  allTests,
  leaveOutLong,
  leaveOutNeeding,
  longestFirst,
  needsOf,
  shardOf,
  testsNamed,
} from './choose-tests.mjs';
import { endLeftProcesses } from './left-processes.mjs';
import { installNeeds, missingPackages } from './needs.mjs';
import { runTests } from './run-tests.mjs';
import { say, stop } from './say.mjs';
import { leftovers, openTestFolder } from './test-folder.mjs';

const LONGEST_SHOWN = 8;
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const OWN = ['--all', '--rest', '--without-system-packages', '--retry-alone', '--keep-files'];
const SHARD = /^--shard=/;
const given = process.argv.slice(2);
const [isAll, isRest, isWithout, isRetrying, isKept] = OWN.map((flag) => given.includes(flag));
const shard = given.find((argument) => SHARD.test(argument))?.replace(SHARD, '');
const named = given.filter((argument) => !argument.startsWith('-'));
const flags = given.filter((argument) => argument.startsWith('-') && !OWN.includes(argument) && !SHARD.test(argument));

const { files, leftOut } = await chosen();
process.env.SKIPPED_TEST_FILES = JSON.stringify(leftOut);
const folder = openTestFolder({ isKept });
const began = Date.now();
const first = await runTests(root, longestFirst(files), flags);
if (files.length > 1) sayTimes(first.times);
// Before files run again: what failed may have left a process that would be in the way.
const hasEnded = await endLeft(first);
const isPassed = first.isPassed ? hasEnded : isRetrying && (await passAlone(first.failed));
const isTidy = first.isAborted || sayLeftovers();
if (leftOut.length > 0) say(`skipped for missing programs: ${leftOut.length} test files, named above`);
process.exit(isPassed && isTidy ? 0 : 1);

/** The files to run, and those to report as skipped. Installs what they need, or says how. */
async function chosen() {
  const wanted = inShard(named.length > 0 ? named.flatMap(find) : unnamed());
  if (!isWithout) {
    await installNeeds('tests', [...new Set(wanted.flatMap((file) => needsOf(root, file)))]);
    stopIfLacking(leaveOutNeeding(root, wanted, missingPackages('tests')).leftOut);
    return { files: wanted, leftOut: [] };
  }
  const needing = leaveOutNeeding(root, wanted, missingPackages('tests'));
  return needing.leftOut.length > 0 ? { ...needing, files: [...needing.files, 'runtime/skipped.test.mjs'] } : needing;
}

function stopIfLacking(lacking) {
  if (lacking.length === 0) return;
  const packages = [...new Set(lacking.flatMap(({ lacks }) => lacks))];
  say(
    `${lacking.length} test files need programs that are missing. As root on Debian: apt-get install --no-install-recommends ${packages.join(' ')}`,
  );
  stop('Or skip those files, counted: npm test -- --without-system-packages');
}

function find(name) {
  const found = testsNamed(root, name);
  return found.length > 0 ? found : stop(`there is no test ${name}`);
}

function unnamed() {
  const every = allTests(root);
  if (isAll && !isRest) return every;
  const { short, leftOut } = leaveOutLong(root, every);
  if (isRest) return [...leftOut.values()].flat();
  const reasons = [...leftOut].map(([why, { length }]) => `${why} (${length})`).join(', ');
  if (leftOut.size > 0)
    say(`${short.length} of ${every.length} test files; npm run test:all has the others: ${reasons}`);
  return short;
}

function inShard(files) {
  if (shard === undefined) return files;
  return shardOf(longestFirst(files), shard) ?? stop(`--shard=${shard}: expected one part of several, such as 1/3`);
}

function sayTimes(times) {
  const longest = [...times].sort(([, a], [, b]) => b - a).slice(0, LONGEST_SHOWN);
  say(`${times.size} test files took ${Math.round((Date.now() - began) / 1000)} s. The longest:`);
  for (const [file, seconds] of longest) say(`  ${seconds.toFixed(1).padStart(5)} s  ${file}`);
}

/** Whether a run has left no process. */
async function endLeft(run) {
  const left = await endLeftProcesses(folder, run);
  for (const command of left)
    say(`${run.isAborted ? 'ended' : 'a test left this process, which was ended'}: ${command.slice(0, 200)}`);
  return left.length === 0;
}

/** A test that leaves files behind fails the run: use test/temporary-folder.ts. */
function sayLeftovers() {
  const found = leftovers(folder).filter(({ file }) => !first.failed.includes(file));
  for (const { file, left } of found) say(`${file} left files in the temporary folder: ${left.join(', ')}`);
  return found.length === 0;
}

/**
 * For machines that are busy with other things: a test that fails twice fails the run, one that passes alone is named. What it left
 * when it failed is forgiven, not what it leaves then.
 */
async function passAlone(failed) {
  if (failed.length === 0) return false;
  say(`failed, run once more alone: ${failed.join(', ')}`);
  const again = await runTests(root, failed, flags, { atOnce: 1, isAlone: true });
  if (!(await endLeft(again))) return false;
  if (again.isPassed) say(`passed alone after failing beside other tests: ${failed.join(', ')}`);
  return again.isPassed;
}
