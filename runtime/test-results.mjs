// Reads from the events of Node's test runner how each test file ended.
import { say } from './say.mjs';
import { SHARED_PROCESS } from './shared-process.mjs';

/** `entries`: what Node runs, and which of the `files` its process has run. */
export function collectResults(files, entries, events) {
  const times = new Map();
  const failed = new Set();
  const broken = new Set();
  const summed = new Set();
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
    tests = 0;
    summed.add(file);
    if (!success) broken.add(file);
    const { file: alone } = entries.get(file);
    if (alone) times.set(alone, duration / 1000);
  });
  const isWrong = (file) => failed.has(file) || !times.has(file); // a process that ends with 0 passes for Node
  /** Those of a process that failed. If it is not known which of them did, all. */
  const blamed = (entry) => {
    const { ran, isStray } = entries.get(entry);
    return ran().some(isWrong) && !isStray() ? [] : ran();
  };
  return {
    times,
    isPassed: () => isPassed && !files.some(isWrong),
    failed: () => [
      ...new Set([
        ...files.filter(isWrong),
        ...[...entries.keys()].filter((entry) => broken.has(entry) || entries.get(entry).isStray()).flatMap(blamed),
      ]),
    ],
    notEnded: () => {
      const ended = new Set([...entries.values()].flatMap((entry) => entry.ended())); // perhaps not reported yet
      const left = files.filter((file) => !times.has(file) && !ended.has(file));
      // All have passed, and one of them keeps its process from ending.
      return left.length > 0
        ? left
        : [...entries].filter(([entry]) => !summed.has(entry)).flatMap(([, { ran }]) => ran());
    },
  };
}
