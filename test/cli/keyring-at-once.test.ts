// Several commands change one keyring at the same time, or are killed while they do.
// Only in test:all: processes that are killed, and disks that are full
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { lockFile } from '../../src/store/sqlite/connection.ts';
import { readKeyringFile, writeKeyringFile } from '../../src/tokens/keyring-file.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { runTessera } from './command.ts';
import { Commands } from './commands.ts';

let commands: Commands;
before(() => {
  commands = new Commands();
});
after(() => commands.close());

async function installation() {
  const folder = temporaryFolder('keyring-at-once');
  /** In a process of its own, beside others. */
  const beside = (...args: readonly string[]) => runTessera(args, { folder });
  const run = (...args: readonly string[]) => commands.run(args, { folder });
  const { status, printed } = await run('init');
  assert.equal(status, 0, printed);
  const keyring = join(folder, 'data', 'keyring.json');
  const states = () => readKeyringFile(keyring)?.map((key) => (key.kind === 'mac' ? [key.id, key.state] : [key.id]));
  const events = async () => (await run('events', '--limit', '100')).printed;
  return { run, beside, keyring, states, events };
}

test('keys that commands add at the same time are all in the keyring', async () => {
  const { beside, states, keyring } = await installation();
  const adding = [1, 2, 3, 4, 5, 6].map((each) =>
    each % 3 === 0 ? beside('keyring', 'add', '--signing', 'ES256') : beside('keyring', 'add'),
  );
  const ran = await Promise.all(adding);
  const added = ran.map(({ status, printed }) => {
    assert.equal(status, 0, printed);
    return /^Added (?:key|the signing key) ([^ .,]+)/m.exec(printed)?.[1] ?? '';
  });
  assert.deepEqual(
    states()
      ?.map(([id]) => String(id))
      .toSorted(),
    ['1', ...added].toSorted(),
  );
  assert.deepEqual(
    readdirSync(join(keyring, '..')).filter((name) => name.startsWith('keyring')),
    ['keyring.json'],
  );
});

test('a command that waits for another one sees its change', async () => {
  const { beside, states, keyring } = await installation();
  const other = lockFile(`${keyring}.lock`);
  const waiting = beside('keyring', 'add');
  const [first] = readKeyringFile(keyring) ?? [];
  assert.ok(first?.kind === 'mac');
  writeKeyringFile(keyring, [first, { ...first, id: 2, state: 'check-only' }]);
  other?.release();
  assert.match((await waiting).printed, /^Added key 3\./);
  assert.deepEqual(states(), [
    [1, 'minting'],
    [2, 'check-only'],
    [3, 'check-only'],
  ]);
});

test('a command gives up if another one does not end, and says what to do', async () => {
  const byAnother = await installation();
  const byOlderRelease = await installation();
  const other = lockFile(`${byAnother.keyring}.lock`);
  writeFileSync(`${byOlderRelease.keyring}.lock`, '{"id":"1","pid":1}');
  const gaveUp = async ({ beside, states, events }: Awaited<ReturnType<typeof installation>>) => {
    const { status, printed } = await beside('keyring', 'add');
    assert.equal(status, 1);
    assert.match(
      printed,
      /^tessera: another command is changing the keyring: it holds .*keyring\.json\.lock\n {2}Wait .* remove that file\.$/m,
    );
    assert.deepEqual(states(), [[1, 'minting']]);
    return events;
  };
  const printed = await Promise.all([gaveUp(byAnother), gaveUp(byOlderRelease)]);
  other?.release();
  for (const events of printed) assert.doesNotMatch(await events(), /key added/);
});

test('what a killed command has left blocks nobody', async () => {
  const { run, states, keyring } = await installation();
  const module = pathToFileURL(join(import.meta.dirname, '../../src/store/sqlite/connection.ts')).href;
  const holding = `(await import('${module}')).lockFile('${keyring}.lock'); console.log('held'); setInterval(() => {}, 1000);`;
  const holder = spawn(process.execPath, ['--input-type=module', '--eval', holding]);
  await once(holder.stdout, 'data');
  assert.equal(lockFile(`${keyring}.lock`), undefined, 'it holds the lock');
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  assert.ok(existsSync(`${keyring}.lock`));
  writeFileSync(`${keyring}.new`, 'half of a keyr');
  const { status, printed } = await run('keyring', 'add');
  assert.equal(status, 0, printed);
  assert.equal(states()?.length, 2);
});

test('if the keyring cannot be written, nothing is recorded in the store', async () => {
  const { run, keyring, events } = await installation();
  const before = readFileSync(keyring, 'utf8');
  mkdirSync(`${keyring}.new`); // as if the disk were full, for whoever runs this
  for (const args of [['add'], ['add', '--signing', 'ES256']]) {
    const { status, printed } = await run('keyring', ...args);
    assert.equal(status, 1, printed);
    assert.match(printed, /keyring\.json\.new: it is a folder/);
  }
  assert.equal(readFileSync(keyring, 'utf8'), before);
  assert.doesNotMatch(await events(), /key added/);
});

test('two commands that make an installation at the same time agree on its key', async () => {
  const folder = temporaryFolder('keyring-at-once');
  await Promise.all([runTessera(['init'], { folder }), runTessera(['init'], { folder })]);
  const { status, printed } = await commands.run(['keyring', 'list'], { folder });
  assert.equal(status, 0, printed);
});
