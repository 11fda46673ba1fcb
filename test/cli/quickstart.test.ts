// What the quick start prints must work when pasted.
// Needs: curl
// Only in test:all: documents as printed
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { lockFile } from '../../src/store/sqlite/connection.ts';
import { eventually } from '../eventually.ts';
import { freePort } from '../free-port.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { commandEnvironment, runTessera, TESSERA } from './command.ts';

function newFolder(t: TestContext): string {
  const folder = temporaryFolder('quickstart');
  t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }));
  return folder;
}

/** What the quick start prints until it is ready; it is stopped then, after `meanwhile`. */
async function printedBy(
  args: readonly string[],
  folder: string,
  meanwhile: (printed: string) => Promise<void> = async () => undefined,
): Promise<string> {
  const service = spawn(process.execPath, [TESSERA, 'quickstart', ...args], {
    cwd: folder,
    env: commandEnvironment(),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(service, 'exit');
  let printed = '';
  let using: Promise<void> | undefined;
  for await (const text of service.stdout.setEncoding('utf8')) {
    printed += String(text);
    if (!printed.includes('THIS IS FOR TRYING')) continue;
    using ??= meanwhile(printed).finally(() => service.kill('SIGTERM'));
  }
  await using;
  assert.deepEqual(await ended, [0, null], printed);
  return printed;
}

async function runScript(folder: string, name: string): Promise<string> {
  const { stdout } = await promisify(execFile)(join(folder, name), { timeout: 60_000 });
  return stdout.trim();
}

const signingKeys = (folder: string) =>
  JSON.parse(readFileSync(join(folder, 'data/keyring.json'), 'utf8')).signingKeys as readonly object[];

suite('quick start', () => {
  test('the scripts that it prints and saves', async (t) => {
    const port = ['--set', `listeners.0.port=${await freePort()}`];
    const folder = newFolder(t);
    await printedBy(port, folder, async (printed) => {
      await t.test('say which one to run first if its response is missing, and send nothing', () =>
        tryTooEarly(folder),
      );
      await t.test('work in their order', () => tryInOrder(folder, printed));
      await t.test('are of a trial, whose data no installation takes over', async () => {
        const { status, printed: said } = await runTessera(['init', '--public-url', 'https://tokens.example.com'], {
          folder,
        });
        assert.equal(status, 1);
        assert.match(
          said,
          /was made by the quick start, for trying only\n {2}Choose another folder: --data-folder FOLDER/,
        );
        assert.equal(existsSync(join(folder, 'tessera.yaml')), false);
      });
      await t.test('its operator administers it from a terminal, as it is printed', () =>
        tryAdministration(folder, printed),
      );
      await t.test('keep the last good response after a refusal, and show the refusal', () => tryRefused(folder));
      await t.test('work at the standard door: a JWT is checked with the public keys alone', () => tryStandard(folder));
    });
    const [key] = signingKeys(folder);
    assert.ok(key);
    await printedBy(port, folder);
    assert.deepEqual(signingKeys(folder), [key], 'a second start makes no second key');
  });

  async function tryAdministration(folder: string, printed: string): Promise<void> {
    assert.match(printed, /\/console\nUser name: ada\nPassword of ada, shown this once: \S+\n/);
    const environment = { XDG_CONFIG_HOME: join(folder, 'config'), XDG_STATE_HOME: join(folder, 'state') };
    const lines = printed.match(/(?<=tessera -- )(?:login|grant list) .*/g) ?? [];
    assert.equal(lines.length, 2);
    for (const line of lines) {
      const { status, printed: said } = await runTessera(line.split(' '), { folder, environment });
      assert.equal(status, 0, said);
    }
  }

  async function tryTooEarly(folder: string): Promise<void> {
    const failed = (name: string) =>
      runScript(folder, `data/try/${name}.sh`).catch(({ stderr, code }) => `${code} ${stderr}`);
    for (const name of ['verify', 'refresh', 'revoke', 'check-jwt'])
      assert.match(await failed(name), /^1 try\/answer\.json has no \w+\. Run .*data\/try\/token\.sh first\.$/m);
    assert.match(
      await failed('redeem'),
      /^1 try\/device\.json has no device_code\. Run .*data\/try\/device\.sh first\.$/m,
    );
    await runScript(folder, 'data/try/oauth.sh');
    assert.match(await failed('refresh'), /has no refresh_token\. Run .*token\.sh first/);
    assert.match(await failed('check-jwt'), /has no JWT\. Run .*jwt\.sh first/);
    const kept = readFileSync(join(folder, 'data/try/answer.json'), 'utf8');
    assert.match(kept, /"access_token":"tsa_/, 'the last response is kept');
  }

  async function tryInOrder(folder: string, printed: string): Promise<void> {
    const names = [...printed.matchAll(/^ {2}(data\/try\/[\w-]+\.sh) /gm)].map(([, name = '']) => name);
    assert.equal(names.length, 9);
    const answers: string[] = [];
    for (const name of names.slice(0, 5)) {
      const answer = JSON.parse(await runScript(folder, name)) as object;
      answers.push(Object.keys(answer)[0] ?? 'nothing');
    }
    const pair = 'access_token';
    assert.deepEqual(answers, [pair, 'identity', pair, 'nothing', 'device_code']);
    assert.equal(statSync(join(folder, 'data/try/answer.json')).mode & 0o777, 0o600);
  }

  /** Whatever the service refuses, the last good responses stay, and the person sees the refusal. */
  async function tryRefused(folder: string): Promise<void> {
    const kept = () => ['answer', 'device'].map((name) => readFileSync(join(folder, `data/try/${name}.json`), 'utf8'));
    await runScript(folder, 'data/try/token.sh');
    const before = kept();
    const fails = (script: string) =>
      runScript(folder, script).then(
        () => assert.fail(`${script} succeeded`),
        ({ code, stdout, stderr }) => {
          assert.equal(code, 1, script);
          assert.deepEqual(kept(), before, script);
          return `${stdout}${stderr}`;
        },
      );
    assert.match(await fails('data/try/redeem.sh'), /authorization_pending/, 'nobody has confirmed yet');
    const changed = (name: string, from: RegExp, to: string) => {
      const path = join(folder, `data/try/${name}.sh`);
      const wrong = path.replace(name, `${name}-refused`);
      writeFileSync(wrong, readFileSync(path, 'utf8').replace(from, to), { mode: 0o700 });
      return fails(wrong.slice(folder.length));
    };
    const away = (name: string) => changed(name, /(localhost|127\.0\.0\.1):\d+/, '$1:1');
    for (const name of ['token', 'refresh', 'device', 'redeem', 'oauth', 'jwt']) {
      assert.match(await changed(name, /(client_id(?:":"|=))/, '$1un'), /^\{.*[Ee]rror.*\}$/m, name);
      assert.match(await away(name), /^curl: \(7\)/m, name);
    }
    for (const name of ['verify', 'revoke']) {
      assert.match(await changed(name, /Bearer /, 'Bearer x'), /^\{"Error":"invalid_token".*\}$/m, name);
      assert.match(await away(name), /^curl: \(7\)/m, name);
    }
  }

  async function tryStandard(folder: string): Promise<void> {
    const answer = (name: string) => runScript(folder, `data/try/${name}.sh`);
    assert.match(JSON.parse(await answer('oauth')).access_token, /^tsa_/);
    assert.match(JSON.parse(await answer('jwt')).access_token, /^eyJ/);
    assert.match(await answer('check-jwt'), /^true \{"iss":"https:\/\/localhost:\d+","sub":"local:/);
    const path = join(folder, 'data/try/answer.json');
    writeFileSync(path, readFileSync(path, 'utf8').replace(/("access_token":"[^"]*)\w{4}"/, '$1AAAA"'));
    await assert.rejects(answer('check-jwt'), ({ code, stdout }) => code === 1 && stdout.startsWith('false '));
  }

  test('a signal that npm or the launcher passes on once more is the same signal: it still stops in order', async (t) => {
    const port = await freePort();
    const args = [TESSERA, 'quickstart', '--set', `listeners.0.port=${port}`];
    const service = spawn(process.execPath, args, { cwd: newFolder(t), env: commandEnvironment() });
    const ended = once(service, 'exit');
    let printed = '';
    service.stdout.on('data', (text) => (printed += String(text)));
    await eventually('it serves', () => printed.includes('THIS IS FOR TRYING'));
    const held = connect(port, '127.0.0.1').on('error', () => undefined); // without it, it would have ended before the second signal
    await once(held, 'connect');
    service.stdout.on('data', () => printed.includes('stopping') && service.kill('SIGTERM'));
    service.kill('SIGTERM');
    await eventually('it stops', () => printed.includes('stopping'));
    setTimeout(() => held.destroy(), 200);
    assert.deepEqual(await ended, [0, null], printed);
  });

  test('of two starts at once, one makes the trial, and the other says so and touches nothing', async (t) => {
    const folder = newFolder(t);
    mkdirSync(join(folder, 'data.unfinished'));
    const lock = lockFile(join(folder, 'data.lock'));
    const args = ['quickstart', '--set', `listeners.0.port=${await freePort()}`];
    const { status, printed } = await runTessera(args, { folder });
    assert.equal(status, 1);
    assert.match(printed, /^tessera: another start is under way: it makes .*data\n {2}Use that one/m);
    assert.ok(existsSync(join(folder, 'data.unfinished')));
    lock?.release();
    await printedBy(args.slice(1), folder, async () => {
      assert.match(await runScript(folder, 'data/try/token.sh'), /access_token/);
    });
    assert.deepEqual(readdirSync(folder), ['data'], 'nothing is left beside it');
    rmSync(join(folder, 'data/keyring.json'));
    assert.match((await runTessera(args, { folder })).printed, /data lacks keyring\.json\n {2}Restore what is missing/);
  });

  test('prints commands for the mount that exists', async (t) => {
    const port = ['--set', 'listeners=[{ port: 0 }]'];
    const folder = newFolder(t);
    const printed = await printedBy([...port, '--set', 'authsvc.mounts=[{ path: /legacy/v2 }]'], folder);
    assert.match(printed, /\/legacy\/v2\/Authorize\/Certificate\) /m);
    assert.match(readFileSync(join(folder, 'data/try/revoke.sh'), 'utf8'), /\/legacy\/v2\/Revoke\/Token\)/);
    assert.doesNotMatch(printed, /\/authsvc/);
  });

  test('a port in use: the hint is a command that npm passes on', async (t) => {
    const other = createServer().listen(0, '127.0.0.1');
    t.after(() => other.close());
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    const folder = newFolder(t);
    const args = ['quickstart', '--set', `listeners=[{ host: 127.0.0.1, port: ${port} }]`];
    const byNpm = await runTessera(args, { folder, environment: { npm_lifecycle_event: 'start' } });
    assert.match(
      byNpm.printed,
      new RegExp(`choose another port\\. .*npm start -- --set listeners\\.0\\.port=${port + 1}\n`),
    );
    const direct = await runTessera(args, { folder });
    assert.match(direct.printed, new RegExp(`choose another port\\. .* --set listeners\\.0\\.port=${port + 1}\n`));
  });
});
