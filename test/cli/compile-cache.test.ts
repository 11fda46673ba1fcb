// Only in test:all: the test runner and the launcher
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { temporaryFolder } from '../temporary-folder.ts';

const MAIN = join(import.meta.dirname, '../../src/cli/main.ts');

function folderOf(t: TestContext): string {
  const folder = temporaryFolder('cache');
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs a command with only these variables of ours. */
function start(env: Readonly<Record<string, string>>): void {
  run([MAIN, '--version'], env);
}

/** The folder that a process uses. It loads no more than this takes, since nothing is cached. */
function cacheUsed(env: Readonly<Record<string, string>>): string {
  return run(['--input-type=module', '--eval', TELL], env);
}

const TELL = `
  import { getCompileCacheDir } from 'node:module';
  const { useCompileCache } = await import(${JSON.stringify(import.meta.resolve('../../src/cli/compile-cache.ts'))});
  useCompileCache();
  console.log(getCompileCacheDir() ?? 'none');`;

function run(args: readonly string[], env: Readonly<Record<string, string>>): string {
  const { PATH } = process.env;
  const options = { env: { PATH, ...env }, encoding: 'utf8' } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, args, options);
  assert.deepEqual([status, stderr], [0, '']);
  return stdout.trim();
}

/** Files below a folder, however deep. */
function filesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [];
}

test('compiled code is cached in a private folder of the user', (t) => {
  const home = folderOf(t);
  start({ HOME: home });
  const cache = join(home, '.cache', 'tessera');
  assert.equal(statSync(cache).mode & 0o777, 0o700);
  assert.ok(filesIn(cache).length > 10);
});

test('the cache is in the system’s cache folder if one is set', (t) => {
  const folder = folderOf(t);
  const [HOME, XDG_CACHE_HOME, CACHE_DIRECTORY] = [join(folder, 'home'), join(folder, 'xdg'), join(folder, 'systemd')];
  assert.equal(dirname(cacheUsed({ HOME, XDG_CACHE_HOME })), join(XDG_CACHE_HOME, 'tessera'));
  rmSync(XDG_CACHE_HOME, { recursive: true });
  assert.equal(dirname(cacheUsed({ HOME, XDG_CACHE_HOME, CACHE_DIRECTORY })), join(CACHE_DIRECTORY, 'tessera'));
  assert.deepEqual(readdirSync(folder), ['systemd']);
});

test('NODE_COMPILE_CACHE overrides the folder, and NODE_DISABLE_COMPILE_CACHE disables the cache', (t) => {
  const folder = folderOf(t);
  start({ HOME: join(folder, 'home'), NODE_COMPILE_CACHE: join(folder, 'named') });
  assert.deepEqual(readdirSync(folder), ['named']);
  start({ HOME: join(folder, 'home'), NODE_DISABLE_COMPILE_CACHE: '1' });
  assert.deepEqual(filesIn(join(folder, 'home', '.cache', 'tessera')), []);
});

// Cached code runs as this user: a folder that others can write to is not used.
const UNSAFE: [what: string, spoil: (caches: string) => void][] = [
  ['that others may write', (caches) => chmodSync(join(caches, 'tessera'), 0o777)],
  ['that its group may write', (caches) => chmodSync(join(caches, 'tessera'), 0o770)],
  ['in a folder that others may write', (caches) => chmodSync(caches, 0o777)],
  [
    'that is a link to such a one',
    (caches) => {
      rmSync(join(caches, 'tessera'), { recursive: true });
      mkdirSync(join(caches, 'shared'));
      chmodSync(join(caches, 'shared'), 0o777);
      symlinkSync(join(caches, 'shared'), join(caches, 'tessera'));
    },
  ],
];

for (const [what, spoil] of UNSAFE) {
  test(`a folder ${what} is not used`, (t) => {
    const caches = folderOf(t);
    mkdirSync(join(caches, 'tessera'));
    spoil(caches);
    assert.equal(cacheUsed({ XDG_CACHE_HOME: caches }), 'none');
  });
}

test('a folder of another user is not used', {
  skip: process.getuid?.() !== 0 && 'only root can give one away',
}, (t) => {
  const caches = folderOf(t);
  mkdirSync(join(caches, 'tessera'), { mode: 0o700 });
  spawnSync('chown', ['65534', join(caches, 'tessera')]);
  assert.equal(cacheUsed({ XDG_CACHE_HOME: caches }), 'none');
});

test('a command works without a usable cache folder', (t) => {
  const folder = folderOf(t);
  chmodSync(folder, 0o500);
  start({ HOME: '/dev/null' });
  start({ XDG_CACHE_HOME: join(folder, 'none') });
});
