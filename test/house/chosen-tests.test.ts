// What `npm test` leaves out on request, and the programs that it installs.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { ROOT, read, sourcesIn } from './sources.ts';

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

/** A project with three tests: a plain one, a slow one, and one that needs a program that is not there. */
function project(t: TestContext): string {
  const root = mkdtempSync(join(tmpdir(), 'tessera-chosen-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  cpSync(join(ROOT, 'runtime'), join(root, 'runtime'), { recursive: true });
  mkdirSync(join(root, 'test', 'e2e'), { recursive: true });
  const claim = `import { test } from 'node:test'; test('runs', () => {});\n`;
  writeFileSync(join(root, 'test', 'plain.test.ts'), claim);
  writeFileSync(join(root, 'test', 'e2e', 'slow.test.ts'), claim);
  writeFileSync(join(root, 'test', 'proxy.ts'), '// A proxy.\n// Needs: caddy\nexport const PROXY = 1;\n');
  writeFileSync(join(root, 'test', 'proxied.test.ts'), `import { PROXY } from './proxy.ts';\n${claim}void PROXY;\n`);
  return root;
}

function npmTest(root: string, ...flags: readonly string[]): string {
  const args = [join(root, 'runtime', 'test.mjs'), '--test-reporter=tap', ...flags];
  // No program is found but those in bin/. NODE_TEST_CONTEXT would make the inner run report to the outer one.
  const env = { PATH: join(root, 'bin'), NODE_TEST_CONTEXT: undefined };
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, env, encoding: 'utf8' });
  assert.equal(status, 0, stdout + stderr);
  return stdout + stderr;
}

test('--without-system-packages skips the tests of a missing program, visibly and counted', (t) => {
  const printed = npmTest(project(t), '--without-system-packages');
  assert.match(printed, /test\/proxied\.test\.ts # SKIP needs caddy: not installed/);
  assert.match(printed, /^# pass 2\n[\s\S]*^# skipped 1$/m);
  assert.match(printed, /skipped for missing programs: 1 test files/);
  assert.doesNotMatch(printed, /installing/);
});

test('--quick leaves out what is slow or needs a program, and says so', (t) => {
  const printed = npmTest(project(t), '--quick');
  assert.match(printed, /quick: 1 of 3 test files/);
  assert.match(printed, /the whole service over the network: test\/e2e\/slow\.test\.ts/);
  assert.match(printed, /programs of Debian: test\/proxied\.test\.ts/);
  assert.match(printed, /^# pass 1$/m);
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
