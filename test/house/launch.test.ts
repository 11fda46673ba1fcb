// The launcher, in a small project with a fake npm.
// Only in test:all: the test runner and the launcher
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { eventually } from '../eventually.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { ROOT, read } from './sources.ts';

const LOCK = JSON.stringify({ packages: { 'node_modules/tile': { version: '1.0.0' } } });

/** Records its arguments, waits a moment, then creates what npm would. */
const NPM = `#!/bin/sh
echo "$@" >> npm-calls
sleep 0.3
mkdir -p node_modules/tile node_modules/.bin
touch node_modules/.bin/node
cp package-lock.json node_modules/.package-lock.json
`;

const WITHOUT_EXECVE = 'delete process.execve;';
const AS = {
  'old-node': WITHOUT_EXECVE,
  'too-old-node': `${WITHOUT_EXECVE}Object.defineProperty(process,'versions',{value:{...process.versions,node:'20.20.2'}})`,
};

interface Project {
  readonly root: string;
  readonly npmCalls: () => string[];
  /** `as`: the machine has Node 20, which cannot replace its own process and is too old for the program. */
  readonly start: (options?: {
    as?: keyof typeof AS;
    env?: Readonly<Record<string, string>>;
    flags?: readonly string[];
  }) => ChildProcess;
}

function project(t: TestContext, { npm = NPM, main = '' } = {}): Project {
  const root = temporaryFolder('launch in');
  t.after(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(join(root, 'bin'));
  const filter = (path: string) => !path.endsWith('node_modules');
  cpSync(join(ROOT, 'runtime'), join(root, 'runtime'), { recursive: true, filter });
  writeFileSync(join(root, 'package-lock.json'), LOCK);
  writeFileSync(join(root, 'bin', 'npm'), npm);
  chmodSync(join(root, 'bin', 'npm'), 0o755);
  if (main) writeFileSync(join(root, 'main.ts'), main);
  const calls = join(root, 'npm-calls');
  return {
    root,
    npmCalls: () => (existsSync(calls) ? readFileSync(calls, 'utf8').trim().split('\n') : []),
    start: ({ as, env: more = {}, flags: own = [] } = {}) => {
      const flags = as ? ['--import', `data:text/javascript,${AS[as]}`] : [];
      const env = { ...process.env, PATH: `${join(root, 'bin')}${delimiter}${process.env['PATH']}`, ...more };
      return spawn(process.execPath, [...flags, join(root, 'runtime', 'launch.mjs'), ...own, 'main.ts', 'a b'], {
        env,
      });
    },
  };
}

async function ended(child: ChildProcess): Promise<{ code: number | null; signal: string | null; text: string }> {
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (part) => (text += String(part)));
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  return { code, signal, text };
}

const SHOUT = `console.log('arguments: ' + process.argv.slice(2)); process.exitCode = 7;`;

test('the first start installs and the second does not; arguments, exit code and paths with spaces work', async (t) => {
  const { start, npmCalls, root } = project(t, { main: SHOUT });
  const first = await ended(start());
  assert.equal(first.code, 7);
  assert.match(first.text, /installing[\s\S]*installed in[\s\S]*arguments: a b/);
  assert.ok(!existsSync(join(root, 'node_modules/.bin/node')), 'the pinned Node does not hide the machine’s own');
  const second = await ended(start({ as: 'old-node' }));
  assert.deepEqual([second.code, second.text], [7, 'arguments: a b\n']);
  assert.equal(npmCalls().length, 1);
});

test('parallel starts install once', async (t) => {
  const { start, npmCalls, root } = project(t, { main: SHOUT });
  const all = await Promise.all([start(), start(), start()].map(ended));
  assert.deepEqual(
    all.map(({ code }) => code),
    [7, 7, 7],
  );
  assert.equal(npmCalls().length, 1);
  assert.ok(!existsSync(join(root, '.installing')));
});

test('an install that another start has half recorded is not taken for complete', async (t) => {
  const { start, npmCalls, root } = project(t, { main: SHOUT });
  mkdirSync(join(root, 'node_modules'));
  writeFileSync(join(root, 'node_modules/.package-lock.json'), LOCK.slice(0, 9));
  assert.equal((await ended(start())).code, 7);
  assert.equal(npmCalls().length, 1);
});

test('a lock of a dead process is removed', async (t) => {
  const { start, root } = project(t, { main: SHOUT });
  const gone = spawn(process.execPath, ['--version']);
  await once(gone, 'close');
  writeFileSync(join(root, '.installing'), `${gone.pid}`);
  assert.equal((await ended(start())).code, 7);
});

test('a failed install says what to do and is retried at the next start', async (t) => {
  const { start, npmCalls } = project(t, { npm: NPM.replace(/sleep[\s\S]*/, 'exit 3\n'), main: SHOUT });
  for (const calls of [1, 2]) {
    const { code, text } = await ended(start());
    assert.equal(code, 1);
    assert.match(text, /npm could not install \(3\)[\s\S]*Without network/);
    assert.equal(npmCalls().length, calls);
  }
});

test('an interrupted install ends npm first, then says so', async (t) => {
  const { start, root } = project(t, { npm: NPM.replace('sleep 0.3', 'exec sleep 30'), main: SHOUT });
  const child = start();
  const end = ended(child);
  await eventually('npm runs', () => existsSync(join(root, 'npm-calls')));
  child.kill('SIGTERM');
  const { code, text } = await end;
  assert.equal(code, 143);
  assert.match(text, /interrupted while installing/);
  assert.ok(!existsSync(join(root, '.installing')));
});

test('a missing file is reported without a stack trace', async (t) => {
  const { code, text } = await ended(project(t).start());
  assert.equal(code, 1);
  assert.match(text, /main\.ts is not in this checkout yet/);
  assert.doesNotMatch(text, /^\s+at /m);
});

const STAY = `process.on('SIGTERM', () => process.exit(9)); setInterval(() => {}, 1000); console.log('up');`;

for (const as of [undefined, 'old-node'] as const) {
  test(`signals reach the program, and its exit code comes back (${as ?? 'this Node'})`, async (t) => {
    const { start, root } = project(t, { main: STAY });
    mkdirSync(join(root, 'node_modules', 'tile'), { recursive: true });
    writeFileSync(join(root, 'node_modules', '.package-lock.json'), LOCK);
    const child = start(as && { as });
    const end = ended(child);
    await once(child.stdout as NonNullable<ChildProcess['stdout']>, 'data');
    child.kill('SIGTERM');
    assert.equal((await end).code, 9);
  });
}

const GUARDED = `
const limits = require('node:fs').readFileSync('/proc/self/limits', 'utf8');
console.log(/Max core file size +(\\S+) +(\\S+)/.exec(limits).slice(1).join(' '), process.execArgv.join(' '));
process.kill(process.pid, 'SIGUSR1');
setTimeout(() => console.log('still here'), 200);`;

for (const as of [undefined, 'old-node'] as const) {
  test(`no core file and no debugger for a process that holds keys (${as ?? 'this Node'})`, async (t) => {
    const { start, root } = project(t, { main: GUARDED });
    mkdirSync(join(root, 'node_modules', 'tile'), { recursive: true });
    writeFileSync(join(root, 'node_modules', '.package-lock.json'), LOCK);
    const { text } = await ended(start(as && { as }));
    assert.match(text, /^0 0 --disable-sigusr1 --disable-warning=ExperimentalWarning$/m);
    assert.doesNotMatch(text, /Debugger listening/);
  });
}

test('the published command guards its process as the launcher does', () => {
  assert.match(read('src/cli/tessera'), /^ulimit -c 0$/m);
  assert.match(read('src/cli/tessera'), /exec node --disable-sigusr1 /);
});

const OPTIONS = `console.log(process.env.NODE_OPTIONS); console.log(require('node:v8').cachedDataVersionTag());`;

test('Node gets the options of the published command, and NODE_OPTIONS overrides them', async (t) => {
  const { start, root } = project(t, { main: OPTIONS });
  mkdirSync(join(root, 'node_modules', 'tile'), { recursive: true });
  writeFileSync(join(root, 'node_modules', '.package-lock.json'), LOCK);
  const [, published] = /^NODE_OPTIONS="(.*) \$NODE_OPTIONS" exec node /m.exec(read('src/cli/tessera')) ?? [];
  assert.ok(published);
  const { text } = await ended(start({ env: { NODE_OPTIONS: '--max-semi-space-size=8' } }));
  const [options, tag] = text.trim().split('\n');
  assert.equal(options, `${published} --max-semi-space-size=8`);
  const bare = spawnSync(process.execPath, ['-p', "require('node:v8').cachedDataVersionTag()"], { env: {} });
  assert.equal(
    tag,
    String(bare.stdout).trim(),
    'with these options, Node’s own modules need not be compiled at each start',
  );
});

const PACKAGE = `node_modules/node-${process.platform}-${process.arch}/bin`;
const LACKS_LIBATOMIC =
  'node: error while loading shared libraries: libatomic.so.1: cannot open shared object file: No such file or directory';

/** npm that brings a Node: `pinned` in the project, and one that works in the folder of the older one. */
const npmBringing = (pinned: string) => `${NPM}
mkdir -p ${PACKAGE}
case $PWD in */older-node) node='exec "${process.execPath}" "$@"';; *) node='${pinned}';; esac
printf '#!/bin/sh\\n%s\\n' "$node" > ${PACKAGE}/node
chmod +x ${PACKAGE}/node
`;

const SAY_NODE = `console.log('started'); process.exitCode = 7;`;

suite('with a Node that is too old for the program', () => {
  test('the pinned one is used', async (t) => {
    const npm = npmBringing(`echo pinned; exec "${process.execPath}" "$@"`);
    const { start, npmCalls } = project(t, { npm, main: SAY_NODE });
    const { code, text } = await ended(start({ as: 'too-old-node' }));
    assert.deepEqual([code, /pinned\nstarted\n$/.test(text), npmCalls().length], [7, true, 1], text);
  });

  test('and without libatomic, an older one is installed once, and the command that helps is named', async (t) => {
    const npm = npmBringing(`echo "${LACKS_LIBATOMIC}" >&2; exit 127`);
    const { start, root } = project(t, { npm, main: SAY_NODE });
    for (const isFirst of [true, false]) {
      const { code, text } = await ended(start({ as: 'too-old-node' }));
      assert.equal(code, 7, text);
      assert.match(text, /needs libatomic\.so\.1.*: apt-get install libatomic1\n/);
      assert.equal(/installing Node 24, once/.test(text), isFirst);
      assert.match(text, /started\n$/);
    }
    assert.equal(readFileSync(join(root, 'runtime/older-node/npm-calls'), 'utf8').split('\n').length, 2);
  });

  test('and a pinned one that does not start for another reason, it says which and ends', async (t) => {
    const npm = npmBringing('echo "version GLIBC_2.28 not found" >&2; exit 1');
    const { code, text } = await ended(project(t, { npm, main: SAY_NODE }).start({ as: 'too-old-node' }));
    assert.equal(code, 1);
    assert.match(text, /does not start: version GLIBC_2\.28 not found[\s\S]*Install Node 24 or newer/);
  });
});

test('development tools run on the pinned Node, also where the machine has a newer one that would do', async (t) => {
  const npm = npmBringing(`echo pinned; exec "${process.execPath}" "$@"`);
  const { start } = project(t, { npm, main: SAY_NODE });
  assert.match((await ended(start({ flags: ['--dev'] }))).text, /pinned\nstarted\n$/);
  assert.match((await ended(start())).text, /^started\n$/);
});
