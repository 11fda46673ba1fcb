// Which test files share a process. Starting Node and loading the service takes longer than most files that use no other program.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { textsOf } from './choose-tests.mjs';
import { SHARED_PROCESS } from './shared-process.mjs';

/** A module that changes the process, or defines hooks when it is loaded, says so: `// Own process: WHY`. */
const ALONE = /^\/\/ Own process: /m;
/** A module that starts a program once for all files of its process says which: `// Once per process: PostgreSQL`. */
const ONCE = /^\/\/ Once per process: (.+)$/m;
/**
 * A process is worth its start for some files. After many, it keeps too much of them in memory; a process that begins late is left with
 * files when the others have none.
 */
const FEWEST_FILES = 10;
const MOST_FILES = 100;

/**
 * What Node is to run, in this order: a `file` by itself; or a module that takes one file after the other from those that share processes,
 * so that all processes end at about the same time. Files that use the same program are taken by the same process, as long as the
 * others have something else to do. `ran` and `ended` list the files that it has begun and ended.
 */
export function entriesOf(root, files, { atOnce, isSharing }) {
  const mayShare = (file) => isSharing && !textsOf(root, file).some((text) => ALONE.test(text));
  const sharing = files.filter(mayShare);
  const shared = sharing.length > 1 ? sharing : [];
  const alone = files.filter((file) => !shared.includes(file));
  const count = Math.max(
    Math.min(atOnce, Math.ceil(shared.length / FEWEST_FILES)),
    Math.ceil(shared.length / MOST_FILES),
  );
  return new Map([
    ...alone.map((file) => [join(root, file), { file, ran: () => [file], ended: () => [], isStray: () => false }]),
    ...ordersOf(root, shared, count).map((order, number) => sharedEntry(root, order, String(number))),
  ]);
}

/** For each process, the numbered files in the order in which it takes them: those of one program, those that use none, the others. */
function ordersOf(root, files, count) {
  const programOf = (file) =>
    textsOf(root, file)
      .map((text) => ONCE.exec(text)?.[1])
      .find((name) => name !== undefined);
  const groups = [...Map.groupBy(files.entries(), ([, file]) => programOf(file))];
  const programs = groups.map(([name]) => name).filter((name) => name !== undefined);
  return Array.from({ length: count }, (_, number) => {
    const rank = ([name]) => (name === undefined ? 1 : name === programs[number] ? 0 : 2);
    return groups.toSorted((a, b) => rank(a) - rank(b)).flatMap(([, numbered]) => numbered);
  });
}

function sharedEntry(root, order, name) {
  const folder = process.env.TEST_RUN_FOLDER;
  const files = new Map(order);
  const entry = join(folder, `shared-${name}.mjs`);
  const given = [root, order, { folder, name, most: MOST_FILES }].map((each) => JSON.stringify(each)).join(', ');
  writeFileSync(
    entry,
    `import { runTogether } from ${JSON.stringify(SHARED_PROCESS)};\nawait runTogether(${given});\n`,
  );
  const marked = (mark) =>
    readdirSync(folder)
      .filter((found) => found.endsWith(mark) && readFileSync(join(folder, found), 'utf8') === name)
      .map((found) => files.get(Number.parseInt(found, 10)));
  const isStray = () => existsSync(join(folder, `${name}.stray`));
  return [entry, { ran: () => marked('.taken'), ended: () => marked('.ended'), isStray }];
}
