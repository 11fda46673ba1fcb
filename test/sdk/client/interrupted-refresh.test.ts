// A refresh whose answer nobody has seen: the mark in the file says what may be done with its token.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { suite, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { stored } from '../../../sdk/client/src/by/stored.ts';
import { TokenFailure } from '../../../sdk/client/src/failure.ts';
import { fileStore } from '../../../sdk/client/src/store/file-store.ts';
import type { HeldStore, TokenStore } from '../../../sdk/client/src/store/token-store.ts';
import { tokenSource } from '../../../sdk/client/src/token-source.ts';
import { namesIn, storePair } from './token-file.ts';
import { alone, DUE, EXPIRED, failsWith, scene } from './token-scene.ts';

/** What a process leaves that was killed while it waited for the answer to a refresh. */
function leaveMark(file: string, refreshToken: string, secondsAgo: number): void {
  const token = createHash('sha256').update(refreshToken).digest('hex');
  writeFileSync(`${file}.presented`, JSON.stringify({ token, since: Date.now() - secondsAgo * 1000 }));
}

suite('a refresh that a killed process has left', () => {
  test('is not repeated after it where a person is needed: the access token is used up first', async (t) => {
    const { fake, file, source } = await scene(t, DUE);
    leaveMark(file, 'R1', 51);
    assert.equal(await source(stored()).get(), 'A1');
    storePair(file, fake.url, EXPIRED);
    await assert.rejects(source(stored()).get(), failsWith('login-needed', /interrupted.*tessera login/));
    assert.deepEqual(fake.asked, []);
  });

  test('keeps its time through further attempts', async (t) => {
    const { fake, file, source } = await scene(t, EXPIRED);
    leaveMark(file, 'R1', 1);
    fake.next.push(
      { status: 503, body: { error: 'temporarily_unavailable' } },
      'drop after',
      'drop after',
      'drop after',
    );
    const tokens = source(alone(), { retryWindowSeconds: 2, timeoutSeconds: 20 });
    assert.equal(await tokens.get(), `A${fake.generation}`);
    assert.deepEqual(fake.asked.at(-2)?.form['grant_type'], 'urn:ietf:params:oauth:grant-type:jwt-bearer');
    assert.ok(fake.presented().length < 4, 'it gave up before the window ended');
  });

  test('of another refresh token means nothing', async (t) => {
    const { source, file } = await scene(t, EXPIRED);
    leaveMark(file, 'R0', 500);
    assert.equal(await source(stored()).get(), 'A2');
  });
});

for (const status of [502, 503])
  test(`an outage of which a proxy says ${status} costs no login, however long it lasts`, async (t) => {
    const { fake, file, source } = await scene(t, EXPIRED);
    fake.next.push(...Array.from({ length: 100 }, () => ({ status })));
    const tokens = source(stored(), { timeoutSeconds: 0.2, retryWindowSeconds: 1 });
    await assert.rejects(tokens.get(), failsWith('unavailable', /The grant is fine/));
    assert.deepEqual(namesIn(dirname(file)), ['tokens.json'], 'no mark that it was presented');
    await sleep(1_000);
    fake.next.length = 0;
    assert.equal(await tokens.get(), 'A2');
  });

test('a lost answer is remembered: after the window, its token is never presented again, by no process', async (t) => {
  const { fake, source } = await scene(t, EXPIRED);
  fake.next.push('drop after', ...Array.from({ length: 100 }, () => 'drop before' as const));
  const impatient = { timeoutSeconds: 0.2, retryWindowSeconds: 1 };
  await assert.rejects(source(stored(), impatient).get(), TokenFailure);
  const presented = fake.presented().length;
  assert.ok(presented > 0);
  await sleep(1_000);
  fake.next.length = 0;
  assert.equal(await source(alone(), { retryWindowSeconds: 1 }).get(), `A${fake.generation}`);
  assert.equal(fake.presented().length, presented, 'the server would take it for a stolen one');
});

/** The store of the file, with some steps replaced. */
function storeWith(file: string, changesOf: (held: HeldStore) => Partial<HeldStore>): TokenStore {
  const store = fileStore(file);
  const lock = async () => {
    const held = await store.lock();
    return held && Object.assign(held, changesOf(held));
  };
  return { ...store, lock };
}

/** A store that tells what is done with it. */
function watched(file: string, steps: string[]): TokenStore {
  return storeWith(file, (held) => {
    const [reserve, present] = [held.reserve.bind(held), held.present.bind(held)];
    return {
      reserve: () => {
        steps.push('reserve');
        return reserve();
      },
      present: (token, since) => {
        steps.push('present');
        return present(token, since);
      },
    };
  });
}

suite('the mark that a refresh token was presented', () => {
  test('is written when the connection stands, just before the token is sent', async (t) => {
    const { fake, file } = await scene(t, EXPIRED);
    const steps: string[] = [];
    fake.watch = (step) => steps.push(step);
    const store = watched(file, steps);
    const tokens = tokenSource({ server: fake.url, clientId: 'orders-sync', by: stored(), store });
    assert.equal(await tokens.get(), 'A2');
    assert.deepEqual(steps, ['reserve', 'asked for metadata', 'present', 'asked for a token']);
  });

  test('is not written while nobody can connect: a process that is killed then leaves none', async (t) => {
    const { fake, file } = await scene(t, EXPIRED);
    fake.lifetime = 0;
    const steps: string[] = [];
    const store = watched(file, steps);
    const tokens = tokenSource({ server: fake.url, clientId: 'orders-sync', by: stored(), store, timeoutSeconds: 1 });
    await tokens.get(); // now it knows the metadata
    await fake.stop();
    steps.length = 0;
    await assert.rejects(tokens.get(), failsWith('unavailable', /ECONNREFUSED/));
    assert.deepEqual([...new Set(steps)], ['reserve']);
  });

  test('cannot be written: the token is not sent', async (t) => {
    const { fake, file } = await scene(t, EXPIRED);
    const full = new TokenFailure('storage', 'The disk is full', 'Free some space.');
    const store = storeWith(file, () => ({ present: () => Promise.reject(full) }));
    const options = { server: fake.url, clientId: 'orders-sync', by: stored() };
    const tokens = tokenSource({ ...options, store });
    await assert.rejects(tokens.get(), failsWith('storage', /The disk is full/));
    assert.deepEqual(fake.asked, []);
    assert.equal(await tokenSource({ ...options, store: file }).get(), 'A2');
  });

  test('grew too old while the connection was made: the token is not sent', async (t) => {
    const { fake, file, source } = await scene(t, EXPIRED);
    leaveMark(file, 'R1', 49);
    fake.metadataAfterMs = 1_500;
    assert.equal(await source(alone()).get(), 'A2');
    assert.deepEqual(fake.presented(), []);
  });
});
