import assert from 'node:assert/strict';
import { chmodSync, chownSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { test } from 'node:test';
import { defaultTokenFile } from '../../../sdk/client/src/store/default-file.ts';
import { fileStore } from '../../../sdk/client/src/store/file-store.ts';
import { memoryStore } from '../../../sdk/client/src/store/memory-store.ts';
import type { HeldStore } from '../../../sdk/client/src/store/token-store.ts';
import type { StoredTokens } from '../../../sdk/client/src/tokens.ts';
import { fileFor, folderFor, namesIn, storePair } from './token-file.ts';
import { failsWith } from './token-scene.ts';

const PAIR: StoredTokens = {
  server: 'https://tokens.example',
  clientId: 'orders-sync',
  accessToken: 'A1',
  refreshToken: 'R1',
  scope: 'orders:read',
  obtainedAt: 1,
  expiresAt: 2,
};

async function held(file: string): Promise<HeldStore> {
  const found = await fileStore(file).lock();
  assert.ok(found);
  return found;
}

test('a pair is stored for its owner alone, in a folder for its owner alone', async (t) => {
  const file = join(folderFor(t), 'made', 'tokens.json');
  const store = await held(file);
  await store.reserve();
  await store.save(PAIR);
  await store.release();
  assert.deepEqual(await fileStore(file).load(), PAIR);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.equal(statSync(dirname(file)).mode & 0o777, 0o700);
  assert.deepEqual(namesIn(dirname(file)), ['tokens.json']);
});

test('before a refresh, the space is on the disk; then the token is marked as presented, without new space', async (t) => {
  const file = fileFor(t);
  const store = await held(file);
  await store.reserve();
  assert.ok(statSync(`${file}.next`).blocks * 512 >= 32_768);
  assert.equal(await store.presentedSince('R1'), undefined, 'reserved space is no mark');
  const { ino, size } = statSync(`${file}.presented`);
  await store.present('R1', 7);
  const marked = statSync(`${file}.presented`);
  assert.deepEqual([marked.ino, marked.size], [ino, size]);
  assert.equal(await store.presentedSince('R1'), 7);
  assert.doesNotMatch(readFileSync(`${file}.presented`, 'utf8'), /R1/, 'its hash only');
  await store.release();
  const next = await held(file);
  assert.equal(await next.presentedSince('R1'), 7, 'and outlives its process');
  await next.unpresent();
  assert.equal(await next.presentedSince('R1'), undefined);
  await next.release();
});

test('a store in memory keeps a pair and marks what was presented, as a file does', async (t) => {
  for (const store of [fileStore(fileFor(t)), memoryStore()]) {
    const held = await store.lock();
    assert.ok(held);
    assert.equal(await store.lock(), undefined, 'one holder at a time');
    const ways = [
      [() => held.unpresent(), undefined],
      [() => held.save(PAIR), PAIR],
      [() => held.clear(), undefined],
    ] as const;
    for (const [forget, left] of ways) {
      await held.reserve();
      await held.present('R0', 123_456_789);
      for (const since of [7, 9]) {
        await held.reserve();
        await held.present('R1', since); // the first time counts
      }
      assert.deepEqual([await held.presentedSince('R0'), await held.presentedSince('R1')], [undefined, 7], store.name);
      await forget();
      assert.deepEqual([await held.presentedSince('R1'), await store.load()], [undefined, left], store.name);
    }
    await held.release();
    await ((await store.lock()) ?? assert.fail()).release();
  }
});

test('the next pair is written into the reserved space, not into new space', async (t) => {
  const file = fileFor(t);
  const store = await held(file);
  await store.reserve();
  await store.present('R1', 7);
  const { ino } = statSync(`${file}.next`);
  await store.save(PAIR);
  await store.release();
  assert.equal(statSync(file).ino, ino);
  assert.equal(statSync(file).size, readFileSync(file, 'utf8').trimEnd().length + 1, 'without the blanks');
});

test('space that a killed process has left is used by the next one: it needs none of a full disk', async (t) => {
  const file = fileFor(t);
  const killed = await held(file);
  await killed.reserve();
  await killed.present('R1', 7);
  await killed.release();
  const before = statSync(`${file}.next`);
  const next = await held(file);
  await next.reserve();
  const after = statSync(`${file}.next`);
  assert.deepEqual([after.ino, after.size, after.blocks], [before.ino, before.size, before.blocks]);
  await next.release();
});

test('a release without a mark leaves no reserved space behind', async (t) => {
  const file = fileFor(t);
  const store = await held(file);
  await store.reserve();
  await store.release();
  assert.deepEqual(namesIn(dirname(file)), []);
});

test('a file that others can read is refused', async (t) => {
  const file = fileFor(t);
  storePair(file, 'https://tokens.example', { obtained: 0, expires: 1 });
  chmodSync(file, 0o640);
  await assert.rejects(fileStore(file).load(), /Other users can read .* \(mode 640\)\. Do: chmod 600/);
});

test('a file with something else in it is refused, not overwritten', async (t) => {
  const file = fileFor(t);
  writeFileSync(file, '{"accessToken": 1}', { mode: 0o600 });
  await assert.rejects(fileStore(file).load(), /holds no tokens/);
});

test('a link to a token file is followed', async (t) => {
  const folder = folderFor(t);
  const [target, link] = [join(folder, 'elsewhere', 'tokens.json'), join(folder, 'tokens.json')];
  mkdirSync(dirname(target), { mode: 0o700 });
  storePair(target, 'https://tokens.example', { obtained: 0, expires: 1 });
  symlinkSync(target, link);
  const store = await held(link);
  assert.equal(await fileStore(target).lock(), undefined, 'both names have one lock');
  await store.reserve();
  await store.save(PAIR);
  await store.release();
  assert.deepEqual(await fileStore(target).load(), PAIR);
});

test('the default file is one per server, integration and profile', () => {
  const name = (profile?: string) =>
    defaultTokenFile({ server: 'https://tokens.example:8443', clientId: 'a/b', profile }).replace(/^.*\//, '');
  assert.equal(name(), 'a%2Fb@tokens.example%3A8443.json');
  assert.equal(name('default'), name());
  assert.equal(name('../x'), 'a%2Fb@tokens.example%3A8443@..%2Fx.json');
});

const skip = process.getuid?.() === 0 ? false : 'only root can make files of another user';
for (const name of ['next', 'presented'])
  test(`a file .${name} that another user has put there gets no tokens`, { skip }, async (t) => {
    const file = fileFor(t);
    const store = await held(file);
    writeFileSync(`${file}.${name}`, '', { mode: 0o666 });
    chownSync(`${file}.${name}`, 65_534, 65_534);
    await assert.rejects(store.reserve(), failsWith('storage', /belongs to another user/));
    await store.release();
  });

test('an empty HOME does not put the tokens into the working folder', (t) => {
  const { HOME, XDG_STATE_HOME, STATE_DIRECTORY } = process.env;
  t.after(() => {
    for (const [name, value] of Object.entries({ HOME, XDG_STATE_HOME, STATE_DIRECTORY }))
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
  });
  delete process.env['XDG_STATE_HOME'];
  delete process.env['STATE_DIRECTORY'];
  process.env['HOME'] = '';
  assert.ok(isAbsolute(defaultTokenFile({ server: 'https://tokens.example', clientId: 'x' })));
});

test('a folder that cannot be made is a failure, at once', {
  skip: process.platform !== 'linux' && '/proc',
}, async () => {
  await assert.rejects(fileStore('/proc/none/tokens/tokens.json').lock(), failsWith('storage', /Cannot use \/proc/));
});
