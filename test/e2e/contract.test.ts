// Sections 3, 4 and 7 of the contract, row by row, over HTTP/1.1 and HTTP/2. Bodies are compared exactly.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { identities } from '../../src/store/tables/identities.ts';
import { given } from '../given.ts';
import { ADA, anIdentity } from '../samples.ts';
import { type Answer, form, json, PROTOCOLS } from './caller.ts';
import { MALLORY, NARROWED, startService } from './service.ts';
import {
  assertRefused,
  CERTIFICATE,
  CLIENT,
  confirm,
  DEVICE_GRANT,
  deny,
  pairByCertificate,
  pairByDevice,
  redeem,
  refresh,
  refreshed,
  SCOPE,
  startedDevice,
  TOKEN,
  verify,
} from './steps.ts';

const OPAQUE = (prefix: string) => new RegExp(`^${prefix}[A-Za-z0-9_-]{94}==$`);
const DAYS_90 = 90 * 86_400;
const DAYS_365 = 365 * 86_400;

/** Contract 2.1: every field, its type, and no others. */
function assertTokenGrant(answer: Answer, expected: { now: number; scope: string; identity?: string }): void {
  assert.equal(answer.status, 200, answer.text);
  const { access_token, refresh_token, expires_in, expires, refresh_until, ...rest } = answer.json;
  assert.match(String(access_token), OPAQUE('tsa_'));
  assert.match(String(refresh_token), OPAQUE('tsr_'));
  for (const number of [expires_in, expires, refresh_until]) assert.ok(Number.isInteger(number), answer.text);
  assert.ok(Math.abs(Number(expires) - expected.now - DAYS_90) <= 2, 'expires = now + lifetime');
  assert.ok(Math.abs(Number(expires_in) - DAYS_90) <= 2, 'expires_in = expires - now');
  assert.ok(Math.abs(Number(refresh_until) - expected.now - DAYS_365) <= 2, 'refresh_until = now + grant lifetime');
  const { scope, identity } = expected;
  assert.deepEqual(rest, { token_type: 'Bearer', scope, ...(identity && { identity }) });
}

for (const protocol of PROTOCOLS) {
  suite(`the contract over ${protocol}`, () => {
    const service = given(() => startService());
    const caller = given(() => service.caller(service.ada, protocol));
    const bare = given(() => service.caller(undefined, protocol));

    suite('states and transitions [contract 3]', () => {
      test('a device code stays pending until the browser confirms [contract 3, row 1]', async () => {
        const { device_code } = await startedDevice(bare);
        for (let poll = 0; poll < 2; poll++)
          assertRefused(await redeem(bare, device_code), 400, 'authorization_pending');
      });

      test('a confirmed device code yields a token grant, without identity [contract 3, row 2]', async () => {
        const started = await startedDevice(bare, CLIENT, 'orders:read');
        await confirm(service, started);
        const answer = await redeem(bare, started.device_code);
        assertTokenGrant(answer, { now: service.now(), scope: 'orders:read' });
        assert.equal((await verify(bare, String(answer.json['access_token']))).json['identity'], ADA);
      });

      test('a device code is redeemed once only, and its grant stays valid [contract 3, row 2]', async () => {
        const started = await startedDevice(bare);
        await confirm(service, started);
        const first = await redeem(bare, started.device_code);
        assertRefused(await redeem(bare, started.device_code), 400, 'invalid_grant', /redeemed before/);
        assert.equal((await refresh(bare, String(first.json['refresh_token']))).status, 200);
      });

      test('a refresh token yields a new pair while the access token is valid, without identity [contract 3, row 3]', async () => {
        const pair = await pairByCertificate(caller);
        const answer = await refresh(bare, pair.refresh_token);
        assertTokenGrant(answer, { now: service.now(), scope: SCOPE });
        assert.notEqual(answer.json['access_token'], pair.access_token);
        assert.notEqual(answer.json['refresh_token'], pair.refresh_token);
        assert.equal(answer.json['refresh_until'], pair.refresh_until, 'refresh_until never moves');
      });

      test('a certificate yields a token grant with identity [contract 3, row 5]', async () => {
        const answer = await caller.ask({ path: CERTIFICATE, ...json({ client_id: CLIENT, scope: SCOPE }) });
        assertTokenGrant(answer, { now: service.now(), scope: SCOPE, identity: ADA });
      });

      test('the shape of identity is <label>:<braced guid> [contract 2.1]', async () => {
        const answer = await caller.ask({ path: CERTIFICATE, ...json({ client_id: CLIENT, scope: SCOPE }) });
        assert.match(String(answer.json['identity']), /^[A-Za-z]+:\{[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\}$/);
      });
    });

    suite('Authorize/Token [contract 4.1]', () => {
      test('a device code can be exchanged by form, and the answer is JSON [contract 4.1]', async () => {
        const started = await startedDevice(bare);
        await confirm(service, started);
        const fields = { client_id: CLIENT, grant_type: DEVICE_GRANT, device_code: started.device_code };
        const answer = await bare.ask({ path: TOKEN, ...form(fields) });
        assertTokenGrant(answer, { now: service.now(), scope: 'orders:read' });
        assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8');
      });

      test('parameter names are case sensitive [contract 4]', async () => {
        const { refresh_token } = await pairByCertificate(caller);
        const answer = await bare.ask({ path: TOKEN, ...json({ Client_Id: CLIENT, refresh_token }) });
        assertRefused(answer, 400, 'invalid_request', /client_id is missing/);
      });

      test('client_id is case sensitive [contract 4.1]', async () => {
        const { refresh_token } = await pairByCertificate(caller);
        assertRefused(await refresh(bare, refresh_token, 'Orders-Sync'), 400, 'invalid_grant', /case sensitive/);
      });

      test('neither operation needs a bearer token, and a stray Authorization header is ignored [contract 4, 5.1]', async () => {
        const pair = await pairByCertificate(caller);
        for (const authorization of ['Bearer nonsense', 'Basic Zm9vOmJhcg==', 'Digest x', '']) {
          const question = json({ client_id: CLIENT, refresh_token: pair.refresh_token });
          const answer = await bare.ask({ ...question, path: TOKEN, headers: { ...question.headers, authorization } });
          assert.equal(answer.status, 200, answer.text);
        }
      });
    });

    suite('Authorize/Certificate [contract 4.2]', () => {
      test('the scope may be a subset of the integration’s and is echoed unchanged [contract 2.1, 4.2]', async () => {
        for (const scope of ['orders:write', 'Orders:read', 'STOCK:read;', 'orders', 'orders:read;orders:write']) {
          const answer = await caller.ask({ path: CERTIFICATE, ...json({ client_id: CLIENT, scope }) });
          assert.deepEqual([answer.status, answer.json['scope']], [200, scope]);
          const next = await refresh(caller, String(answer.json['refresh_token']));
          assert.equal(next.json['scope'], scope, 'on refresh it equals the scope of the original authorization');
        }
      });

      test('without a certificate: 401 [contract 4.2, 5.4]', async () => {
        const answer = await bare.ask({ path: CERTIFICATE, ...json({ client_id: CLIENT, scope: SCOPE }) });
        assertRefused(answer, 401, 'invalid_client', /No client certificate/);
      });

      test('a form is refused [contract 4.2]', async () => {
        const answer = await caller.ask({ path: CERTIFICATE, ...form({ client_id: CLIENT, scope: SCOPE }) });
        assertRefused(answer, 400, 'invalid_request', /application\/json/);
      });
    });

    suite('errors of Authorize/Token [contract 7.1]', () => {
      test('authorization_pending: the browser confirmation is missing; the description says when to retry [contract 7.1]', async () => {
        const { device_code } = await startedDevice(bare);
        assertRefused(await redeem(bare, device_code), 400, 'authorization_pending', /Ask again in 5 seconds/);
      });

      test('invalid_client: browser-based authentication is disabled [contract 7.1]', async () => {
        const { device_code } = await startedDevice(bare);
        assertRefused(await redeem(bare, device_code, 'no-device'), 400, 'invalid_client', /disabled/);
      });

      test('invalid_request: client_id is missing [contract 7.1]', async () => {
        const answer = await bare.ask({ path: TOKEN, ...json({ refresh_token: 'tsr_x' }) });
        assertRefused(answer, 400, 'invalid_request', /client_id is missing/);
      });

      test('invalid_grant: the device_code is invalid [contract 7.1]', async () => {
        assertRefused(await redeem(bare, 'tsd_nonsense'), 400, 'invalid_grant', /not issued here/);
      });

      test('invalid_grant: client_id does not match, for either credential, and nothing is spent [contract 7.1]', async () => {
        const pair = await pairByCertificate(caller);
        assertRefused(await refresh(bare, pair.refresh_token, 'other-sync'), 400, 'invalid_grant', /another client_id/);
        assert.equal((await refresh(bare, pair.refresh_token)).status, 200);
        const started = await startedDevice(bare);
        await confirm(service, started);
        const other = await redeem(bare, started.device_code, 'other-sync');
        assertRefused(other, 400, 'invalid_grant', /another client_id/);
        assert.equal((await redeem(bare, started.device_code)).status, 200);
      });

      test('unauthorized_client: denied in the browser, until the code expires [contract 7.1]', async () => {
        const started = await startedDevice(bare);
        await deny(service, started);
        for (let ask = 0; ask < 2; ask++)
          assertRefused(await redeem(bare, started.device_code), 400, 'unauthorized_client', /denied/);
      });

      test('unauthorized_client: the identity was disabled or lost access; nothing is spent [contract 7.1]', async () => {
        const started = await startedDevice(bare);
        await confirm(service, started, anIdentity({ id: MALLORY, userName: 'mallory' }));
        const pair = (await redeem(bare, started.device_code)).json;
        const token = String(pair['refresh_token']);
        const mallory = anIdentity({ id: MALLORY, userName: 'mallory' });
        await service.put(identities, { ...mallory, enabled: false });
        assertRefused(await refresh(bare, token), 400, 'unauthorized_client', /disabled/);
        assertRefused(await verify(bare, String(pair['access_token'])), 401, 'invalid_token');
        await service.put(identities, { ...mallory, mayUseApi: false });
        assertRefused(await refresh(bare, token), 400, 'unauthorized_client', /web API/);
        await service.put(identities, mallory);
        assert.equal((await refresh(bare, token)).status, 200);
      });

      test('invalid_scope: the integration no longer covers the grant, and nothing is spent [contract 7.1]', async () => {
        const integration = { ...service.ports.registry.integration('other-sync') };
        const full = integration as NonNullable<ReturnType<typeof service.ports.registry.integration>>;
        const pair = await pairByCertificate(caller, 'other-sync');
        await service.register({ ...full, scope: NARROWED });
        assertRefused(await refresh(bare, pair.refresh_token, 'other-sync'), 400, 'invalid_scope', /no longer covers/);
        assert.equal((await verify(bare, pair.access_token)).json['scope'], 'orders:read', 'a check narrows at once');
        await service.register(full);
        await refreshed(bare, pair, 'other-sync');
      });
    });

    suite('errors of Authorize/Certificate [contract 7.2]', () => {
      const rows = [
        { why: 'client_id is missing', body: { scope: SCOPE }, error: 'invalid_request' },
        { why: 'client_id is unknown', body: { client_id: 'nobody', scope: SCOPE }, error: 'invalid_grant' },
        { why: 'the integration is disabled', body: { client_id: 'disabled', scope: SCOPE }, error: 'invalid_grant' },
        { why: 'the scope is missing', body: { client_id: CLIENT }, error: 'invalid_scope' },
        { why: 'the scope is malformed', body: { client_id: CLIENT, scope: 'a b' }, error: 'invalid_scope' },
        { why: 'the scope exceeds', body: { client_id: CLIENT, scope: 'orders:admin' }, error: 'invalid_scope' },
        { why: 'the flow is off', body: { client_id: 'no-certificate', scope: SCOPE }, error: 'unauthorized_client' },
      ];
      for (const { why, body, error } of rows) {
        test(`${error}: ${why} [contract 7.2]`, async () => {
          assertRefused(await caller.ask({ path: CERTIFICATE, ...json(body) }), 400, error);
        });
      }
    });

    // Last, because they move the clock of the whole service.
    suite('as time passes [contract 3, 8]', () => {
      test('an expired device code is refused [contract 7.1]', async () => {
        const started = await startedDevice(bare);
        await confirm(service, started);
        service.pass(300);
        assertRefused(await redeem(bare, started.device_code), 400, 'invalid_grant', /expired/);
      });

      test('after expires and before refresh_until, the access token is refused and the refresh token works [contract 3, row 3]', async () => {
        const pair = await pairByDevice(service, bare);
        service.pass(DAYS_90);
        assertRefused(await verify(bare, pair.access_token), 401, 'invalid_token', /expired/);
        const next = await refreshed(bare, pair);
        assert.equal(next.refresh_until, pair.refresh_until);
        assert.equal((await verify(bare, next.access_token)).status, 200);
      });

      test('near the end of the grant, expires is refresh_until [spec-gaps: Authorize/Token]', async () => {
        const pair = await pairByDevice(service, bare);
        service.pass(DAYS_365 - 100);
        const next = await refreshed(bare, pair);
        assert.equal(next.expires, pair.refresh_until);
        assert.ok(next.expires_in <= 100 && next.expires_in > 90);
      });

      test('after refresh_until the refresh token no longer works [contract 3, row 4]', async () => {
        const pair = await pairByDevice(service, bare);
        service.pass(pair.refresh_until - service.now());
        assertRefused(await refresh(bare, pair.refresh_token), 400, 'invalid_grant', /expired/);
      });
    });
  });
}
