// `tessera backup follow`, `verify` and `restore --at`, as an operator runs them.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, suite, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { temporaryFolder } from '../temporary-folder.ts';
import { commandEnvironment, TESSERA } from './command.ts';
import { Commands } from './commands.ts';

const commands = new Commands();
after(() => commands.close());

const byName = (a: string, b: string) => (a < b ? -1 : 1);

suite('a continuous backup at the prompt', () => {
  const folder = temporaryFolder('continuous-cli');
  after(() => rmSync(folder, { recursive: true }));
  const run = async (...args: string[]) => {
    const { status, printed } = await commands.run(args, { folder });
    assert.equal(status, 0, printed);
    return printed;
  };
  const integrations = async () =>
    (await run('integration', 'list')).match(/^(?:first|second|third)\b/gm)?.toSorted(byName);

  test('is shipped, verified, and restored to a moment', async () => {
    await run('init', '--integration', 'first', '--scope', 'orders:read');
    const args = [
      'backup',
      'follow',
      'copies',
      '--segment',
      '1s',
      '--command',
      'echo "$TESSERA_BACKUP_NAME" >> shipped',
    ];
    const follower = spawn(process.execPath, [TESSERA, ...args], {
      cwd: folder,
      env: commandEnvironment(),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(follower, 'exit');
    const [line] = await once(createInterface({ input: follower.stdout }), 'line');
    assert.match(line, /^Backing up .*\/data\/tessera\.db to .*\/copies\/\d{8}T\d{9}Z$/);
    await run('integration', 'add', 'second', '--scope', 'orders:read');
    await pause(300);
    const moment = new Date().toISOString();
    await pause(100);
    await run('integration', 'add', 'third', '--scope', 'orders:read');
    follower.kill('SIGTERM');
    assert.deepEqual(await ended, [0, null]);

    const shipped = readFileSync(join(folder, 'shipped'), 'utf8');
    for (const name of ['base.db', 'base.json', '000001.pages'])
      assert.match(shipped, new RegExp(`^\\d{8}T\\d{9}Z/${name}$`, 'm'));
    assert.match(await run('backup', 'verify', 'copies'), /^FROM +TO +RECORDS\n20\S+Z +20\S+Z +\d+\n$/);
    assert.deepEqual(await integrations(), ['first', 'second', 'third']);
    assert.match(
      await run('restore', 'copies', '--at', moment),
      /^Rebuilt the state of 20\S+Z from \d+ records?\nRestored /,
    );
    assert.deepEqual(await integrations(), ['first', 'second']);
    await run('restore', 'copies');
    assert.deepEqual(await integrations(), ['first', 'second', 'third']);
  });
});

suite('where a backup is', () => {
  const folder = temporaryFolder('backup-place');
  after(() => rmSync(folder, { recursive: true }));
  const run = (...args: string[]) => commands.run(args, { folder });

  test('is refused with its reason', async () => {
    await run('init', '--integration', 'first', '--scope', 'orders:read');
    writeFileSync(join(folder, 'file'), 'not a folder');
    symlinkSync('nowhere', join(folder, 'dangling'));
    mkdirSync(join(folder, 'empty'));
    const refusals: [args: string[], says: RegExp][] = [
      [['backup', 'follow', 'file'], /file is not a folder/],
      [['backup', 'follow', 'dangling'], /dangling: .*exists/],
      [['backup', 'follow', 'unmounted/copies'], /unmounted\/copies: there is no such file/],
      [['backup', 'verify', 'file'], /file is not a copy of a store: file is not a database/],
      [['backup', 'verify', 'missing.db'], /missing\.db is not a copy of a store: there is no such file/],
      [['restore', 'missing.db'], /missing\.db is not a copy of a store: there is no such file/],
      [['backup', 'verify', 'empty'], /there is no continuous backup in .*empty/],
    ];
    for (const [args, says] of refusals) {
      const { status, printed } = await run(...args);
      assert.match(printed, says);
      assert.equal(status, 1, printed);
    }
  });

  test('may be read-only', async () => {
    await run('backup', 'copies.db');
    mkdirSync(join(folder, 'snapshot'));
    renameSync(join(folder, 'copies.db'), join(folder, 'snapshot/copies.db'));
    assert.equal((await run('backup', 'verify', 'snapshot/copies.db')).status, 0);
    assert.deepEqual(readdirSync(join(folder, 'snapshot')), ['copies.db'], 'it makes no file beside it');
    assert.equal((await run('restore', 'snapshot/copies.db')).status, 0);
    assert.deepEqual(readdirSync(join(folder, 'snapshot')), ['copies.db']);
  });
});
