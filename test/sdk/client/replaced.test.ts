// What fetch() does about a token that an API answers with 401, and when a refresh is tried again.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite, type TestContext, test } from 'node:test';
import { stored } from '../../../sdk/client/src/by/stored.ts';
import { storePair } from './token-file.ts';
import { alone, FRESH, failsWith, scene } from './token-scene.ts';

/** An API that accepts only this token, and what it was sent. */
async function anApi(t: TestContext, accepted: string) {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    const token = request.headers.authorization?.replace('Bearer ', '') ?? '';
    seen.push(token);
    response.writeHead(token === accepted ? 200 : 401).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, seen };
}

suite('a token that is answered with 401', () => {
  test('is refreshed, and the request repeated', async (t) => {
    const { fake, source } = await scene(t, { obtained: -31, expires: 600 });
    const api = await anApi(t, 'A2');
    assert.equal((await source(stored()).fetch(api.url)).status, 200);
    assert.deepEqual(api.seen, ['A1', 'A2']);
    assert.deepEqual(fake.presented(), ['R1']);
  });

  test('is not refreshed if it is younger than 30 seconds: the next one would be refused, too', async (t) => {
    const { fake, source } = await scene(t, { obtained: -25, expires: 600 });
    const api = await anApi(t, 'A2');
    assert.equal((await source(stored()).fetch(api.url)).status, 401);
    assert.deepEqual([api.seen, fake.presented()], [['A1'], []]);
  });

  test('is refreshed if the clock was set back since it was obtained', async (t) => {
    const { source } = await scene(t, { obtained: 100, expires: 700 });
    const api = await anApi(t, 'A2');
    assert.equal((await source(stored()).fetch(api.url)).status, 200);
  });

  test('is replaced by what another process has stored meanwhile', async (t) => {
    const { fake, file, source } = await scene(t, { obtained: -31, expires: 600 });
    const api = await anApi(t, 'A1');
    const client = source(stored());
    assert.equal((await client.fetch(api.url)).status, 200);
    storePair(file, fake.url, FRESH);
    writeFileSync(file, readFileSync(file, 'utf8').replace('A1', 'A7'));
    const other = await anApi(t, 'A7');
    assert.equal((await client.fetch(other.url)).status, 200);
    assert.deepEqual([other.seen, fake.presented()], [['A1', 'A7'], []]);
  });
});

suite('a refresh ahead of time that fails', () => {});

suite('revoke', () => {
  test('of a source without tokens asks nobody', async (t) => {
    const { fake, source } = await scene(t);
    await source(stored()).revoke();
    assert.deepEqual(fake.asked, []);
  });

  test('ends the refresh token, or the access token if there is no other', async (t) => {
    const { fake, source } = await scene(t, FRESH);
    await source(alone()).revoke();
    assert.equal(fake.asked.at(-1)?.form['token'], 'R1');
    const single = await scene(t, { ...FRESH, refreshToken: null });
    await single.source(alone()).revoke();
    assert.equal(single.fake.asked.at(-1)?.form['token'], 'A1');
    await assert.rejects(source(stored()).get(), failsWith('login-needed', /There are no tokens/));
  });
});
