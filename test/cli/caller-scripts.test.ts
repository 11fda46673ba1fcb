// The commands for callers in scripts: exit codes, a full disk, and surroundings without a home.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { temporaryFolder } from '../temporary-folder.ts';
import { commandEnvironment, TESSERA } from './command.ts';

const CLIENT = new URL('../../sdk/client/src/bin.ts', import.meta.url).pathname;

/** Nothing listens there: a fresh token needs no server. */
const SERVER = 'http://127.0.0.1:9';

suite('tessera for scripts', () => {
  const home = temporaryFolder('caller scripts');
  before(() => {
    const put = (folder: string, name: string, content: object) => {
      mkdirSync(join(home, folder), { recursive: true, mode: 0o700 });
      writeFileSync(join(home, folder, name), JSON.stringify(content), { mode: 0o600 });
    };
    const owner = { server: SERVER, clientId: 'orders-sync' };
    for (const name of ['default', 'of-this-folder'])
      put('.config/tessera/profiles', `${name}.json`, { ...owner, by: 'device' });
    const times = { obtainedAt: Date.now(), expiresAt: Date.now() + 600_000 };
    const tokens = { ...owner, accessToken: 'A1', scope: 'orders:read', ...times };
    put('.local/state/tessera/tokens', 'orders-sync@127.0.0.1%3A9.json', tokens);
    put('.config/tessera/profiles', 'hostile.json', { ...owner, by: 'device' });
    const hostile = { ...tokens, scope: 'a\u001b[2Jb\u202ec' };
    put('.local/state/tessera/tokens', 'orders-sync@127.0.0.1%3A9@hostile.json', hostile);
  });
  after(() => rmSync(home, { recursive: true, force: true }));

  function tessera(args: readonly string[], more: { env?: NodeJS.ProcessEnv; stdout?: number } = {}) {
    const env = commandEnvironment({ HOME: home, ...more.env });
    const stdio = ['ignore', more.stdout ?? 'pipe', 'pipe'] as const;
    return spawnSync(process.execPath, [TESSERA, ...args], { cwd: home, env, stdio: [...stdio], encoding: 'utf8' });
  }

  test('token prints the token and a line break, and nothing else', () => {
    const { status, stdout, stderr } = tessera(['token']);
    assert.deepEqual([status, stdout, stderr], [0, 'A1\n', '']);
  });

  test('exec ends with 127 if there is no such program, and with 126 if it cannot be run, as shells do', () => {
    const missing = tessera(['exec', '--', './no such program']);
    assert.equal(missing.status, 127);
    assert.match(missing.stderr, /^tessera: cannot run .\/no such program: there is no such program\n/);
    writeFileSync(join(home, 'text'), 'no program', { mode: 0o600 });
    assert.equal(tessera(['exec', '--', './text']).status, 126);
  });

  test('exec gives the program the token, no other variable of ours, and all of others', () => {
    const ours = { TESSERA_KEYRING: 'secret', TESSERA_STORE: 'postgres://u:secret@db', TESSERA_PROFILE: 'default' };
    const others = { MY_TESSERA_ORDER: 'a b=c', TESSERACT: '4' };
    const { stdout } = tessera(['exec', '--', 'sh', '-c', 'env | grep TESSERA | sort'], {
      env: { ...ours, ...others },
    });
    assert.equal(stdout, 'MY_TESSERA_ORDER=a b=c\nTESSERACT=4\nTESSERA_TOKEN=A1\n');
  });

  for (const program of [TESSERA, CLIENT])
    test(`what a server said of its scope cannot control the terminal (${program.includes('sdk') ? 'tessera-client' : 'tessera'})`, () => {
      const env = commandEnvironment({ HOME: home });
      const args = [program, 'whoami', '--profile', 'hostile'];
      const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: home, env, encoding: 'utf8' });
      assert.equal(status, 0, stderr);
      assert.match(stdout, /scope +a\?\[2Jb\?c\n/);
      assert.doesNotMatch(stdout, /[^\P{C}\n]/u);
    });

  test('exec ends with the signal of the program', () => {
    assert.equal(tessera(['exec', '--', 'sh', '-c', 'kill -TERM $$']).status, 128 + 15);
  });

  test('a result that cannot be written is an error that says so', () => {
    const full = openSync('/dev/full', 'w');
    const { status, stderr } = tessera(['token'], { stdout: full });
    closeSync(full);
    assert.equal(status, 1);
    assert.match(stderr, /^tessera: cannot write the result: ENOSPC/);
  });

  for (const env of [{ HOME: '' }, { HOME: 'relative' }, { HOME: '/nowhere', XDG_CONFIG_HOME: '.config' }])
    test(`${JSON.stringify(env)}: a profile in the working folder is not used`, () => {
      const { status, stdout, stderr } = tessera(['token', '--profile', 'of-this-folder'], {
        env: { ...env, XDG_STATE_HOME: join(home, '.local/state') },
      });
      assert.deepEqual([status, stdout], [8, '']);
      assert.match(stderr, /^tessera: you are not logged in/);
    });
});
