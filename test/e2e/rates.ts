// Limits of rates: of one address, one resource server, one integration.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { given } from '../given.ts';
import { type Answer, type Caller, form, json, type Protocol } from './caller.ts';
import { startService } from './service.ts';
import {
  assertRefused,
  CLIENT,
  DEVICE,
  type Pair,
  pairByCertificate,
  redeem,
  refresh,
  refreshed,
  revoke,
  SCOPE,
  startedDevice,
  TOKEN,
  verify,
} from './steps.ts';

export function ratesOver(protocol: Protocol): void {
  suite(`rates over ${protocol}`, () => {
    /** The next one comes after a minute: not during a test, however busy the machine. */
    const few = { perMinute: 1, burst: 20 };

    async function exhaust(ask: () => Promise<Answer>): Promise<Answer> {
      for (let asked = 0; asked < 60; asked++) {
        const answer = await ask();
        if (answer.status === 429) return answer;
      }
      return assert.fail('no limit was met');
    }

    function assertLimited(answer: Answer): void {
      assertRefused(answer, 429, 'invalid_request', /Too many requests/);
      assert.match(String(answer.headers['retry-after']), /^[1-9]\d*$/);
      assert.equal(answer.headers['cache-control'], 'no-store');
    }

    suite('of one address', () => {
      const service = given(() => startService({ settings: { limits: { requestsPerAddress: few } } }));
      const caller = given(() => service.caller(service.ada, protocol));

      test('too many requests are 429 with Retry-After in the format of the door; a dead grant stays 400 [spec-gaps: All doors]', async () => {
        const [alive, dead] = [await pairByCertificate(caller), await pairByCertificate(caller)];
        const { device_code } = await startedDevice(caller);
        await revoke(caller, dead.access_token);
        assertLimited(await exhaust(() => caller.ask({ path: DEVICE, ...json({ client_id: CLIENT, scope: SCOPE }) })));
        assertRefused(await refresh(caller, dead.refresh_token), 400, 'invalid_grant', /revoked/);
        assertRefused(await refresh(caller, 'tsr_nonsense'), 400, 'invalid_grant');
        assertRefused(await redeem(caller, 'tsd_nonsense'), 400, 'invalid_grant');
        assertLimited(await refresh(caller, alive.refresh_token));
        assertLimited(await redeem(caller, device_code));
        for (const send of [verify, revoke]) assertLimited(await send(caller, 'tsa_nonsense'));
        assert.equal((await verify(caller, alive.access_token)).status, 200, 'checks have their own limit');
        for (let asked = 0; asked < 50; asked++) assert.equal((await caller.ask({ path: '/healthz' })).status, 200);
        assert.equal((await caller.ask({ path: '/readyz' })).status, 200);
        assert.equal((await caller.ask({ path: '/metrics' })).status, 200);
        assert.equal((await revoke(caller, alive.access_token)).status, 200, 'ending a grant is never put off');
      });

      const UNUSABLE: Readonly<Record<string, Parameters<Caller['ask']>[0]>> = {
        'an unknown path': { path: '/nowhere' },
        'a wrong method': { path: TOKEN },
        'broken JSON': { path: TOKEN, ...json({}), body: '{"clie' },
        'no client id': { path: TOKEN, ...json({ refresh_token: 'x' }) },
        'two credentials': { path: TOKEN, ...json({ client_id: CLIENT, refresh_token: 'x', device_code: 'x' }) },
        'a compressed body': {
          path: TOKEN,
          ...json({}),
          headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
        },
        'no grant type': { path: '/oauth2/token', ...form('a=1') },
        'a program at the page of people': { path: '/' },
      };
      for (const [what, request] of Object.entries(UNUSABLE))
        test(`too many requests that name no grant are 429: ${what}`, async () => {
          const { status, headers } = await exhaust(() => caller.ask(request));
          assert.equal(status, 429);
          assert.match(String(headers['retry-after']), /^[1-9]\d*$/);
        });

      /** How many lines a flood of 150 adds to the log, and the most that its rate allows in the time that it took. */
      async function linesOfFlood(request: Parameters<Caller['ask']>[0]): Promise<[lines: number, most: number]> {
        const [before, began] = [service.logLines.length, performance.now()];
        for (let asked = 0; asked < 150; asked++) await caller.ask(request);
        return [service.logLines.length - before, 60 + (performance.now() - began) / 100];
      }

      test('a flood of requests over the limit does not fill the log, and metrics count all of it', async () => {
        await exhaust(() => caller.ask({ path: '/nowhere' }));
        const [lines, most] = await linesOfFlood({ path: '/nowhere' });
        assert.ok(lines <= most, `${lines} lines`);
        const counted = /^tessera_requests_total\{operation="none".*reason="rate-limited".* (\d+)$/m;
        const [, count] = counted.exec((await caller.ask({ path: '/metrics' })).text) ?? [];
        assert.ok(Number(count) >= 150, `${count} counted`);
      });

      test('requests that are not limited do not fill the log either', async () => {
        for (const request of [
          { path: '/oauth2/jwks' },
          { path: '/oauth2/revoke', ...form('token=x&client_id=nobody') },
        ]) {
          const [lines, most] = await linesOfFlood(request);
          assert.ok(lines <= most, `${lines} lines`);
        }
      });
    });

    test('a refresh by form counts for its address, and says what is wrong with it however many come', async () => {
      await using own = await startService({ settings: { limits: { requestsPerAddress: few } } });
      const other = own.caller(undefined, protocol);
      const refreshing = { path: TOKEN, ...form({ client_id: CLIENT, refresh_token: 'x' }) };
      for (let asked = 0; asked < few.burst + 5; asked++)
        assertRefused(await other.ask(refreshing), 400, 'invalid_request', /application\/json/);
      assertLimited(await other.ask({ path: '/authsvc/nowhere' }));
    });

    test('after Retry-After the caller is served again, and nothing was spent [spec-gaps: All doors]', async () => {
      await using own = await startService({
        settings: { limits: { requestsPerAddress: { perMinute: 20, burst: 20 } } },
      });
      const other = own.caller(own.ada, protocol);
      let pair = await pairByCertificate(other);
      const ask = async () => {
        await exhaust(() => verify(other, 'tsa_nonsense'));
        return refresh(other, pair.refresh_token);
      };
      let limited = await ask();
      // On a busy machine, the next request may be allowed by then.
      for (; limited.status === 200; limited = await ask()) pair = limited.json as unknown as Pair;
      assertLimited(limited);
      await wait(Number(limited.headers['retry-after']) * 1000 + 100);
      await refreshed(other, pair);
    });

    suite('of one resource server', () => {
      const limits = { requestsPerAddress: few, checksPerAddress: { perMinute: 1, burst: 30 } };

      async function statusesOfChecks(exemptNetworks: readonly string[], token?: string): Promise<number[]> {
        await using service = await startService({ settings: { limits: { ...limits, exemptNetworks } } });
        const caller = service.caller(service.ada, protocol);
        const { access_token } = await pairByCertificate(caller);
        const checks = Array.from({ length: 40 }, () => verify(caller, token ?? access_token));
        return (await Promise.all(checks)).map(({ status }) => status);
      }
      const limitedOf = (statuses: readonly number[]) => statuses.filter((status) => status === 429).length;

      test('checks of authentic tokens have a limit of their own', async () => {
        const limited = limitedOf(await statusesOfChecks([]));
        assert.ok(limited > 0 && limited <= 10, `${limited} of 40 were limited`);
      });

      test('forged tokens are limited like other requests', async () => {
        const limited = limitedOf(await statusesOfChecks([], 'tsa_nonsense'));
        assert.ok(limited >= 15, `${limited} of 40 were limited`);
      });

      test('an exempt network has no limit per address', async () => {
        assert.equal(limitedOf(await statusesOfChecks(['127.0.0.0/8'])), 0);
        assert.equal(limitedOf(await statusesOfChecks(['127.0.0.1'], 'tsa_nonsense')), 0);
        assert.ok(limitedOf(await statusesOfChecks(['10.0.0.0/8'])) > 0, 'other networks are limited');
      });
    });

    suite('of one integration', () => {
      const service = given(() => startService({ settings: { limits: { requestsPerIntegration: few } } }));
      const caller = given(() => service.caller(service.ada, protocol));

      test('requests that are refused are not charged to the integration that they name', async () => {
        const refused = { path: DEVICE, ...json({ client_id: CLIENT, scope: 'nothing:registered' }) };
        for (let n = 0; n <= few.burst; n++) assert.equal((await caller.ask(refused)).status, 400);
        await startedDevice(caller, CLIENT);
      });

      test('one integration over its limit does not affect the others', async () => {
        const request = { path: DEVICE, ...json({ client_id: CLIENT, scope: SCOPE }) };
        assertLimited(await exhaust(() => caller.ask(request)));
        await startedDevice(caller, 'other-sync');
        await pairByCertificate(caller, 'other-sync');
      });
    });
  });
}
