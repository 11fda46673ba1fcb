// What a token source does with answers that no good server sends.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { suite, test } from 'node:test';
import { type DevicePrompt, device } from '../../../sdk/client/src/by/device.ts';
import { stored } from '../../../sdk/client/src/by/stored.ts';
import { Door } from '../../../sdk/client/src/door/door.ts';
import type { StoredTokens } from '../../../sdk/client/src/tokens.ts';
import { alone, EXPIRED, failsWith, scene } from './token-scene.ts';

suite('a token answer', () => {
  for (const access_token of ['A\r\nX-Evil: 1', 'A\u0000', 'A\u001b[2J', 'Ä', '', 7, null, {}])
    test(`with the access token ${JSON.stringify(access_token)} is not taken, and the pair stays`, async (t) => {
      const { fake, file, source } = await scene(t, EXPIRED);
      const before = readFileSync(file, 'utf8');
      fake.next.push(...Array.from({ length: 50 }, () => ({ status: 200, body: { access_token, expires_in: 600 } })));
      const tokens = source(stored(), { timeoutSeconds: 0.3 });
      await assert.rejects(tokens.get(), failsWith('unavailable', /status 200/));
      assert.equal(readFileSync(file, 'utf8'), before);
    });

  // JSON.parse makes Infinity of 1e400.
  for (const lifetime of ['1e400', '1e300', '-5', '0', '"soon"', 'null', '{}', '"600"'])
    test(`with the lifetimes ${lifetime} leaves a file that can be loaded`, async (t) => {
      const { fake, file, source } = await scene(t);
      const times = `"expires_in":${lifetime},"refresh_token_expires_in":${lifetime}`;
      fake.next.push({ status: 200, body: `{"access_token":"A1","refresh_token":"R1",${times}}` });
      assert.equal(await source(alone()).get(), 'A1');
      const { expiresAt, refreshUntil = 0 } = JSON.parse(readFileSync(file, 'utf8')) as StoredTokens;
      assert.ok(Number.isFinite(expiresAt) && Number.isFinite(refreshUntil));
      await source(stored(), { timeoutSeconds: 0.3 })
        .get()
        .catch((error) => assert.notEqual(error.reason, 'storage', error.message));
    });
});

test('a call that is aborted while the server is silent ends at once', async (t) => {
  const leaving = new AbortController();
  const silent = createServer(() => leaving.abort());
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  t.after(() => silent.close());
  const server = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const door = new Door({ server, clientId: 'orders-sync', ca: () => undefined, timeoutMs: 2 ** 30 });
  assert.equal((await door.token({}, { signal: leaving.signal })).kind, 'later');
});

suite('a device authorization', () => {
  for (const interval of [-5, 0, 1e12, 'often', null])
    test(`with the interval ${interval} is not polled without a pause`, async (t) => {
      const { fake, source } = await scene(t);
      fake.device = { device_code: 'D1', user_code: 'BCDF', verification_uri: 'https://x/', expires_in: 600, interval };
      const pending = { status: 400, body: { error: 'authorization_pending' } };
      fake.next.push(...Array.from({ length: 1000 }, () => pending));
      const leaving = new AbortController();
      const show = () => void setTimeout(() => leaving.abort(), 200);
      await assert.rejects(source(device({ show })).login({ signal: leaving.signal }));
      assert.deepEqual(
        fake.asked.map(({ path }) => path),
        ['/device'],
      );
    });

  test('shows no control characters to the person', async (t) => {
    const { fake, source } = await scene(t);
    fake.device = {
      device_code: 'D1',
      user_code: 'BC\u001b[2JDF',
      verification_uri: 'https://x/\u0007',
      interval: 300,
    };
    const leaving = new AbortController();
    const shown: DevicePrompt[] = [];
    const show = (prompt: DevicePrompt) => {
      shown.push(prompt);
      leaving.abort();
    };
    await assert.rejects(source(device({ show })).login({ signal: leaving.signal }));
    assert.deepEqual([shown[0]?.userCode, shown[0]?.verificationUri], ['BC?[2JDF', 'https://x/?']);
  });

  test('that is aborted rejects with the reason of the signal, also while the server is away', async (t) => {
    const { fake, source } = await scene(t);
    await fake.stop();
    const reason = new Error('the person has left');
    const leaving = new AbortController();
    const login = source(device({ show: () => undefined }), { timeoutSeconds: 0 }).login({ signal: leaving.signal });
    leaving.abort(reason);
    await assert.rejects(login, (error) => error === reason || (error as Error).cause === reason);
  });
});

test('an answer of more than a megabyte is not taken', async (t) => {
  const { fake, source } = await scene(t, EXPIRED);
  const body = {
    access_token: 'A9',
    refresh_token: 'R9',
    token_type: 'Bearer',
    expires_in: 600,
    pad: 'x'.repeat(1_000_000),
  };
  fake.next.push({ status: 200, body });
  assert.notEqual(await source(stored()).get(), 'A9');
});
