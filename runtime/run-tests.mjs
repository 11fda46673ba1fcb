// Runs test files on Node's test runner, several at once, and says how they ended.
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import { run } from 'node:test';
import { dot, junit, spec, tap } from 'node:test/reporters';
import { OWN_FOLDER } from './test-folder.mjs';

const REPORTERS = { dot, junit, spec, tap };
/** Tests wait for processes, disks and clocks about half of their time: two files per core keep the machine busy. */
const AT_ONCE = 2 * availableParallelism();

/** If no file ended for this long, a process hangs: usually a test failed before it closed what it had opened. */
const LONGEST_WAIT_MS = 10 * 60_000;

/** A signal ends the processes of the tests, too. */
const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stopping.abort());

/**
 * `files` are started in this order. `flags` are those of Node's test runner; those it does not read itself go to the
 * process of each file. Resolves to the failed files and the seconds that each file took.
 */
export async function runTests(root, files, flags = [], { atOnce = AT_ONCE, longestWaitMs = LONGEST_WAIT_MS } = {}) {
  const { reporter, concurrency, others } = readFlags(flags);
  const paths = files.map((file) => join(root, file));
  const { signal } = stopping;
  const execArgv = [...OWN_FOLDER, ...others];
  const events = run({ cwd: root, files: paths, concurrency: concurrency ?? atOnce, execArgv, signal });
  const failed = new Set();
  const times = new Map();
  let isPassed = false;
  const patience = setTimeout(() => {
    console.error(`tessera: no test file ended for ${longestWaitMs / 60_000} minutes. Not ended:`);
    for (const file of files.filter((name) => !times.has(name))) console.error(`tessera:   ${file}`);
    stopping.abort();
  }, longestWaitMs).unref();
  events.on('test:fail', ({ file, todo }) => todo === undefined && file && failed.add(relative(root, file)));
  events.on('test:summary', ({ file, success, duration_ms: duration }) => {
    if (file === undefined) isPassed = success;
    else times.set(relative(root, file), duration / 1000);
    patience.refresh();
  });
  for await (const text of events.compose(reporter)) process.stdout.write(text);
  clearTimeout(patience);
  return signal.aborted
    ? { isPassed: false, isAborted: true, failed: [], times }
    : { isPassed, failed: [...failed], times };
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
