// The commands for callers in scripts: exit codes, a full disk, and surroundings without a home.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, constants, mkdirSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { commandEnvironment, TESSERA } from '../../cli/command.ts';
import { read } from '../../house/sources.ts';
import { temporaryFolder } from '../../temporary-folder.ts';

const CLIENT = new URL('../../../sdk/client/src/bin.ts', import.meta.url).pathname;

/** Nothing listens there: a fresh token needs no server. */
const SERVER = 'http://127.0.0.1:9';

const PROGRAMS = { tessera: TESSERA, 'tessera-client': CLIENT };

suite('the commands for callers in scripts', () => {
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

  const ran = (
    name: keyof typeof PROGRAMS,
    args: readonly string[],
    more: { env?: Record<string, string>; stdout?: number } = {},
  ) => {
    const env = commandEnvironment({ HOME: home, ...more.env });
    const stdio = ['ignore', more.stdout ?? 'pipe', 'pipe'] as const;
    return spawnSync(process.execPath, [PROGRAMS[name], ...args], {
      cwd: home,
      env,
      stdio: [...stdio],
      encoding: 'utf8',
    });
  };

  for (const name of ['tessera', 'tessera-client'] as const) {
    test(`${name} token prints the token and a line break, and nothing else`, () => {
      const { status, stdout, stderr } = ran(name, ['token']);
      assert.deepEqual([status, stdout, stderr], [0, 'A1\n', '']);
    });

    test(`${name} exec ends with 127 if there is no such program, and with 126 if it cannot be run, as shells do`, () => {
      const missing = ran(name, ['exec', '--', './no such program']);
      assert.equal(missing.status, 127);
      assert.match(missing.stderr, RegExp(`^${name}: cannot run ./no such program: there is no such program\n`));
      writeFileSync(join(home, 'text'), 'no program', { mode: 0o600 });
      const text = ran(name, ['exec', '--', './text']);
      assert.deepEqual(
        [text.status, text.stderr.split('\n')[0]],
        [126, `${name}: cannot run ./text: it cannot be run`],
      );
    });

    test(`${name}: a result that cannot be written is an error that says so`, () => {
      const full = openSync('/dev/full', 'w');
      const { status, stderr } = ran(name, ['token'], { stdout: full });
      closeSync(full);
      assert.deepEqual(
        [status, stderr.split(',')[0]],
        [1, `${name}: cannot write the result: ENOSPC: no space left on device`],
      );
      assert.match(stderr, /\n {2}Check where the output goes\.\n$/);
    });

    test(`${name}: a reader that has left (| head) is no error`, () => {
      const pipe = join(home, `pipe of ${name}`);
      execFileSync('mkfifo', [pipe]);
      const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
      const stdout = openSync(pipe, 'w');
      closeSync(reader);
      const { status, stderr } = ran(name, ['token'], { stdout });
      closeSync(stdout);
      assert.deepEqual([status, stderr], [0, '']);
    });
  }

  test('tessera-client profile list says that there is none', () => {
    const { stdout } = ran('tessera-client', ['profile', 'list'], { env: { XDG_CONFIG_HOME: join(home, 'none') } });
    assert.equal(stdout, 'PROFILE  SERVER  CLIENT ID  BY  SCOPE  STATE\n(none)\n');
  });

  test('tessera-client exec gives the program the token, no other variable of ours, and all of others', () => {
    const ours = { TESSERA_KEYRING: 'secret', TESSERA_STORE: 'postgres://u:secret@db', TESSERA_PROFILE: 'default' };
    const others = { MY_TESSERA_ORDER: 'a b=c', TESSERACT: '4' };
    const { stdout } = ran('tessera-client', ['exec', '--', 'sh', '-c', 'env | grep TESSERA | sort'], {
      env: { ...ours, ...others },
    });
    assert.equal(stdout, 'MY_TESSERA_ORDER=a b=c\nTESSERACT=4\nTESSERA_TOKEN=A1\n');
  });

  test('tessera-client exec ends with the code of the program, or with its signal', () => {
    assert.equal(ran('tessera-client', ['exec', '--', 'sh', '-c', 'exit 3']).status, 3);
    assert.equal(ran('tessera-client', ['exec', '--', 'sh', '-c', 'kill -TERM $$']).status, 128 + 15);
  });

  test('tessera-client: what a server said of its scope cannot control the terminal', () => {
    const { status, stdout, stderr } = ran('tessera-client', ['whoami', '--profile', 'hostile']);
    assert.equal(status, 0, stderr);
    assert.match(stdout, /scope +a\?\[2Jb\?c\n/);
    assert.doesNotMatch(stdout, /[^\P{C}\n]/u);
  });

  for (const env of [{ HOME: '' }, { HOME: 'relative' }, { HOME: '/nowhere', XDG_CONFIG_HOME: '.config' }])
    test(`tessera-client: ${JSON.stringify(env)}: a profile in the working folder is not used`, () => {
      const { status, stdout, stderr } = ran('tessera-client', ['token', '--profile', 'of-this-folder'], {
        env: { ...env, XDG_STATE_HOME: join(home, '.local/state') },
      });
      assert.deepEqual([status, stdout], [8, '']);
      assert.match(stderr, /^tessera-client: you are not logged in/);
    });

  const client = (line: string) => {
    const options = { env: commandEnvironment({ HOME: home }), encoding: 'utf8' } as const;
    const args = [CLIENT, ...line.split(' ').filter(Boolean)];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, options);
    return { status, stdout, stderr };
  };

  const WRONG: readonly (readonly [args: string, what: string, see: string])[] = [
    ['', 'the command is missing', ''],
    ['nothing at all', "unknown command 'nothing at all'", ''],
    ['profile', "unknown command 'profile'", ''],
    ['token --no', "Unknown option '--no'", ' token'],
    ['token more', "Unexpected argument 'more'. This command does not take positional arguments", ' token'],
    ['login --profile new --client-id x', '--server is missing', ' login'],
    ['exec', "missing required argument '<command...>'", ' exec'],
    ['profile remove', "missing required argument '<name>'", ' profile remove'],
    ['profile remove one two', "unexpected argument 'two'", ' profile remove'],
  ];
  for (const [args, what, see] of WRONG)
    test(`tessera-client ${args} is wrong usage, and says where to look`, () => {
      const stderr = `tessera-client: ${what}\n  See: tessera-client${see} --help\n`;
      assert.deepEqual(client(args), { status: 2, stdout: '', stderr });
    });

  test('tessera-client ends with 9 if the service is away', () => {
    assert.equal(client(`login --profile away --server ${SERVER} --client-id x --device`).status, 9);
  });

  test('with --json, tessera-client fails with an object; what follows -- is of the program', () => {
    const login = 'tessera-client login --profile none --server … --client-id …';
    const { stderr, ...rest } = client('token --profile none --json');
    assert.deepEqual(rest, { status: 8, stdout: '' });
    const error = { code: 'login', message: 'you are not logged in', remedy: `Do: ${login}` };
    assert.deepEqual(JSON.parse(stderr), { error });
    assert.match(client('exec --profile none -- ls --json --help --version').stderr, /^tessera-client: you are not/);
  });

  test('tessera-client explains itself and each of its commands', () => {
    const { version } = JSON.parse(read('sdk/client/package.json')) as { version: string };
    assert.deepEqual(client('--version'), { status: 0, stdout: `${version}\n`, stderr: '' });
    const { stdout } = client('--help');
    assert.equal(client('help').stdout, stdout);
    const commands = [...stdout.matchAll(/^ {2}(\S+(?: \w+)?) {2,}\S/gm)].map(([, name]) => name);
    assert.deepEqual(commands, ['login', 'token', 'whoami', 'logout', 'exec', 'profile list', 'profile remove']);
    assert.match(
      stdout,
      /^Usage: tessera-client COMMAND \[options\]\n\nCommands:\n.*\n\nSee: tessera-client COMMAND --help\n$/s,
    );
    for (const name of commands) {
      const explained = RegExp(`^Usage: tessera-client ${name} .*Examples:\n {2}\\$ `, 's');
      assert.match(client(`${name} --help`).stdout, explained);
    }
    const lines = client('exec --help').stdout.split('\n');
    assert.equal(lines[0], 'Usage: tessera-client exec [options] <command...>');
    assert.deepEqual([lines[4]?.indexOf('the program'), lines[5]?.indexOf('which login')], [20, 20]);
  });
});
