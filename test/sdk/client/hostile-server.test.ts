// What a token source does with answers that no good server sends.
import assert from 'node:assert/strict';
import { type AddressInfo, createServer } from 'node:net';
import { suite, test } from 'node:test';
import { device } from '../../../sdk/client/src/by/device.ts';
import { Door } from '../../../sdk/client/src/door/door.ts';
import { scene } from './token-scene.ts';

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
