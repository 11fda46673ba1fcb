// Reads from the events of Node's test runner how each test file ended.
import { say } from './say.mjs';
import { SHARED_PROCESS } from './shared-process.mjs';

/** `entries`: what Node runs, and the test files that run in its process. */
export function collectResults(entries, events) {
  const times = new Map();
  const failed = new Set();
  const ended = new Set();
  const broken = new Set();
  let isPassed = false;
  let tests = 0;
  // In a shared process, a test of that name stands for the file. It comes after those of the file, if the runner has seen any.
  const endFile = ({ name, file, details }) => {
    tests += 1;
    if (file !== SHARED_PROCESS) return;
    times.set(name, details.duration_ms / 1000);
    if (tests === 1) {
      say(`${name}: no test ran`);
      failed.add(name);
    }
    tests = 0;
  };
  events.on('test:pass', endFile);
  events.on('test:fail', (event) => {
    endFile(event);
    if (event.file === SHARED_PROCESS) failed.add(event.name);
    if (event.todo === undefined && entries.has(event.file)) broken.add(event.file);
  });
  events.on('test:summary', ({ file, success, duration_ms: duration }) => {
    if (file === undefined) isPassed = success;
    if (!entries.has(file)) return;
    ended.add(file);
    tests = 0;
    if (!success) broken.add(file);
    if (entries.get(file).length === 1) times.set(entries.get(file)[0], duration / 1000);
  });
  /** Those of a process that failed or did not end. If it is not known which of them did, all. */
  const blamed = (files) => {
    const found = files.filter((file) => failed.has(file) || !times.has(file));
    return found.length > 0 ? found : files;
  };
  const among = (isChosen) => [...entries].filter((entry) => isChosen(...entry)).flatMap(([, files]) => blamed(files));
  const hasMissing = (files) => files.some((file) => !times.has(file)); // a process that ends with 0 passes for Node
  return {
    times,
    isPassed: () => isPassed && failed.size === 0 && ![...entries.values()].some(hasMissing),
    failed: () =>
      among((entry, files) => broken.has(entry) || files.some((file) => failed.has(file)) || hasMissing(files)),
    notEnded: () => among((entry) => !ended.has(entry)),
  };
}
