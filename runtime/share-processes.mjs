// Which test files share a process. Starting Node and loading the service takes longer than most files that use no other program.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LONGEST, textsOf } from './choose-tests.mjs';
import { SHARED_PROCESS } from './shared-process.mjs';

/** A module that changes the process, or defines hooks when it is loaded, says so: `// Own process: WHY`. */
const ALONE = /^\/\/ Own process: /m;
const MOST_FILES = 10;

/** The files in lists, one list for each process: those that take longest, then those that share, then the others. */
export function processesOf(root, files) {
  const isSharing = (file) => !LONGEST.includes(file) && !textsOf(root, file).some((text) => ALONE.test(text));
  const sharing = files.filter(isSharing);
  const isShared = new Set(sharing);
  const others = files.filter((file) => !isShared.has(file));
  const first = others.filter((file) => LONGEST.includes(file));
  const last = others.filter((file) => !LONGEST.includes(file));
  return [...first.map((file) => [file]), ...inParts(sharing), ...last.map((file) => [file])];
}

/** As few lists as possible, all about as long. */
function inParts(files) {
  const count = Math.ceil(files.length / MOST_FILES);
  return Array.from({ length: count }, (_, part) =>
    files.slice(Math.round((part * files.length) / count), Math.round(((part + 1) * files.length) / count)),
  );
}

/** What Node is to run for each list, with the list: the file itself, or a module that runs several. */
export function entriesOf(root, processes) {
  return new Map(
    processes.map((files, number) => {
      if (files.length === 1) return [join(root, files[0]), files];
      const entry = join(process.env.TEST_RUN_FOLDER, `shared-${number}.mjs`);
      const call = `await runTogether(${JSON.stringify(root)}, ${JSON.stringify(files)});`;
      writeFileSync(entry, `import { runTogether } from ${JSON.stringify(SHARED_PROCESS)};\n${call}\n`);
      return [entry, files];
    }),
  );
}
