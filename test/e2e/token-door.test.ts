// Authorize/Token where the contract is silent: which error wins, retries and reuse, polling [spec-gaps: Authorize/Token] [spec-gaps: Refresh, exactly once].
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { given } from '../given.ts';
import { form, json, PROTOCOLS } from './caller.ts';
import { startService } from './service.ts';
import {
  assertRefused,
  CLIENT,
  confirm,
  DEVICE_GRANT,
  forged,
  type Pair,
  pairByCertificate,
  pairByDevice,
  redeem,
  refresh,
  refreshed,
  revoke,
  SCOPE,
  startedDevice,
  TOKEN,
  verify,
} from './steps.ts';

for (const protocol of PROTOCOLS) {
  suite(`Authorize/Token over ${protocol}`, () => {
    const ask = (body: object) => caller.ask({ path: TOKEN, ...json(body) });

    const service = given(() => startService());
    const caller = given(() => service.caller(service.ada, protocol));

    // Each step fixes the reason of the previous refusal and leaves everything after it wrong.
    test('errors of a refresh are checked in the documented order [spec-gaps: Authorize/Token]', async () => {
      const pair = await pairByCertificate(caller);
      const wrong = forged(pair.refresh_token);
      const other = await pairByCertificate(caller, 'other-sync');
      await revoke(caller, other.access_token);
      const rungs: readonly [answer: ReturnType<typeof ask>, error: string, about: RegExp][] = [
        [caller.ask({ path: TOKEN, ...json({}), body: '{' }), 'invalid_request', /could not be read/],
        [ask({ client_id: 1, refresh_token: wrong }), 'invalid_request', /not a string/],
        [ask({ refresh_token: wrong, device_code: 'x' }), 'invalid_request', /client_id is missing/],
        [ask({ client_id: 'nobody', refresh_token: wrong, device_code: 'x' }), 'invalid_request', /not both/],
        [ask({ client_id: 'nobody' }), 'invalid_request', /device_code with its grant_type, or a refresh_token/],
        [ask({ client_id: 'nobody', refresh_token: wrong }), 'invalid_grant', /not the Client ID/],
        [ask({ client_id: 'disabled', refresh_token: wrong }), 'invalid_grant', /disabled/],
        [ask({ client_id: CLIENT, refresh_token: wrong }), 'invalid_grant', /not issued here/],
        [ask({ client_id: CLIENT, refresh_token: other.refresh_token }), 'invalid_grant', /another client_id/],
        [ask({ client_id: 'other-sync', refresh_token: other.refresh_token }), 'invalid_grant', /revoked/],
      ];
      for (const [answer, error, about] of rungs) assertRefused(await answer, 400, error, about);
      assert.equal((await ask({ client_id: CLIENT, refresh_token: pair.refresh_token })).status, 200);
    });

    test('errors of a device code are checked in the documented order [spec-gaps: Authorize/Token]', async () => {
      const { device_code } = await startedDevice(caller);
      const rungs: readonly [body: object, error: string, about: RegExp][] = [
        [{ device_code, grant_type: 'other' }, 'invalid_request', /client_id is missing/],
        [{ client_id: 'nobody', device_code, grant_type: 'other' }, 'invalid_request', /grant_type does not fit/],
        [{ client_id: 'nobody', device_code }, 'invalid_request', /grant_type does not fit/],
        [
          { client_id: 'nobody', device_code, grant_type: DEVICE_GRANT, refresh_token: 'x' },
          'invalid_request',
          /not both/,
        ],
        [{ client_id: 'nobody', device_code, grant_type: DEVICE_GRANT }, 'invalid_grant', /not the Client ID/],
        [{ client_id: 'disabled', device_code, grant_type: DEVICE_GRANT }, 'invalid_grant', /disabled/],
        [{ client_id: 'no-device', device_code: 'x', grant_type: DEVICE_GRANT }, 'invalid_client', /disabled/],
        [{ client_id: CLIENT, device_code: 'x', grant_type: DEVICE_GRANT }, 'invalid_grant', /not issued here/],
        [{ client_id: 'other-sync', device_code, grant_type: DEVICE_GRANT }, 'invalid_grant', /another client_id/],
        [{ client_id: CLIENT, device_code, grant_type: DEVICE_GRANT }, 'authorization_pending', /Ask again/],
      ];
      for (const [body, error, about] of rungs) assertRefused(await ask(body), 400, error, about);
    });

    test('a refresh may have grant_type refresh_token and no other [spec-gaps: Authorize/Token]', async () => {
      const { refresh_token } = await pairByCertificate(caller);
      for (const grant_type of [DEVICE_GRANT, 'password', 'Refresh_Token'])
        assertRefused(
          await ask({ client_id: CLIENT, grant_type, refresh_token }),
          400,
          'invalid_request',
          /grant_type/,
        );
      assert.equal((await ask({ client_id: CLIENT, grant_type: 'refresh_token', refresh_token })).status, 200);
    });

    test('scope on a refresh is ignored [spec-gaps: Authorize/Token]', async () => {
      const { refresh_token } = await pairByCertificate(caller);
      const answer = await ask({ client_id: CLIENT, refresh_token, scope: 'everything:admin' });
      assert.deepEqual([answer.status, answer.json['scope']], [200, SCOPE]);
    });

    test('no refused request spends a credential [spec-gaps: Authorize/Token]', async () => {
      const pair = await pairByCertificate(caller);
      const { refresh_token } = pair;
      await ask({ client_id: 'other-sync', refresh_token });
      await ask({ client_id: 'nobody', refresh_token });
      await ask({ refresh_token });
      await ask({ client_id: CLIENT, refresh_token, device_code: 'x' });
      await caller.ask({ path: TOKEN, ...form({ client_id: CLIENT, refresh_token }) });
      await refreshed(caller, pair);
    });

    test('a retry gets the same pair, byte for byte, except expires_in [spec-gaps: Refresh, exactly once]', async () => {
      const pair = await pairByCertificate(caller);
      const { expires_in: once, ...first } = (await refresh(caller, pair.refresh_token)).json;
      service.pass(20);
      const { expires_in: again, ...second } = (await refresh(caller, pair.refresh_token)).json;
      assert.deepEqual(second, first);
      assert.ok(Math.abs(Number(once) - Number(again) - 20) <= 1);
    });

    test('once the successor has been used, the spent token is reuse and ends the grant [spec-gaps: Refresh, exactly once]', async () => {
      const pair = await pairByCertificate(caller);
      const second = await refreshed(caller, pair);
      const third = await refreshed(caller, second);
      assertRefused(await refresh(caller, pair.refresh_token), 400, 'invalid_grant', /used before/);
      assertRefused(await refresh(caller, third.refresh_token), 400, 'invalid_grant', /revoked/);
      for (const { access_token } of [pair, second, third])
        assertRefused(await verify(caller, access_token), 401, 'invalid_token');
    });

    test('after the window the spent token is reuse [spec-gaps: Refresh, exactly once]', async () => {
      const pair = await pairByCertificate(caller);
      const next = await refreshed(caller, pair);
      service.pass(62);
      assertRefused(await refresh(caller, pair.refresh_token), 400, 'invalid_grant', /used before/);
      assertRefused(await refresh(caller, next.refresh_token), 400, 'invalid_grant', /revoked/);
    });

    test('an access token works until its own expiry, even after refreshes [contract 1.2]', async () => {
      const pairs: Pair[] = [await pairByCertificate(caller)];
      for (let generation = 0; generation < 3; generation++) pairs.push(await refreshed(caller, pairs.at(-1) as Pair));
      for (const { access_token } of pairs) assert.equal((await verify(caller, access_token)).status, 200);
    });

    test('polling too fast is authorization_pending too, and a later polite poll succeeds [spec-gaps: Authorize/Token]', async () => {
      const started = await startedDevice(caller);
      for (let poll = 0; poll < 5; poll++)
        assertRefused(
          await redeem(caller, started.device_code),
          400,
          'authorization_pending',
          /Ask again in 5 seconds/,
        );
      await confirm(service, started);
      assert.equal((await redeem(caller, started.device_code)).status, 200);
    });

    test('two racing redemptions yield one grant [spec-gaps: Authorize/Token]', async () => {
      const started = await startedDevice(caller);
      await confirm(service, started);
      const answers = await Promise.all(Array.from({ length: 8 }, () => redeem(caller, started.device_code)));
      assert.equal(answers.filter(({ status }) => status === 200).length, 1);
      for (const answer of answers) if (answer.status !== 200) assertRefused(answer, 400, 'invalid_grant', /redeemed/);
    });

    test('with refresh: false the answer has no refresh_token, and refresh_until equals expires [spec-gaps: Departures]', async () => {
      const pair = await pairByCertificate(caller, 'no-refresh');
      assert.equal('refresh_token' in pair, false);
      assert.equal(pair.refresh_until, pair.expires);
      const byDevice = await pairByDevice(service, caller, 'no-refresh');
      assert.equal('refresh_token' in byDevice, false);
    });

    test('an integration can have its own lifetimes [spec-gaps: Lifetimes]', async () => {
      const pair = await pairByCertificate(caller, 'named-only');
      assert.equal(pair.expires_in, 3600);
      assert.equal(pair.refresh_until - pair.expires, 1800);
    });

    test('every truncation, extension and bit flip of a token is refused [threats: Refresh, revoke, device]', async () => {
      const { access_token, refresh_token } = await pairByCertificate(caller);
      for (const token of [access_token, refresh_token]) {
        const use = (text: string) => (token === access_token ? verify(caller, text) : refresh(caller, text));
        const refused = token === access_token ? 401 : 400;
        const strange = [
          token.slice(0, -1),
          token.slice(0, -2),
          `${token}=`,
          `${token}A`,
          token.slice(1),
          forged(token),
        ];
        for (const text of [...strange, token.toUpperCase(), token.replace('==', '%3D%3D')])
          assert.equal((await use(text)).status, refused, text.slice(0, 4));
      }
    });

    test('a token of one kind is refused as any other kind [threats: Refresh, revoke, device]', async () => {
      const { access_token, refresh_token } = await pairByCertificate(caller);
      const { device_code } = await startedDevice(caller);
      for (const text of [access_token, device_code]) assert.equal((await refresh(caller, text)).status, 400);
      for (const text of [access_token, refresh_token]) assert.equal((await redeem(caller, text)).status, 400);
      for (const text of [refresh_token, device_code]) assert.equal((await verify(caller, text)).status, 401);
      for (const text of [refresh_token, device_code]) assert.equal((await revoke(caller, text)).status, 401);
    });
  });
}
