// Device authorization at the oauth door (RFC 8628).
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { given } from '../given.ts';
import type { Answer } from './caller.ts';
import { OauthScene, TOKEN } from './oauth-scene.ts';
import { assertRefused, basic } from './oauth-steps.ts';
import { PUBLIC_URL } from './service.ts';
import { CLIENT, confirm, DEVICE_GRANT, deny } from './steps.ts';

const door = given(() => OauthScene.open());

suite('RFC 8628', () => {
  test('[RFC 8628 3.2] device authorization answers with codes, addresses, lifetime and interval', async () => {
    const { device_code, user_code, ...rest } = await door.startedDevice({ scope: 'orders:read' });
    assert.match(device_code, /^tsd_/);
    assert.deepEqual(rest, {
      verification_uri: `${PUBLIC_URL}/device`,
      verification_uri_complete: `${PUBLIC_URL}/device?user_code=${user_code}`,
      expires_in: 300,
      interval: 5,
    });
  });

  test('[RFC 8628 3.5] authorization_pending, access_denied, expired_token; a code is redeemed once', async () => {
    const denied = await door.startedDevice();
    assertRefused(await door.poll(denied.device_code), 400, 'authorization_pending');
    await deny(door.service, denied);
    assertRefused(await door.poll(denied.device_code), 400, 'access_denied');
    const started = await door.startedDevice();
    assertRefused(await door.poll(started.device_code, { client_id: 'other-sync' }), 400, 'invalid_grant');
    await confirm(door.service, started);
    const first = await door.poll(started.device_code);
    assert.equal(first.status, 200);
    assert.deepEqual((await door.poll(started.device_code)).json, first.json, 'the answer may have been lost');
    door.service.pass(61);
    assertRefused(await door.poll(started.device_code), 400, 'invalid_grant');
    const late = await door.startedDevice();
    door.service.pass(301);
    assertRefused(await door.poll(late.device_code), 400, 'expired_token');
  });

  test('[RFC 8628 3.5] polling too fast is slow_down, and the interval grows until the device obeys', async () => {
    const { device_code } = await door.startedDevice();
    assertRefused(await door.poll(device_code), 400, 'authorization_pending');
    door.service.pass(3);
    const hurried = await door.poll(device_code);
    assertRefused(hurried, 400, 'slow_down');
    assert.match(String(hurried.json['error_description']), /in 10 seconds/);
    door.service.pass(7);
    assertRefused(await door.poll(device_code), 400, 'slow_down');
    door.service.pass(16);
    assertRefused(await door.poll(device_code), 400, 'authorization_pending');
  });

  test('a library that repeats each failed request at once is never told to slow down', async () => {
    const started = await door.startedDevice();
    for (let round = 0; round < 4; round++) {
      assertRefused(await door.poll(started.device_code), 400, 'authorization_pending');
      assertRefused(await door.poll(started.device_code), 400, 'authorization_pending');
      door.service.pass(5);
    }
    await confirm(door.service, started);
    assert.equal((await door.poll(started.device_code)).status, 200);
  });
});

suite('polling as the oauth2 library of Go does', () => {
  // It does not know how to authenticate. So it tries HTTP Basic with an empty password, and after any failure sends client_id in
  // the form; both requests of a poll have client_id in the form. It forgets what it found out until a request succeeds.
  async function goPoll(device_code: string): Promise<Answer> {
    const fields = { client_id: CLIENT, grant_type: DEVICE_GRANT, device_code };
    const first = await door.post(TOKEN, fields, basic(CLIENT));
    return first.status === 200 ? first : door.post(TOKEN, fields);
  }

  test('[RFC 8628 3.5] never makes the interval longer, whatever the phase of the clock', async () => {
    const started = await door.startedDevice();
    for (const step of [5, 4, 6, 5, 4, 6, 5]) {
      door.service.pass(step);
      assertRefused(await goPoll(started.device_code), 400, 'authorization_pending');
    }
    await confirm(door.service, started);
    assert.equal((await goPoll(started.device_code)).status, 200);
  });

  test('[RFC 8628 3.5] but twice as often does, and the first poll that obeys is pending again', async () => {
    const { device_code } = await door.startedDevice();
    assertRefused(await goPoll(device_code), 400, 'authorization_pending');
    door.service.pass(2);
    assertRefused(
      await door.post(TOKEN, { client_id: CLIENT, grant_type: DEVICE_GRANT, device_code }),
      400,
      'slow_down',
    );
    door.service.pass(10);
    assertRefused(await goPoll(device_code), 400, 'authorization_pending');
  });
});
