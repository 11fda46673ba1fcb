// A token source: when it refreshes, when it starts over, and when it sends nothing.
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname } from 'node:path';
import { suite, test } from 'node:test';
import { stored } from '../../../sdk/client/src/by/stored.ts';
import { tokenSource } from '../../../sdk/client/src/token-source.ts';
import { namesIn } from './token-file.ts';
import { alone, DUE, EXPIRED, FRESH, failsWith, scene } from './token-scene.ts';

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

suite('an API that answers 401', () => {
  for (const [what, obtained, isReplaced] of [
    ['a token of this moment: a new one would not help', 0, false],
    ['a token that is some minutes old: a new one is tried', -300, true],
    ['a token that seems to be of tomorrow, since the clock was set back: a new one is tried', 86_400, true],
  ] as const)
    test(what, async (t) => {
      const { fake, source } = await scene(t, { obtained, expires: 600 });
      const seen: string[] = [];
      const api = createServer((request, response) => {
        seen.push(request.headers.authorization ?? '');
        response.writeHead(401).end();
      });
      await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
      t.after(() => api.close());
      const url = `http://127.0.0.1:${(api.address() as AddressInfo).port}/`;
      assert.equal((await source(stored()).fetch(url)).status, 401);
      assert.deepEqual(seen, isReplaced ? ['Bearer A1', 'Bearer A2'] : ['Bearer A1']);
      assert.deepEqual(fake.presented(), isReplaced ? ['R1'] : []);
    });
});
