// Times are epoch seconds wherever a program sees them. In the token file they stay milliseconds, as Tessera 0.2.0 wrote them:
// programs of both versions share it.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { suite, test } from 'node:test';
import { stored } from '../../../sdk/client/src/by/stored.ts';
import { fileStore } from '../../../sdk/client/src/store/file-store.ts';
import type { HeldStore, TokenStore } from '../../../sdk/client/src/store/token-store.ts';
import { tokenSource } from '../../../sdk/client/src/token-source.ts';
import type { StoredTokens } from '../../../sdk/client/src/tokens.ts';
import { alone, scene } from './token-scene.ts';

const HOUR = 3_600;
const inSeconds = () => Date.now() / 1000;
/** Tests take less than half an hour. */
const isAbout = (actual: number | undefined, expected: number) =>
  assert.ok(Math.abs((actual ?? Number.NaN) - expected) < HOUR / 2, `${actual} is not about ${expected}`);

/** What Tessera 0.2.0 has stored, `age` seconds ago, for 10 hours. */
function oldPair(server: string, age: number) {
  const obtainedAt = Date.now() - age * 1000;
  return {
    server,
    clientId: 'orders-sync',
    accessToken: 'A1',
    scope: 'orders:read',
    obtainedAt,
    expiresAt: obtainedAt + 10 * HOUR * 1000,
    refreshToken: 'R1',
    refreshUntil: obtainedAt + 24 * HOUR * 1000,
  };
}

/** A store of a program's own, which keeps what it is given. */
function ownStore(kept: object): TokenStore {
  const nothing = async () => undefined;
  const held: HeldStore = {
    reserve: nothing,
    present: nothing,
    presentedSince: nothing,
    unpresent: nothing,
    save: async (tokens) => void Object.assign(kept, tokens),
    clear: nothing,
    release: nothing,
  };
  return { name: 'own', load: async () => kept as StoredTokens, lock: async () => held };
}

/** Age → the token that get() returns, and the refresh tokens that it presents. */
const AGES = [
  ['is used while it is fresh', HOUR, 'A1', []],
  ['is refreshed when it has expired', 11 * HOUR, 'A2', ['R1']],
] as const;

for (const [what, age, token, presented] of AGES)
  suite(`a pair that Tessera 0.2.0 has stored ${what}`, () => {
    test('in a file, which Tessera 0.2.0 can load again', async (t) => {
      const { fake, file, source } = await scene(t);
      fake.generation = 1;
      writeFileSync(file, `${JSON.stringify(oldPair(fake.url, age), undefined, 2)}\n`, { mode: 0o600 });
      isAbout((await fileStore(file).load())?.expiresAt, inSeconds() + 10 * HOUR - age);
      assert.equal(await source(stored()).get(), token);
      assert.deepEqual(fake.presented(), presented);
      const { obtainedAt, refreshUntil } = JSON.parse(readFileSync(file, 'utf8')) as StoredTokens;
      isAbout(obtainedAt / 1000, inSeconds() - (token === 'A1' ? age : 0));
      isAbout((refreshUntil ?? 0) / 1000, inSeconds() + (token === 'A1' ? 24 * HOUR - age : 24 * HOUR));
    });

    test('in a store of its own', async (t) => {
      const { fake } = await scene(t);
      fake.generation = 1;
      const kept = oldPair(fake.url, age);
      const options = { server: fake.url, clientId: 'orders-sync', by: stored() };
      assert.equal(await tokenSource({ ...options, store: ownStore(kept) }).get(), token);
      assert.deepEqual(fake.presented(), presented);
      assert.equal(await tokenSource({ ...options, store: ownStore(kept) }).get(), token, 'and is loaded again');
    });
  });

test('login() returns seconds, and a store is given seconds', async (t) => {
  const { fake } = await scene(t);
  fake.lifetime = 10 * HOUR;
  const kept: Partial<StoredTokens> = oldPair(fake.url, 0);
  const options = { server: fake.url, clientId: 'orders-sync', by: alone() };
  const tokens = await tokenSource({ ...options, store: ownStore(kept) }).login();
  for (const { obtainedAt, expiresAt, refreshUntil } of [tokens, kept]) {
    isAbout(obtainedAt, inSeconds());
    isAbout(expiresAt, inSeconds() + 10 * HOUR);
    isAbout(refreshUntil, inSeconds() + 24 * HOUR);
  }
});
