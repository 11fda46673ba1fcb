// `tessera backup follow --command`: what the command got is a whole backup, whatever happened to the command or the follower.
// Only in test:all: documents as printed
import assert from 'node:assert/strict';
import childProcess, { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import fs, { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, suite, test } from 'node:test';
import { Shipping } from '../../src/cli/commands/work/ship-files.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { commandEnvironment, TESSERA } from './command.ts';
import { Commands } from './commands.ts';

/** Copies as an upload would: under the name in the folder. */
const COPY =
  'mkdir -p "$(dirname "remote/$TESSERA_BACKUP_NAME")" && cp "$TESSERA_BACKUP_FILE" "remote/$TESSERA_BACKUP_NAME"';

suite('a shipped backup', () => {
  const folder = temporaryFolder('shipped');
  const commands = new Commands();
  const run = (...args: string[]) => commands.run(args, { folder });
  const addIntegration = (name: string) => run('integration', 'add', name, '--scope', 'orders:read');
  before(() => run('init', '--integration', 'first', '--scope', 'orders:read'));
  const followers: ChildProcess[] = [];
  after(async () => {
    for (const child of followers) child.kill('SIGKILL');
    await commands.close();
    rmSync(folder, { recursive: true });
  });

  async function follow(command: string): Promise<{ child: ChildProcess; printed: () => string }> {
    const args = [TESSERA, 'backup', 'follow', 'copies', '--segment', '1s', '--command', command];
    const child = spawn(process.execPath, args, {
      cwd: folder,
      env: commandEnvironment(),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    followers.push(child);
    let complaints = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      complaints += text;
    });
    await once(createInterface({ input: child.stdout }), 'line');
    return { child, printed: () => complaints };
  }

  async function end({ child }: { child: ChildProcess }, signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
    const ended = once(child, 'exit');
    child.kill(signal);
    return (await ended)[0];
  }

  async function shippedIntegrations(): Promise<string> {
    const verified = await run('backup', 'verify', 'remote');
    assert.equal(verified.status, 0, verified.printed);
    rmSync(join(folder, 'restored'), { recursive: true, force: true });
    const other = ['--set', 'store=sqlite:restored.db'];
    assert.equal((await run(...other, 'restore', 'remote')).status, 0);
    return (await run(...other, 'integration', 'list')).printed;
  }

  test('is whole although the follower was killed while a file was open', async () => {
    const first = await follow(COPY);
    await addIntegration('second');
    await end(first, 'SIGKILL');
    const second = await follow(COPY);
    await addIntegration('third');
    assert.equal(await end(second, 'SIGTERM'), 0, second.printed());
    assert.match(await shippedIntegrations(), /third/);
  });

  test('is whole although the command failed until the follower ended', async () => {
    const first = await follow('false');
    await addIntegration('fourth');
    assert.equal(await end(first, 'SIGTERM'), 1);
    assert.match(first.printed(), /the command did not succeed for \d+ files?\n {2}They are still in the folder/);
    assert.equal(await end(await follow(COPY), 'SIGTERM'), 0);
    assert.match(await shippedIntegrations(), /fourth/);
  });

  test('is shipped once', async () => {
    assert.equal(await end(await follow('echo "$TESSERA_BACKUP_NAME" >> again'), 'SIGTERM'), 0);
    const again = existsSync(join(folder, 'again'))
      ? readFileSync(join(folder, 'again'), 'utf8').trim().split('\n')
      : [];
    for (const name of again)
      assert.equal(existsSync(join(folder, 'remote', name)), false, `${name} was shipped before`);
  });

  test('does not wait for ever for a hanging command at the end', async () => {
    const file = join(folder, 'hanging');
    writeFileSync(file, '');
    const shipping = new Shipping(folder, 'sleep 3600', () => undefined, 100);
    for (const path of [file, file]) shipping.add(path);
    assert.equal(await shipping.finished(), 2);
  });

  test('reads the notes of a folder once, however many of its files were shipped before', async (t) => {
    const series = join(folder, 'series');
    mkdirSync(series);
    const names = Array.from({ length: 200 }, (_, n) => `${n}.pages`);
    for (const name of names) writeFileSync(join(series, name), '');
    writeFileSync(join(series, 'shipped'), names.join('\n'));
    const reads = t.mock.method(fs, 'readFileSync');
    syncBuiltinESMExports();
    const shipping = new Shipping(folder, 'false', () => undefined);
    for (const name of names) shipping.add(join(series, name));
    assert.equal(await shipping.finished(), 0);
    reads.mock.restore();
    syncBuiltinESMExports();
    assert.equal(reads.mock.callCount(), 1);
  });

  test('runs the command again if no process could be started for it', async (t) => {
    const file = join(folder, 'again-later');
    writeFileSync(file, '');
    const fault = (code: string) => Object.assign(new Error(`spawn /bin/sh ${code}`), { code });
    const failures = [
      () => {
        const child = new EventEmitter();
        setImmediate(() => child.emit('error', fault('EAGAIN')));
        return child;
      },
      () => {
        throw fault('ENOMEM');
      },
    ];
    const start = childProcess.spawn;
    const mocked = t.mock.method(childProcess, 'spawn', ((...of: Parameters<typeof spawn>) =>
      (failures.shift() ?? start)(...of)) as never);
    syncBuiltinESMExports();
    t.after(() => {
      mocked.mock.restore();
      syncBuiltinESMExports();
    });
    const complaints: string[] = [];
    const shipping = new Shipping(folder, 'true', (line) => complaints.push(line));
    shipping.add(file);
    assert.equal(await shipping.finished(), 0);
    const ends = ['EAGAIN', 'ENOMEM'].map((code) => `the command for ${file} ended with ${code}`);
    assert.deepEqual(complaints, ends);
  });

  test('goes on with the files after one that was removed', async () => {
    const series = readdirSync(join(folder, 'copies')).map((name) => join(folder, 'copies', name));
    const whole = series.find((name) => existsSync(join(name, '000001.pages')));
    assert.ok(whole, 'a series has pages');
    writeFileSync(join(whole, 'shipped'), ''); // so all of it is shipped again
    const slow = await follow('until test -e removed; do sleep 0.05; done; test -e "$TESSERA_BACKUP_FILE"');
    rmSync(join(whole, '000001.pages'));
    writeFileSync(join(folder, 'removed'), '');
    assert.equal(await end(slow, 'SIGTERM'), 0, slow.printed());
  });
});
