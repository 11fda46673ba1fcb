import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { complaints, houseOf, importsOf, unusedPermissions } from './import-rules.ts';
import { ROOT, read, type Source, sourcesIn } from './sources.ts';

const house = houseOf(read('ARCHITECTURE.md'));

test('the import table of ARCHITECTURE.md holds for every file', () => {
  const sources = ['src', 'lab', 'sdk', 'test'].flatMap((folder) => sourcesIn(folder, '.ts'));
  assert.ok(sources.filter(({ path }) => path.startsWith('src/')).length > 50, 'it read hardly any file of src');
  assert.ok(sources.flatMap(importsOf).length > 200, 'it found hardly any import');
  assert.ok(house.mayImport.size > 10 && house.homes.size > 5, 'it read hardly any row of the tables');
  assert.deepEqual(complaints(sources, house), []);
});

test('the import table allows no folder of src what none of its files needs', () => {
  const sources = sourcesIn('src', '.ts');
  assert.deepEqual(unusedPermissions(sources, house), []);
  const wider = houseOf(
    read('ARCHITECTURE.md').replace('| `src/doors/caller` | ', '| `src/doors/caller` | `src/pki/judge`, '),
  );
  assert.deepEqual(unusedPermissions(sources, wider), ['src/doors/caller → src/pki/judge']);
});

test('examples use the packages of sdk/ by name, and nothing else of this project', () => {
  const imports = sourcesIn('examples', '.mjs').flatMap(importsOf);
  assert.ok(imports.length > 0, 'it found no import');
  assert.deepEqual(
    imports.filter(({ to }) => !to.startsWith('node:') && /[/]/.test(to) && !/^@[\w-]+\/[\w-]+$/.test(to)),
    [],
  );
});

test('every folder of the import table exists, and every folder of src has a row', () => {
  const listed = [...house.mayImport.keys()];
  assert.deepEqual(
    listed.filter((path) => !existsSync(join(ROOT, path))),
    [],
    'listed but absent',
  );
  const folders = new Set(sourcesIn('src', '.ts').map(({ path }) => path.split('/').slice(0, -1).join('/')));
  const rooms = [...folders].filter((folder) => folder !== 'src' && !listed.some((row) => isBelow(folder, row)));
  assert.deepEqual(rooms, [], 'there but not listed');
});

function isBelow(folder: string, row: string): boolean {
  return folder === row || folder.startsWith(`${row}/`);
}

function complaintOf(path: string, text: string, ...others: Source[]): string {
  return complaints([{ path, text }, ...others], house).join('\n');
}

// Each breaks a rule on purpose, to show that the check can fail.
type Broken = [what: string, path: string, text: string, complaint: RegExp];

const BROKEN: Broken[] = [
  [
    'core imports nothing outside core',
    'src/core/x.ts',
    "import { y } from '../tokens/y.ts';",
    /src\/core may import nothing/,
  ],
  [
    'core imports no module of Node',
    'src/core/x.ts',
    "import { hash } from 'node:crypto';",
    /imports nothing from outside/,
  ],
  [
    'operations know no dialect',
    'src/operations/x.ts',
    "import type { Y } from '../doors/authsvc/y.ts';",
    /not src\/doors\/authsvc/,
  ],
  [
    'a door presents a certificate and does not judge it',
    'src/doors/caller/x.ts',
    "import '../../pki/judge/judge.ts';",
    /not src\/pki\/judge/,
  ],
  [
    'the judge does not go back to operations',
    'src/pki/judge/x.ts',
    "import '../../operations/ports.ts';",
    /not src\/op/,
  ],
  [
    'dialects do not know each other',
    'src/doors/authsvc/x.ts',
    "export { y } from '../ops/y.ts';",
    /not src\/doors\/ops/,
  ],
  [
    'back ends do not know each other',
    'src/store/sqlite/x.ts',
    "await import('../postgres/y.ts');",
    /not src\/store\/postgres/,
  ],
  ['operations know no back end', 'src/operations/x.ts', "import '../store/sqlite/open.ts';", /not src\/store\/sqlite/],
  [
    'the SQLite driver stays in its back end',
    'src/store/x.ts',
    "import { DatabaseSync } from 'node:sqlite';",
    /has node:sqlite/,
  ],
  ['the PostgreSQL driver stays in its back end', 'src/operations/x.ts', "import pg from 'pg';", /has pg/],
  ['the clock is read in one file', 'src/operations/x.ts', 'const now = Date.now();', /has Date\.now/],
  ['nor read by another name', 'src/operations/x.ts', 'const now = new Date();', /has new Date\(\)/],
  ['random numbers come from the system alone', 'src/core/x.ts', 'Math.random();', /has Math\.random/],
  ['random bytes too', 'src/operations/x.ts', "import { randomBytes } from 'node:crypto';", /has randomBytes/],
  [
    'the packages of sdk/ import nothing of the service',
    'sdk/client/src/x.ts',
    "import '../../../src/core/y.ts';",
    /may import nothing/,
  ],
  ...['sdk/client/src/x.ts', 'sdk/client/src/bin.ts'].map(
    (path): Broken => [`no dependency of ${path}`, path, "import { z } from 'zod';", /imports nothing from outside/],
  ),
  ...['src/operations/x.ts', 'src/lock-keyring.ts', 'src/cli/commands/x.ts', 'src/cli/commands/caller.ts'].map(
    (path): Broken => [
      `only the commands for callers use sdk/, by its entry alone, not ${path}`,
      path,
      `import '${'../'.repeat(path.split('/').length - 1)}sdk/client/src/y.ts';`,
      /not sdk\/client/,
    ],
  ),
  ['a folder without a row is refused', 'src/helpers/x.ts', '', /not in the import table/],
];

for (const [what, path, text, complaint] of BROKEN) {
  test(`the check finds ${what}`, () => assert.match(complaintOf(path, text), complaint));
}

test('the check finds an import cycle between files', () => {
  const other = { path: 'src/core/b.ts', text: "import { a } from './a.ts';" };
  assert.match(
    complaintOf('src/core/a.ts', "import type { B } from './b.ts';", other),
    /a\.ts → src\/core\/b\.ts → src\/core\/a\.ts/,
  );
});

test('comments and strings are not code', () => {
  assert.equal(
    complaintOf('src/core/x.ts', "// import { y } from '../http/y.ts', Date.now\nconst z = 'Math.random';"),
    '',
  );
});

test('imports over several lines are found', () => {
  const text = "import {\n  a,\n  type B,\n} from '../http/y.ts';";
  assert.match(complaintOf('src/core/x.ts', text), /src\/core may import nothing/);
});
