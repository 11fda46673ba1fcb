// Test files that share a process: none is affected by another, and each is named by what it does wrong.
// Only in test:all: the test runner and the launcher
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { sourcesIn } from './sources.ts';
import { project, tryNpmTest } from './test-project.ts';

const IMPORTS = `import assert from 'node:assert/strict';
import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { before, beforeEach, mock, test } from 'node:test';
`;

/** A project whose test/core has these files, by name. They run in this order, in one process. */
function sharing(t: TestContext, files: Readonly<Record<string, string>>): string {
  const root = project(t);
  mkdirSync(join(root, 'test', 'core'));
  for (const [name, body] of Object.entries(files))
    writeFileSync(join(root, 'test', 'core', `${name}.test.ts`), `${IMPORTS}${body}\n`);
  return root;
}

const run = (root: string, ...flags: readonly string[]) =>
  tryNpmTest(root, '--without-system-packages', ...flags, 'test/core');

const NOTE = `appendFileSync('pids', process.pid + '\\n');`;
const NOTE_PROCESS = `test('runs', () => { ${NOTE} });`;
const pidsOf = (root: string) => readFileSync(join(root, 'pids'), 'utf8').trim().split('\n');
const SLOW = 'await new Promise((resolve) => setTimeout(resolve, 20));';

test('files share a process, unless they or a module they import say that they need their own; each is timed', (t) => {
  const root = sharing(t, {
    a: NOTE_PROCESS,
    b: NOTE_PROCESS,
    c: `// Own process: a reason\n${NOTE_PROCESS}`,
    d: `import { X } from '../alone.ts';\nvoid X;\n${NOTE_PROCESS}`,
  });
  writeFileSync(join(root, 'test', 'alone.ts'), '// A module.\n// Own process: a reason\nexport const X = 1;\n');
  const { status, printed } = run(root);
  assert.equal(status, 0, printed);
  assert.equal(new Set(pidsOf(root)).size, 3);
  for (const name of ['a', 'b', 'c', 'd']) assert.match(printed, new RegExp(` s {2}test/core/${name}\\.test\\.ts\n`));
});

test('files that use the same program run in one process, beside the others', (t) => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l'];
  const using = ['b', 'f', 'k'];
  const note = (name: string) => `appendFileSync('pids', '${name} ' + process.pid + '\\n');`;
  const slow = (name: string) => `test('runs', async () => { ${note(name)} ${SLOW.repeat(5)} });`;
  const bodyOf = (name: string) =>
    using.includes(name) ? `import { X } from '../program.ts';\nvoid X;\n${slow(name)}` : slow(name);
  const root = sharing(t, Object.fromEntries(names.map((name) => [name, bodyOf(name)])));
  writeFileSync(
    join(root, 'test', 'program.ts'),
    '// A module.\n// Once per process: a program\nexport const X = 1;\n',
  );
  const { status, printed } = run(root);
  assert.equal(status, 0, printed);
  const pids = new Map(pidsOf(root).map((line) => line.split(' ') as [string, string]));
  assert.equal(pids.size, names.length);
  assert.equal(new Set(pids.values()).size, 2);
  assert.equal(new Set(using.map((name) => pids.get(name))).size, 1);
});

test('flags that choose tests work as for single files', (t) => {
  const root = sharing(t, { a: `test('one', () => {}); test('two', () => {});`, b: `test('three', () => {});` });
  const { printed } = run(root, '--test-name-pattern=two');
  assert.match(printed, /^ok 1 - two$/m);
  assert.doesNotMatch(printed, /one|three/);
});

test('a file begins after the tests and hooks of the one before, and is not affected by what that one changed', (t) => {
  const root = sharing(t, {
    a: `import { after } from 'node:test';
        before(() => { process.env.LEFT = '1'; process.env.PATH = 'changed'; });
        after(async () => { ${SLOW} appendFileSync('order', 'hook '); process.chdir('/'); });
        beforeEach((t) => { if (t.name === 'three') throw new Error('a hook of another file'); });
        mock.method(Math, 'random', () => 7);
        test('one', async () => { ${SLOW} appendFileSync('order', 'one '); });
        test('two', async () => { ${SLOW} appendFileSync('order', 'two '); });`,
    b: `appendFileSync('order', 'next');
        test('three', () => {
          assert.deepEqual([process.env.LEFT, process.env.PATH === 'changed'], [undefined, false]);
          assert.notEqual(Math.random(), 7);
        });`,
  });
  const { status, printed } = run(root);
  assert.equal(status, 0, printed);
  assert.equal(readFileSync(join(root, 'order'), 'utf8'), 'one two hook next');
});

test('--retry-alone runs only the failed files again, each in its own process', (t) => {
  const first = `const first = !existsSync('seen'); writeFileSync('seen', '');`;
  const root = sharing(t, {
    a: NOTE_PROCESS,
    absent: `if (!existsSync('seen')) await import('./absent.ts');\n${NOTE_PROCESS}`,
    b: `test('shy', () => { ${NOTE} ${first} assert.ok(!first); });`,
    c: NOTE_PROCESS,
  });
  const { status, printed } = run(root, '--retry-alone');
  assert.equal(status, 0, printed);
  assert.match(printed, /failed, run once more alone: test\/core\/absent\.test\.ts, test\/core\/b\.test\.ts\n/);
  const pids = pidsOf(root);
  assert.deepEqual([pids.length, new Set(pids).size], [5, 3]);
});

test('a file that ends the process, and those after it, fail the run by their names', (t) => {
  const root = sharing(t, { a: NOTE_PROCESS, b: `test('b', () => process.exit(0));`, c: NOTE_PROCESS });
  const { status, printed } = run(root, '--retry-alone');
  assert.equal(status, 1, printed);
  assert.match(printed, /failed, run once more alone: .*test\/core\/b\.test\.ts, test\/core\/c\.test\.ts\n/);
});

test('a file without a test fails the run by its name: the runner ignores tests that it does not know to belong to the file', (t) => {
  const { status, printed } = run(sharing(t, { a: NOTE_PROCESS, b: '', c: NOTE_PROCESS }));
  assert.equal(status, 1, printed);
  assert.deepEqual(printed.match(/^.*no test ran$/gm), ['tessera: test/core/b.test.ts: no test ran']);
});

test('an error after the last test of a file fails the run', (t) => {
  const late = `test('late', () => { setTimeout(() => { throw new Error('late'); }, 50); });`;
  const root = sharing(t, { a: late, b: `test('waits', async () => { ${SLOW.repeat(5)} });` });
  const { status, printed } = run(root);
  assert.equal(status, 1);
  assert.match(printed, /Test "late" at test\/core\/a\.test\.ts/);
});

test('a file that leaves a clock or chance replaced fails the run, and no later file has it', (t) => {
  const twice = `test('twice', () => { for (const n of [1, 2]) mock.method(Math, 'random', () => n); });`;
  const later = `test('later', () => { if (Math.random() >= 1) throw new Error('replaced'); });`;
  const { status, printed } = run(sharing(t, { a: twice, b: later, c: NOTE_PROCESS }));
  assert.equal(status, 1);
  assert.match(printed, /a\.test\.ts leaves random replaced/);
  assert.doesNotMatch(printed, /✖ later/);
});

test('files left in the temporary folder are reported with the name of the file that left them', (t) => {
  const litter = `test('litters', () => writeFileSync(process.env.TMPDIR + '/litter', ''));`;
  const { status, printed } = run(sharing(t, { a: NOTE_PROCESS, b: litter, c: NOTE_PROCESS }));
  assert.equal(status, 1);
  assert.deepEqual(printed.match(/^.* left files .*$/gm), [
    'tessera: test/core/b.test.ts left files in the temporary folder: litter',
  ]);
});

test('a module that defines hooks when it is loaded says that it needs its own process', () => {
  const modules = sourcesIn('test', '.ts').filter(({ path }) => !path.endsWith('.test.ts'));
  const hooking = modules.filter(({ text }) => /^(after|before|afterEach|beforeEach)\(/m.test(text));
  assert.ok(hooking.length > 0);
  const silent = hooking.filter(({ text }) => !/^\/\/ Own process: /m.test(text)).map(({ path }) => path);
  assert.deepEqual(silent, [], 'in a shared process, such hooks would run after the first file that loads the module');
});
