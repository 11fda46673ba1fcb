// Runs test files on Node's test runner, several at once, and says how they ended.
import { availableParallelism, loadavg } from 'node:os';
import { run } from 'node:test';
import { dot, junit, spec, tap } from 'node:test/reporters';
import { entriesOf } from './share-processes.mjs';
import { OWN_FOLDER } from './test-folder.mjs';
import { collectResults } from './test-results.mjs';

const REPORTERS = { dot, junit, spec, tap };
/** Tests wait for processes, disks and clocks much of their time. The suite took 385 s with two processes per core, 329 s with three. */
const AT_ONCE = 3 * availableParallelism();

/** If no test ended for this long, a process hangs: usually a test failed before it closed what it had opened. */
const LONGEST_WAIT_MS = 10 * 60_000;
/** Of the tests themselves, per core. */
const USUAL_LOAD = 4;

/** A signal ends the processes of the tests, too. */
const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stopping.abort());

/** Flags that choose among tests. They would leave out the tests that stand for the files of a shared process. */
const CHOOSING = /^--test-(name-pattern|skip-pattern|only)\b/;

/**
 * `files` are started about in this order. `flags` are those of Node's test runner; those it does not read itself go to
 * the processes of the files. Resolves to the failed files and the seconds that each file took. `isAlone`: no file shares
 * a process.
 */
export async function runTests(root, files, flags = [], { atOnce, longestWaitMs = LONGEST_WAIT_MS, isAlone } = {}) {
  const { reporter, concurrency = atOnce ?? AT_ONCE, others } = readFlags(flags);
  const isSharing = !isAlone && !flags.some((flag) => CHOOSING.test(flag));
  const entries = entriesOf(root, files, { atOnce: concurrency, isSharing });
  const { signal } = stopping;
  const execArgv = [...OWN_FOLDER, ...others];
  const events = run({ cwd: root, files: [...entries.keys()], concurrency, execArgv, signal });
  const results = collectResults(files, entries, events);
  const patience = stopIfNothingEnds(events, longestWaitMs, results);
  for await (const text of events.compose(reporter)) await print(text);
  clearInterval(patience);
  const { times } = results;
  return signal.aborted
    ? { isPassed: false, isAborted: true, failed: [], times }
    : { isPassed: results.isPassed(), failed: results.failed(), times };
}

/** Until somebody has read it: what a process has not written when it ends is lost, in a pipe whose reader is busy. */
function print(text) {
  return new Promise((resolve, reject) => process.stdout.write(text, (fault) => (fault ? reject(fault) : resolve())));
}

/** Ends a run that hangs. On a busy machine, everything takes longer without hanging. */
function stopIfNothingEnds(events, longestWaitMs, results) {
  let since = Date.now();
  for (const end of ['test:pass', 'test:fail', 'test:summary']) events.on(end, () => (since = Date.now()));
  const check = () => {
    const perCore = loadavg()[0] / availableParallelism();
    const waitMs = longestWaitMs * Math.max(1, perCore / USUAL_LOAD);
    if (stopping.signal.aborted || Date.now() - since < waitMs) return;
    console.error(`tessera: no test ended for ${(waitMs / 60_000).toFixed(1)} minutes. Not ended:`);
    for (const file of results.notEnded()) console.error(`tessera:   ${file}`);
    stopping.abort();
  };
  return setInterval(check, Math.min(longestWaitMs / 4, 10_000)).unref();
}

function readFlags(flags) {
  const own = { '--test-reporter': 'spec', '--test-concurrency': undefined };
  const others = flags.filter((flag) => {
    const [name, value] = flag.split('=');
    if (!(name in own)) return true;
    own[name] = value;
    return false;
  });
  const reporter = REPORTERS[own['--test-reporter']];
  if (!reporter) throw new Error(`--test-reporter: one of ${Object.keys(REPORTERS).join(', ')}`);
  return { reporter, concurrency: own['--test-concurrency'] && Number(own['--test-concurrency']), others };
}
