// The commands for callers, against the real service.
// Needs: python3
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import type { ClientId } from '../../../src/core/integration.ts';
import { grants, grantsOf } from '../../../src/store/tables/grants.ts';
import { commandEnvironment, TESSERA } from '../../cli/command.ts';
import { Commands } from '../../cli/commands.ts';
import type { Caller } from '../../e2e/caller.ts';
import { startPublic } from '../../e2e/public-service.ts';
import type { TestService } from '../../e2e/service.ts';
import { CLIENT, confirm, verify } from '../../e2e/steps.ts';
import { registerWorkload, WORKLOAD_CLIENT } from '../../e2e/workload.ts';
import { anIntegration, scopeOf } from '../../samples.ts';
import { temporaryFolder } from '../../temporary-folder.ts';

const STOCK = 'stock-sync' as ClientId;

interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

suite('tessera for callers', () => {
  const home = temporaryFolder('caller');
  const commands = new Commands({ isApart: true, environment: { HOME: home } });
  let service: TestService & { readonly issuer: string };
  let caller: Caller;
  let certificate: string[];
  let at: string[];
  before(async () => {
    service = await startPublic();
    caller = service.caller();
    const file = (name: string, text: string) => {
      writeFileSync(join(home, name), text, { mode: 0o600 });
      return join(home, name);
    };
    certificate = ['--certificate', file('me.pem', service.ada.pem), '--key', file('me-key.pem', service.ada.key)];
    at = ['--server', service.issuer, '--client-id', CLIENT, '--ca', file('ca.pem', service.authority.pem)];
  });
  after(async () => {
    await commands.close();
    caller.close();
    await service.stop();
    rmSync(home, { recursive: true, force: true });
  });

  async function tessera(args: readonly string[]): Promise<Ran> {
    const { status, printed, stderr } = await commands.run(args, { folder: home });
    return { status, stdout: printed, stderr };
  }

  /** In a process of its own. `onUserCode`: what happens when the command shows one. */
  async function start(args: readonly string[], onUserCode?: (code: string, pid: number) => void): Promise<Ran> {
    const env = commandEnvironment({ HOME: home });
    const child = spawn(process.execPath, [TESSERA, ...args], { cwd: home, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (chunk) => (stdout += String(chunk)));
    child.stderr.on('data', (chunk) => {
      const hadCode = /enter \S+\n/.test(stderr);
      stderr += String(chunk);
      const [, code] = /enter (\S+)\n/.exec(stderr) ?? [];
      if (code && !hadCode) onUserCode?.(code, child.pid ?? 0);
    });
    const [status] = await once(child, 'close');
    return { status, stdout, stderr };
  }
  const grantIds = async () =>
    (await service.ports.store.find(grants, grantsOf.integration(CLIENT as ClientId))).map(({ id }) => id).toSorted();
  const person = (user_code: string) => void confirm(service, { user_code, device_code: '' });

  test('login in a browser, token, whoami, exec, logout', async () => {
    const login = await start(['login', ...at, '--scope', 'orders:read'], person);
    assert.equal(login.status, 0, login.stderr);
    assert.equal(login.stdout, '', 'results only');
    assert.match(
      login.stderr,
      /^Open https:\S+\/device\nand enter \S+\nLogged in to https:\S+ as orders-sync, for: orders:read\n$/,
    );
    const { stdout: token } = await tessera(['token']);
    assert.equal((await verify(caller, token.trim())).status, 200);
    const { identity, scope, clientId } = JSON.parse((await tessera(['whoami', '--json'])).stdout);
    assert.deepEqual([identity.slice(0, 6), scope, clientId], ['local:', 'orders:read', CLIENT]);
    const print = ['exec', '--', 'sh', '-c', 'printf "%s %s" "$TESSERA_TOKEN" "$1"; exit 3', 'sh', '--flag'];
    assert.deepEqual(await start(print), { status: 3, stdout: `${token.trim()} --flag`, stderr: '' });
    for (const command of ['token', 'logout'])
      assert.equal((await tessera(['--server', 'https://other.example', command])).status, 2, command);
    assert.deepEqual(await tessera(['logout']), { status: 0, stdout: '', stderr: 'Logged out.\n' });
    assert.equal((await verify(caller, token.trim())).status, 401);
    assert.equal((await tessera(['token'])).status, 8);
  });

  test('a second login repeats the first, and profiles are kept apart', async () => {
    const staging = ['--profile', 'staging'];
    assert.equal((await tessera(['login', ...at, ...staging, ...certificate])).status, 0);
    const first = await tessera(['token', ...staging]);
    assert.equal((await tessera(['--login', 'staging', 'token'])).stdout, first.stdout);
    assert.equal((await tessera(['login', ...staging])).status, 0);
    assert.equal((await verify(caller, first.stdout.trim())).status, 401, 'the grant of the first login has ended');
    assert.equal((await tessera(['token', ...staging])).status, 0);
    assert.match(
      (await tessera(['profile', 'list'])).stdout,
      /\ndefault +https\S+ +orders-sync +device +orders:read +logged out\nstaging .* certificate +- +-\n/,
    );
    assert.equal((await tessera(['profile', 'remove', 'staging'])).stderr, 'Removed staging.\n');
    assert.doesNotMatch((await tessera(['profile', 'list'])).stdout, /staging/);
  });

  test('login by the assertion of a CI job; token needs no person', async () => {
    const sign = await registerWorkload(service);
    const path = join(home, 'assertion.jwt');
    writeFileSync(path, await sign(), { mode: 0o600 });
    const job = ['--profile', 'job'];
    const login = await tessera(['login', ...at, '--client-id', WORKLOAD_CLIENT, '--assertion-file', path, ...job]);
    assert.equal(login.status, 0, login.stderr);
    assert.match(login.stderr, /^Logged in to https:\S+ as deploy, for: /);
    const { stdout: token } = await tessera(['token', ...job]);
    assert.equal((await verify(caller, token.trim())).status, 200);
    assert.match(JSON.parse((await tessera(['whoami', '--json', ...job])).stdout).identity, /^ci:/);
    assert.equal((await tessera(['logout', ...job])).status, 0);
    assert.equal((await verify(caller, token.trim())).status, 401);
    writeFileSync(path, await sign());
    assert.equal((await tessera(['token', ...job])).status, 8, 'after logout only a login makes a grant');
    assert.equal((await tessera(['login', ...job])).status, 0);
    const tokens = join(home, '.local/state/tessera/tokens');
    for (const name of readdirSync(tokens)) if (name.endsWith('@job.json')) rmSync(join(tokens, name));
    const used = await tessera(['token', ...job]);
    assert.deepEqual([used.status, used.stdout], [1, '']);
    assert.match(used.stderr, /invalid_grant/);
    writeFileSync(path, await sign());
    assert.equal((await tessera(['token', ...job])).status, 0, 'the next assertion gets the next grant');
    writeFileSync(path, '');
    assert.equal((await tessera(['login', ...job])).status, 1);
  });

  test('after logout, only login makes a new grant, also by certificate', async () => {
    const mine = ['--profile', 'mine'];
    assert.equal((await tessera(['login', ...at, ...mine, ...certificate])).status, 0);
    assert.equal((await tessera(['logout', ...mine])).status, 0);
    const before = await grantIds();
    for (const line of [['token'], ['whoami'], ['whoami', '--json'], ['exec', '--', 'true']]) {
      const [command = '', ...rest] = line;
      const { status, stdout, stderr } = await tessera([command, ...mine, ...rest]);
      assert.deepEqual([status, stdout], [8, ''], line.join(' '));
      assert.match(stderr, /you are not logged in.*Do: tessera login --profile mine\W/s, line.join(' '));
    }
    assert.match((await tessera(['profile', 'list'])).stdout, /\nmine .* logged out\n/);
    assert.equal((await tessera(['logout', ...mine])).status, 0, 'once more');
    assert.deepEqual(await grantIds(), before);
    assert.equal((await tessera(['login', ...mine])).status, 0);
    assert.equal((await tessera(['token', ...mine])).status, 0);
    assert.doesNotMatch((await tessera(['profile', 'list'])).stdout, /\nmine .* logged out\n/);
  });

  test('a login takes from the last one what belongs to the same service: its CA; to the same integration there: scope and way', async () => {
    await service.register(anIntegration({ clientId: STOCK, scope: scopeOf('stock:read') }));
    const other = await startPublic();
    const [both, theirs] = ['both.pem', 'theirs.pem'].map((name) => join(home, name)) as [string, string];
    writeFileSync(both, service.authority.pem + other.authority.pem);
    writeFileSync(theirs, other.ada.pem + other.ada.key, { mode: 0o600 });
    const login = async (...args: string[]) => (await tessera(['login', '--profile', 'many', ...args])).stderr;
    try {
      await login(...at, ...certificate, '--scope', 'orders:read', '--ca', both);
      assert.match(await login(), /as orders-sync, for: orders:read\n$/, 'the same again');
      assert.match(await login('--client-id', STOCK, ...certificate), /as stock-sync, for: stock:read\n$/);
      await login(...at, ...certificate, '--scope', 'orders:read', '--ca', both);
      const elsewhere = ['--server', other.issuer, '--certificate', theirs, '--key', theirs];
      assert.match(await login(...elsewhere), /certificate/, 'the CA of one service does not vouch for another');
      assert.match(await login(...elsewhere, '--ca', both), /, for: orders:read orders:write stock:read\n$/);
    } finally {
      await other.stop();
    }
  });

  test('--device asks a person, also where the last login was by certificate', async () => {
    const way = ['--profile', 'way'];
    assert.equal((await tessera(['login', ...at, ...way, ...certificate])).status, 0);
    assert.match((await start(['login', ...way, '--device'], person)).stderr, /^Open .*Logged in/s);
    assert.match((await tessera(['profile', 'list'])).stdout, /\nway .* device /);
    assert.doesNotMatch(readFileSync(join(home, '.config/tessera/profiles/way.json'), 'utf8'), /me\.pem/);
  });

  test('whoami never makes a grant; token does, for a profile that was put there and never logged in', async () => {
    const path = join(home, '.config/tessera/profiles/kept-by-tool.json');
    const [, server, , clientId, , ca] = at;
    const [, own, , key] = certificate;
    writeFileSync(path, JSON.stringify({ server, clientId, ca, by: 'certificate', certificate: own, key }));
    const tool = ['--profile', 'kept-by-tool'];
    const before = await grantIds();
    const { status, stderr } = await tessera(['whoami', ...tool]);
    assert.equal(status, 8);
    assert.match(
      stderr,
      /^tessera: There are no tokens for https:\S+\n {2}Do: tessera login --profile kept-by-tool\n$/,
    );
    assert.deepEqual(await grantIds(), before);
    assert.equal((await tessera(['token', ...tool])).status, 0);
    assert.equal((await grantIds()).length, before.length + 1);
    assert.equal((await tessera(['whoami', ...tool])).status, 0);
  });

  test('Ctrl-C while it waits ends the login and leaves nothing behind', async () => {
    const args = ['login', ...at, '--profile', 'hasty'];
    const { status, stderr } = await start(args, (_, pid) => process.kill(pid, 'SIGINT'));
    assert.equal(status, 1);
    assert.match(stderr, /tessera: interrupted\n {2}Nothing was stored\.\n$/);
    const left = readdirSync(join(home, '.local/state/tessera/tokens')).filter((name) => name.includes('hasty'));
    assert.deepEqual(left, []);
  });

  test('at a terminal it shows a QR code and counts down; Ctrl-C clears the line', async () => {
    const spawnAtTerminal = 'import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)';
    const command = [process.execPath, TESSERA, 'login', ...at, '--profile', 'terminal'];
    const env = commandEnvironment({ HOME: home, TERM: 'xterm' });
    const child = spawn('python3', ['-c', spawnAtTerminal, ...command], { cwd: home, env });
    let shown = '';
    const times = () => new Set(shown.match(/Waiting for you to confirm, \d+:\d\d left\. /g));
    child.stdout.on('data', (chunk) => {
      const isWaiting = times().size < 2;
      shown += String(chunk);
      if (isWaiting && times().size === 2) child.stdin.write('\u0003'); // it counts down
    });
    const [status] = await once(child, 'close');
    assert.equal(status, 1, shown);
    shown = shown.replaceAll('\u001b', '^');
    assert.match(shown, /\^\[97;40m[█▀▄ ]{25,}\^\[0m/);
    assert.match(shown, /\r\^\[Ktessera: interrupted\r\n/);
  });

  test('nothing that it stores can be read by others, and the profile holds no secret', async () => {
    await tessera(['login', ...at, ...certificate, '--profile', 'kept']);
    const folder = join(home, '.local/state/tessera/tokens');
    for (const name of readdirSync(folder)) assert.equal(statSync(join(folder, name)).mode & 0o777, 0o600, name);
    assert.doesNotMatch(readFileSync(join(home, '.config/tessera/profiles/kept.json'), 'utf8'), /ts[ar]_|PRIVATE/);
  });

  test('a service that is away ends it with 9, a refusal with 1, wrong flags with 2', async () => {
    const nowhere = [
      'login',
      '--server',
      'https://localhost:1',
      '--client-id',
      'x',
      '--profile',
      'away',
      ...certificate,
    ];
    const away = await tessera(nowhere);
    assert.equal(away.status, 9, away.stderr);
    const refused = await tessera(['login', ...at, '--client-id', 'nobody', '--profile', 'nobody', ...certificate]);
    assert.equal(refused.status, 1, refused.stderr);
    assert.match(refused.stderr, /invalid_client/);
    for (const wrong of [
      ['login', '--profile', 'new'],
      ['login', ...at, '--key', 'x'],
      ['token', '--profile', '../x'],
      ['exec'],
    ])
      assert.equal((await tessera(wrong)).status, 2, wrong.join(' '));
  });
});
