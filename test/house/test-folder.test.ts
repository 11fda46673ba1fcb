// `npm test` leaves no file in the temporary folder and no process, however it ends.
// Only in test:all: the test runner and the launcher
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { ROOT } from './sources.ts';
import { addTest, HANGING_MS, project } from './test-project.ts';

const LITTER = `writeFileSync(process.env.TMPDIR + '/litter', '');`;
const ENDLESS = 'setInterval(() => {}, 1000); await new Promise(() => {});';

interface Place {
  readonly root: string;
  /** The temporary folder of the machine, as the run sees it. */
  readonly temporary: string;
  readonly command: readonly string[];
  readonly options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv };
}

function place(t: TestContext, body: string, ...flags: readonly string[]): Place {
  const root = project(t);
  const temporary = join(root, 'tmp');
  mkdirSync(temporary);
  addTest(root, 'one', body);
  const env = { ...process.env, TMPDIR: temporary, NODE_TEST_CONTEXT: undefined };
  const command = [join(root, 'runtime', 'test.mjs'), '--without-system-packages', ...flags, 'test/one.test.ts'];
  return { root, temporary, command, options: { cwd: root, env } };
}

function run({ command, options, temporary }: Place) {
  const { status, stderr } = spawnSync(process.execPath, command, {
    ...options,
    timeout: HANGING_MS,
    encoding: 'utf8',
  });
  return { status, stderr, left: readdirSync(temporary) };
}

test('a test file that leaves files behind fails the run, by its name, and they are removed', (t) => {
  const { status, stderr, left } = run(place(t, LITTER));
  assert.match(stderr, /test\/one\.test\.ts left files in the temporary folder: litter/);
  assert.deepEqual([status, left], [1, []]);
});

test('a tidy test passes, and so does what a test keeps for the next run', (t) => {
  const kept = `import { keptFolder, temporaryFolder } from ${JSON.stringify(join(ROOT, 'test/temporary-folder.ts'))};\n`;
  const made = place(t, '');
  const body = `test('one', () => { writeFileSync(temporaryFolder('own') + '/x', ''); keptFolder('kept', () => {}); });\n`;
  const imports = `import { writeFileSync } from 'node:fs';\nimport { test } from 'node:test';\n`;
  writeFileSync(join(made.root, 'test', 'one.test.ts'), imports + kept + body);
  const own = { ...made, options: { ...made.options, env: { ...made.options.env, TEST_KEPT_FOLDER: undefined } } };
  const { status, stderr, left } = run(own);
  assert.equal(status, 0, stderr);
  assert.deepEqual(left, [`tessera-kept-${process.getuid?.() ?? 0}`]);
});

test('a failed test, and one whose process is killed, leave nothing behind', (t) => {
  for (const end of [`throw new Error('no');`, `process.kill(process.pid, 'SIGKILL'); ${ENDLESS}`]) {
    const { status, left } = run(place(t, LITTER + end));
    assert.deepEqual([status, left], [1, []], end);
  }
});

/** A server that its test does not stop; its process number goes into a file. */
const STRAY = `
const { spawn } = await import('node:child_process');
const stray = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' });
stray.unref();
writeFileSync('stray', String(stray.pid));`;

function isAlive(root: string): boolean {
  const stat = join('/proc', readFileSync(join(root, 'stray'), 'utf8'), 'stat');
  return existsSync(stat) && !/\) Z /.test(readFileSync(stat, 'utf8'));
}

test('a test file that leaves a process behind fails the run, by its command, and it is ended', (t) => {
  const made = place(t, STRAY);
  const { status, stderr } = run(made);
  assert.match(stderr, /a test left this process, which was ended: sleep 600/);
  assert.deepEqual([status, isAlive(made.root)], [1, false]);
});

test('what a test left when it failed is ended before it runs again, and forgiven if it passes then', (t) => {
  const again = `if (existsSync('stray')) {
const { readFileSync } = await import('node:fs');
if (existsSync('/proc/' + readFileSync('stray') + '/exe')) throw new Error('it is still there');
return;
}`;
  const made = place(t, `${again} ${STRAY} throw new Error('no');`, '--retry-alone');
  const { status, stderr } = run(made);
  assert.match(stderr, /a test left this process, which was ended: sleep 600/);
  assert.match(stderr, /passed alone after failing/);
  assert.deepEqual([status, isAlive(made.root)], [0, false]);
});

test('a process of somebody else is left alone, also if it knows the folder', (t) => {
  const others = STRAY.replace(
    "stdio: 'ignore' }",
    "stdio: 'ignore', env: { PATH: process.env.PATH, OLDPWD: process.env.TMPDIR } }",
  );
  const made = place(t, others);
  const { status, stderr } = run(made);
  const wasLeftAlone = isAlive(made.root);
  process.kill(Number(readFileSync(join(made.root, 'stray'), 'utf8')));
  assert.deepEqual([status, wasLeftAlone], [0, true], stderr);
});

test('an aborted run ends the processes that its tests started', async (t) => {
  const { root, command, options } = place(t, `${STRAY} ${ENDLESS}`);
  const running = spawn(process.execPath, command, { ...options, stdio: 'ignore' });
  while (!existsSync(join(root, 'stray')) || readFileSync(join(root, 'stray'), 'utf8') === '') await pause(20);
  running.kill('SIGINT');
  await once(running, 'exit');
  assert.equal(isAlive(root), false);
});

test('--keep-files keeps the files, and prints where they are', (t) => {
  const { stderr, left } = run(place(t, LITTER, '--keep-files'));
  assert.equal(left.length, 1);
  assert.match(stderr, new RegExp(`the temporary files are in \\S*${left[0]}\n`));
});

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  test(`${signal} leaves nothing behind`, async (t) => {
    const { root, temporary, command, options } = place(t, `${LITTER} writeFileSync('begun', ''); ${ENDLESS}`);
    const running = spawn(process.execPath, command, { ...options, stdio: 'ignore' });
    while (!existsSync(join(root, 'begun'))) await pause(20);
    running.kill(signal);
    await once(running, 'exit');
    assert.deepEqual(readdirSync(temporary), []);
  });
}

test('a drill that is interrupted removes its folder', async (t) => {
  const { root, temporary, options } = place(t, '');
  const drill = join(root, 'drill.ts');
  const module = JSON.stringify(join(ROOT, 'test/temporary-folder.ts'));
  writeFileSync(
    drill,
    `const { temporaryFolder } = await import(${module}); temporaryFolder('drill'); setInterval(() => {}, 1000);`,
  );
  const running = spawn(process.execPath, [drill], { ...options, stdio: 'ignore' });
  while (readdirSync(temporary).length === 0) await pause(20);
  running.kill('SIGINT');
  assert.deepEqual(await once(running, 'exit'), [130, null]);
  assert.deepEqual(readdirSync(temporary), []);
});
