// What `npm test` leaves out on request, and the programs that it installs.
// Only in test:all: the test runner and the launcher
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../temporary-folder.ts';
import { ROOT, read, sourcesIn } from './sources.ts';
import { addTest, HANGING_MS, npmTest, project, tryNpmTest } from './test-project.ts';

/** The packages of runtime/needs.mjs. */
function packages(): string[] {
  const [, list = ''] = /\btests: \[\n([\s\S]*?)\n {2}\],/.exec(read('runtime/needs.mjs')) ?? [];
  return [...new Set([...list.matchAll(/^ {4}\['[^']+', '([^']+)'/gm)].map(([, name = '']) => name))];
}

test('CONTRIBUTING.md lists the Debian packages that npm test installs', () => {
  const [, listed = ''] = /as services: ([^.]+)\./.exec(read('CONTRIBUTING.md')) ?? [];
  assert.ok(packages().length > 5);
  assert.deepEqual(listed.split(/,\s+/), packages());
});

test('every such package is named by the modules that need it, and no other', () => {
  const sources = [...sourcesIn('test', '.ts'), ...sourcesIn('lab', '.ts')];
  const marked = sources.flatMap(({ text }) =>
    [...text.matchAll(/^\/\/ Needs: (.+)$/gm)].map(([, names = '']) => names),
  );
  const named = new Set(marked.flatMap((names) => names.split(', ')));
  assert.deepEqual([...named].sort(), packages().sort());
});

test('files run beside each other, not one after the other', (t) => {
  const root = project(t);
  const meet = (own: string, other: string) =>
    `writeFileSync('${own}', ''); while (!existsSync('${other}')) await new Promise((resolve) => setTimeout(resolve, 5));`;
  addTest(root, 'left', meet('left', 'right'));
  addTest(root, 'right', meet('right', 'left'));
  assert.match(npmTest(root, '--without-system-packages', 'test/left.test.ts', 'test/right.test.ts'), /^# pass 2$/m);
});

test('a failed test or a file that cannot be loaded fails the run', (t) => {
  for (const body of [`throw new Error('no')`, 'process.exit(7)', '}); import "./absent.ts"; ({']) {
    const root = project(t);
    addTest(root, 'broken', body);
    const { status, printed } = tryNpmTest(root, '--without-system-packages', 'test/broken.test.ts');
    assert.equal(status, 1, printed);
  }
});

test('--retry-alone runs failed files again, and names those that pass then', (t) => {
  const root = project(t);
  addTest(
    root,
    'shy',
    `const first = !existsSync('seen'); writeFileSync('seen', ''); if (first) throw new Error('no');`,
  );
  const printed = npmTest(root, '--without-system-packages', '--retry-alone', 'test/shy.test.ts');
  assert.match(printed, /passed alone after failing beside other tests: test\/shy\.test\.ts/);
  addTest(root, 'broken', `throw new Error('no')`);
  const both = ['test/shy.test.ts', 'test/broken.test.ts'];
  assert.equal(tryNpmTest(root, '--without-system-packages', '--retry-alone', ...both).status, 1);
});

test('tests are chosen by file, folder, pattern or title; a name without tests is refused', (t) => {
  const root = project(t);
  for (const name of ['test/e2e', 'test/e2e/slow.test.ts', 'test/e2e/*.test.ts'])
    assert.match(npmTest(root, '--without-system-packages', name), /^# tests 1$/m, name);
  addTest(root, 'other', '');
  assert.match(npmTest(root, '--without-system-packages', '--test-name-pattern=other'), /^ok \d+ - other$/m);
  const { status, printed } = tryNpmTest(root, '--without-system-packages', 'test/absent.test.ts');
  assert.equal(status, 1);
  assert.match(printed, /there is no test test\/absent\.test\.ts/);
});

test('the files that npm test starts first exist', async () => {
  const { LONGEST } = (await import('../../runtime/choose-tests.mjs' as string)) as { LONGEST: readonly string[] };
  assert.ok(LONGEST.length > 5);
  assert.deepEqual(
    LONGEST.filter((file) => !existsSync(join(ROOT, file))),
    [],
  );
});

test('--without-system-packages skips the tests of a missing program, visibly and counted', (t) => {
  const printed = npmTest(project(t), '--without-system-packages');
  assert.match(printed, /test\/proxied\.test\.ts # SKIP needs caddy: not installed/);
  assert.match(printed, /^# pass 2\n[\s\S]*^# skipped 1$/m);
  assert.match(printed, /skipped for missing programs: 1 test files/);
  assert.doesNotMatch(printed, /installing/);
});

test('npm test leaves out files that say so, with their reason; test:all runs them, whole, as the rest or in parts', (t) => {
  const root = project(t);
  addTest(root, 'long', '\n// Only in test:all: drill\n');
  const without = (...flags: string[]) => npmTest(root, '--without-system-packages', ...flags);
  const printed = without();
  assert.match(printed, /3 of 4 test files; npm run test:all has the others: drill \(1\)/);
  assert.match(printed, /^# pass 2$/m);
  assert.match(without('--all'), /^# pass 3$/m);
  assert.match(without('--all', '--rest'), /^ok 1 - long$[\s\S]*^# pass 1$/m);
  assert.match(without('test/long.test.ts'), /^ok 1 - long$/m, 'it runs if it is named');
  const ran = ['1/2', '2/2'].map((shard) => [...without('--all', `--shard=${shard}`).matchAll(/^ok \d+ - (\S+)/gm)]);
  assert.equal(ran.flat().length, 4, 'with the skipped one');
  assert.ok(ran.every(({ length }) => length > 0));
  for (const shard of ['3/2', '0/2', 'x'])
    assert.match(tryNpmTest(root, '--all', `--shard=${shard}`).printed, /such as 1\/3/, shard);
});

/** Fails twice on a lock of another apt, then works. */
const APT = `#!/bin/sh
echo "$@" >> calls
[ "$(/usr/bin/wc -l < calls)" -gt 2 ] && exit 0
echo 'E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 7 (apt-get)' >&2
exit 100
`;

test('while another apt works, the install waits for it', (t) => {
  const root = project(t);
  mkdirSync(join(root, 'bin'));
  writeFileSync(join(root, 'bin', 'apt-get'), APT);
  chmodSync(join(root, 'bin', 'apt-get'), 0o755);
  const code = `import { apt } from ${JSON.stringify(join(root, 'runtime/needs.mjs'))}; process.exit(await apt('install', 'x') ? 0 : 1)`;
  const options = { cwd: root, env: { PATH: join(root, 'bin') }, encoding: 'utf8' } as const;
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', code], options);
  assert.equal(stderr, 'tessera: another apt is at work; waiting for it …\n');
  assert.equal(status, 0);
  assert.equal(readFileSync(join(root, 'calls'), 'utf8').trim().split('\n').length, 3);
});

test('a test file whose process does not end fails the run, by its name', (t) => {
  const root = temporaryFolder('hanging');
  t.after(() => rmSync(root, { recursive: true, force: true }));
  writeFileSync(
    join(root, 'hangs.test.mjs'),
    "import { test } from 'node:test'; test('one', () => {}); setInterval(() => {}, 1000);",
  );
  const starter = join(root, 'start.mjs');
  writeFileSync(
    starter,
    `import { runTests } from ${JSON.stringify(join(ROOT, 'runtime/run-tests.mjs'))};
    const { isPassed } = await runTests(import.meta.dirname, ['hangs.test.mjs'], [], { longestWaitMs: 1000 });
    process.exit(isPassed ? 0 : 9);`,
  );
  const environment = { ...process.env };
  delete environment['NODE_TEST_CONTEXT']; // a runner inside a test would only report to the outer one
  const { status, stdout, stderr } = spawnSync(process.execPath, [starter], {
    encoding: 'utf8',
    env: environment,
    timeout: HANGING_MS,
  });
  assert.equal(status, 9, stdout);
  assert.match(stderr, /no test ended[\s\S]*hangs\.test\.mjs/, stdout);
});
