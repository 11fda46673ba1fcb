import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { assertion } from '../../../sdk/client/src/by/assertion.ts';
import { stored } from '../../../sdk/client/src/by/stored.ts';
import type { Way } from '../../../sdk/client/src/by/way.ts';
import { TokenFailure } from '../../../sdk/client/src/failure.ts';
import { fileStore } from '../../../sdk/client/src/store/file-store.ts';
import type { HeldStore, TokenStore } from '../../../sdk/client/src/store/token-store.ts';
import { type TokenSource, tokenSource } from '../../../sdk/client/src/token-source.ts';
import { type FakeServer, startFake } from './fake-server.ts';
import { fileFor, namesIn, storePair } from './token-file.ts';

const EXPIRED = { obtained: -600, expires: -1 };
const DUE = { obtained: -590, expires: 10 };
const FRESH = { obtained: 0, expires: 600 };

interface Scene {
  readonly fake: FakeServer;
  readonly file: string;
  readonly source: (by: Way, more?: { timeoutSeconds?: number; retryWindowSeconds?: number }) => TokenSource;
}

/** A server at generation 1, and a file with the pair of that generation. */
async function scene(t: TestContext, pair?: Parameters<typeof storePair>[2]): Promise<Scene> {
  const fake = await startFake(t);
  const file = fileFor(t);
  if (pair) storePair(file, fake.url, pair);
  if (pair) fake.generation = 1;
  const source: Scene['source'] = (by, more = {}) =>
    tokenSource({ server: fake.url, clientId: 'orders-sync', by, store: file, timeoutSeconds: 5, ...more });
  return { fake, file, source };
}

const alone = () => assertion({ assertion: () => 'eyJ' });

/** What a process leaves that was killed while it waited for the answer to a refresh. */
function leaveMark(file: string, refreshToken: string, secondsAgo: number): void {
  const token = createHash('sha256').update(refreshToken).digest('hex');
  writeFileSync(`${file}.presented`, JSON.stringify({ token, since: Date.now() - secondsAgo * 1000 }));
}

function failsWith(reason: TokenFailure['reason'], message: RegExp) {
  return (error: unknown) => {
    assert.equal((error as TokenFailure).reason, reason, String(error));
    assert.match((error as TokenFailure).message, message);
    return true;
  };
}

suite('a token source', () => {
  test('starts by itself, and asks the server once for any number of calls', async (t) => {
    const { fake, file, source } = await scene(t);
    const tokens = source(alone());
    const got = await Promise.all(Array.from({ length: 20 }, () => tokens.get()));
    assert.deepEqual([...new Set(got)], ['A1']);
    assert.equal(await source(alone()).get(), 'A1', 'another source finds it in the file');
    assert.deepEqual(
      fake.asked.map(({ form }) => form),
      [{ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion: 'eyJ', client_id: 'orders-sync' }],
    );
    assert.deepEqual(namesIn(dirname(file)), ['tokens.json'], 'nothing else is left');
  });

  test('refreshes an expired pair, whatever made the grant', async (t) => {
    const { fake, source } = await scene(t, EXPIRED);
    assert.equal(await source(stored()).get(), 'A2');
    assert.deepEqual(fake.presented(), ['R1']);
  });

  test('refreshes ahead of expiry', async (t) => {
    const { source } = await scene(t, DUE);
    assert.equal(await source(stored()).get(), 'A2');
  });

  test('asks nobody while the token is fresh', async (t) => {
    const { fake, source } = await scene(t, FRESH);
    assert.equal(await source(stored()).get(), 'A1');
    assert.deepEqual(fake.asked, []);
  });

  test('returns the old token while it works and the server does not', async (t) => {
    const { fake, source } = await scene(t, DUE);
    fake.next.push({ status: 503, body: { error: 'temporarily_unavailable' } });
    const tokens = source(stored());
    assert.equal(await tokens.get(), 'A1');
    assert.equal(await tokens.get(), 'A1', 'and does not ask again at once');
    assert.equal(fake.asked.length, 1);
  });

  test('returns the old token while it works and a new grant is refused: an assertion may be good for one only', async (t) => {
    const { fake, source } = await scene(t, { ...DUE, refreshToken: null });
    fake.next.push({ status: 400, body: { error: 'invalid_grant', error_description: 'It was used before.' } });
    assert.equal(await source(alone()).get(), 'A1');
    assert.equal(fake.asked.length, 1);
  });

  test('repeats the same refresh token after a lost answer and gets the same pair', async (t) => {
    const { fake, file, source } = await scene(t, EXPIRED);
    fake.next.push('drop after', 'drop before', { status: 502 });
    assert.equal(await source(stored()).get(), 'A2');
    assert.deepEqual(fake.presented(), ['R1', 'R1', 'R1', 'R1']);
    assert.deepEqual(namesIn(dirname(file)), ['tokens.json']);
  });

  test('waits as long as the server says', async (t) => {
    const { fake, source } = await scene(t, EXPIRED);
    const body = { error: 'temporarily_unavailable' };
    fake.next.push({ status: 503, body, headers: { 'retry-after': '1' } });
    const began = Date.now();
    assert.equal(await source(stored()).get(), 'A2');
    assert.ok(Date.now() - began >= 1000);
  });

  test('fails with unavailable when its time is up, and leaves no mark that the token was presented', async (t) => {
    const { fake, file, source } = await scene(t, EXPIRED);
    const body = { error: 'temporarily_unavailable', error_description: 'Come back later.' };
    fake.next.push({ status: 503, body, headers: { 'retry-after': '60' } });
    await assert.rejects(source(stored()).get(), failsWith('unavailable', /Come back later\. The grant is fine/));
    assert.deepEqual(namesIn(dirname(file)), ['tokens.json']);
  });

  test('a server that is not there has seen nothing', async (t) => {
    const { fake, file, source } = await scene(t, EXPIRED);
    await fake.stop();
    await assert.rejects(source(stored(), { timeoutSeconds: 1 }).get(), failsWith('unavailable', /ECONNREFUSED/));
    assert.deepEqual(namesIn(dirname(file)), ['tokens.json']);
  });

  test('says when the server refuses, and keeps the tokens', async (t) => {
    const { fake, source } = await scene(t, EXPIRED);
    fake.next.push({ status: 401, body: { error: 'invalid_client', error_description: 'No such integration.' } });
    await assert.rejects(source(stored()).get(), failsWith('refused', /No such integration \(invalid_client\)/));
    assert.equal(await source(stored()).get(), 'A2');
  });

  test('revokes the grant and removes the file', async (t) => {
    const { fake, file, source } = await scene(t, FRESH);
    await source(stored()).revoke();
    assert.deepEqual(fake.asked, [{ path: '/revoke', form: { token: 'R1', client_id: 'orders-sync' } }]);
    assert.deepEqual(namesIn(dirname(file)), []);
  });

  test('login replaces the grant and ends the old one', async (t) => {
    const { fake, source } = await scene(t, FRESH);
    const { accessToken } = await source(alone()).login();
    assert.equal(accessToken, 'A2');
    assert.deepEqual(fake.asked.at(-1), { path: '/revoke', form: { token: 'R1', client_id: 'orders-sync' } });
  });
});

suite('a grant that has ended', () => {
  const ended = { status: 400, body: { error: 'invalid_grant', error_description: 'The grant was revoked.' } };

  test('is replaced where no person is needed', async (t) => {
    const { fake, source } = await scene(t, EXPIRED);
    fake.next.push(ended);
    assert.equal(await source(alone()).get(), 'A2');
    assert.deepEqual(fake.presented(), ['R1']);
  });

  test('is reported if it cannot be replaced, although the access token has time left', async (t) => {
    const { fake, source } = await scene(t, DUE);
    fake.next.push(ended, { status: 400, body: { error: 'invalid_grant', error_description: 'It was used before.' } });
    await assert.rejects(source(alone()).get(), failsWith('refused', /It was used before/));
  });

  test('is reported where a person is needed, and its token is not presented again', async (t) => {
    const { fake, source } = await scene(t, DUE);
    fake.next.push(ended);
    const tokens = source(stored());
    for (const _ of ['first', 'second'])
      await assert.rejects(tokens.get(), failsWith('login-needed', /The grant was revoked\. Do: tessera login/));
    assert.equal(fake.asked.length, 1);
  });

  test('without any tokens, stored() says what to do', async (t) => {
    const { source } = await scene(t);
    await assert.rejects(
      source(stored()).get(),
      failsWith('login-needed', /There are no tokens for .*Do: tessera login/),
    );
  });
});

suite('a refresh that a killed process has left', () => {
  test('is repeated within the retry window', async (t) => {
    const { fake, file, source } = await scene(t, EXPIRED);
    leaveMark(file, 'R1', 40);
    assert.equal(await source(stored()).get(), 'A2');
    assert.deepEqual(fake.presented(), ['R1']);
    assert.deepEqual(namesIn(dirname(file)), ['tokens.json']);
  });

  test('is not repeated after it: a new grant is made, and the old one is ended', async (t) => {
    const { fake, file, source } = await scene(t, EXPIRED);
    leaveMark(file, 'R1', 51);
    assert.equal(await source(alone()).get(), 'A2');
    assert.deepEqual(fake.presented(), []);
    assert.deepEqual(fake.asked.at(-1), { path: '/revoke', form: { token: 'A1', client_id: 'orders-sync' } });
  });

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
    const { reserve, present } = held;
    return {
      reserve: () => {
        steps.push('reserve');
        return reserve.call(held);
      },
      present: (token, since) => {
        steps.push('present');
        return present.call(held, token, since);
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

suite('no refresh is requested', () => {
  test('if the space for the answer cannot be reserved', async (t) => {
    const { fake, file, source } = await scene(t, EXPIRED);
    mkdirSync(`${file}.next`);
    await assert.rejects(
      source(stored()).get(),
      failsWith('storage', /Cannot use .*tokens\.json.*The grant is unharmed/),
    );
    assert.deepEqual(fake.asked, []);
  });

  test('if the tokens are those of another integration', async (t) => {
    const { fake, file } = await scene(t, EXPIRED);
    const other = tokenSource({ server: fake.url, clientId: 'other', by: stored(), store: file });
    await assert.rejects(other.get(), failsWith('usage', /holds tokens of orders-sync at http/));
    assert.deepEqual(fake.asked, []);
  });

  test('from a server that calls itself something else', async (t) => {
    const { fake, file } = await scene(t);
    const server = fake.url.replace('127.0.0.1', 'localhost');
    const source = tokenSource({ server, clientId: 'orders-sync', by: alone(), store: file });
    await assert.rejects(source.get(), failsWith('usage', /calls itself http:\/\/127\.0\.0\.1/));
    assert.deepEqual(fake.asked, []);
  });

  test('over plain HTTP to another machine', () => {
    const options = { clientId: 'x', by: stored(), store: 'nowhere' };
    assert.throws(
      () => tokenSource({ ...options, server: 'http://tokens.example' }),
      failsWith('usage', /https address/),
    );
  });
});
