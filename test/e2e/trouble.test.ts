// An unavailable or slow store, more requests than places, and shutdown: nothing acknowledged is lost.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { epochSeconds } from '../../src/core/time.ts';
import { type Store, StoreUnavailable } from '../../src/store/store.ts';
import { given } from '../given.ts';
import { bearer, json, PROTOCOLS, rawConnection, reachOf } from './caller.ts';
import { startService } from './service.ts';
import {
  assertRefused,
  CLIENT,
  DEVICE,
  pairByCertificate,
  redeem,
  refresh,
  refreshed,
  revoke,
  SCOPE,
  startedDevice,
  TOKEN,
  VERIFY,
  verify,
} from './steps.ts';

/** A store that can be unavailable, and slow: `until` something happens. */
function fragile() {
  const state = {
    away: false,
    broken: false,
    until: undefined as Promise<unknown> | undefined,
    wrap: (real: Store): Store => {
      const trouble = async () => {
        if (state.away) throw new StoreUnavailable('injected: the disk /var/lib is away');
        if (state.broken) throw new TypeError('injected: nobody foresaw this');
        await state.until;
      };
      return {
        ...real,
        load: (table, key) => trouble().then(() => real.load(table, key)),
        change: (table, key, decide) => trouble().then(() => real.change(table, key, decide)),
        create: (table, key, decide) => trouble().then(() => real.create(table, key, decide)),
        now: () => trouble().then(() => real.now()),
        examine: () => trouble().then(() => real.examine()),
      };
    },
  };
  return state;
}

for (const protocol of PROTOCOLS) {
  suite(`an unavailable store over ${protocol}`, () => {
    const store = fragile();

    const service = given(() => startService({ store: store.wrap }));
    const caller = given(() => service.caller(service.ada, protocol));

    test('gives 503 with Retry-After for every operation, never invalid_grant, and leaks no detail [spec-gaps: Departures]', async () => {
      const pair = await pairByCertificate(caller);
      const { device_code } = await startedDevice(caller);
      store.away = true;
      const answers = [
        await refresh(caller, pair.refresh_token),
        await redeem(caller, device_code),
        await caller.ask({ path: DEVICE, ...json({ client_id: CLIENT, scope: SCOPE }) }),
        await verify(caller, pair.access_token),
        await revoke(caller, pair.access_token),
      ];
      await wait(1_000); // the check is cached for a second
      const unready = await caller.ask({ path: '/readyz' });
      store.away = false;
      for (const answer of answers) {
        assertRefused(answer, 503, 'invalid_request', /Ask again/);
        assert.match(String(answer.headers['retry-after']), /^[1-9]\d*$/);
        assert.doesNotMatch(answer.text, /injected|disk|var/);
        assert.equal(answer.headers['cache-control'], 'no-store');
      }
      assert.equal(unready.status, 503);
      const said = service.logLines.filter((line) => line.includes('"fault":'));
      assert.equal(said.length, 1, 'one line for all');
      assert.match(said[0] ?? '', /"fault":"[^"\\]*the disk \/var\/lib is away","msg":"fault"/, 'without a stack');
      await refreshed(caller, pair);
    });

    test('an unexpected fault is 400 invalid_request with a request id and no details [contract 7.1]', async () => {
      const pair = await pairByCertificate(caller);
      store.broken = true;
      const answers = [await refresh(caller, pair.refresh_token), await revoke(caller, pair.access_token)];
      store.broken = false;
      for (const answer of answers) {
        assertRefused(answer, 400, 'invalid_request', /^An internal error occurred\. Request [0-9a-f]{16}\.$/);
        const [, id] = /Request (\w+)/.exec(answer.text) ?? [];
        const told = service.logLines.map((line) => JSON.parse(line)).filter((line) => line.id === id);
        assert.match(String(told.find(({ fault }) => fault)?.fault), /injected/, 'the log says what broke');
      }
      assert.equal(
        (await verify(caller, pair.access_token)).status,
        200,
        'a revocation that broke is not acknowledged',
      );
    });
  });
}

suite('stopping', () => {
  for (const protocol of PROTOCOLS) {
    test(`requests in flight finish, nothing acknowledged is lost, and new requests are refused (${protocol})`, async () => {
      const store = fragile();
      const service = await startService({ store: store.wrap, settings: { limits: { stopTimeout: '60s' } } });
      const caller = service.caller(service.ada, protocol);
      const pairs = await Promise.all(Array.from({ length: 5 }, () => pairByCertificate(caller)));
      const { promise, resolve: release } = Promise.withResolvers<void>();
      store.until = promise;
      const underWay = pairs.map((pair) => refreshed(caller, pair));
      await wait(200);
      const began = performance.now();
      const stopped = service.stop();
      await wait(50);
      const late = service.caller(undefined, protocol);
      await assert.rejects(late.ask({ path: '/healthz' }), 'no new connection is taken');
      release();
      assert.equal((await Promise.all(underWay)).length, 5);
      await stopped;
      assert.ok(performance.now() - began < 30_000, 'and idle connections do not hold it up until stopTimeout');
      caller.close();
      late.close();
    });
  }

  test('a caller that never disconnects is cut off after stopTimeout', async () => {
    const service = await startService({ settings: { limits: { stopTimeout: '1s' } } });
    const socket = await rawConnection(reachOf(service));
    socket.on('error', () => undefined);
    socket.write(`POST ${TOKEN} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`);
    await wait(100);
    const began = performance.now();
    await service.stop();
    assert.ok(performance.now() - began < 20_000, 'long before requestTimeout');
  });
});

test('parallel requests over the limit get 503 with Retry-After, and the accepted ones are served [spec-gaps: Departures]', async () => {
  const store = fragile();
  await using service = await startService({
    store: store.wrap,
    settings: { limits: { maxInFlight: 10, addressShare: 100 } },
  });
  const caller = service.caller(service.ada); // over HTTP/2, some streams may be reset instead
  const { access_token } = await pairByCertificate(caller);
  const { promise, resolve: release } = Promise.withResolvers<void>();
  store.until = promise;
  let answered = 0;
  const asked = Array.from({ length: 40 }, async () => {
    const answer = await caller.ask({ path: VERIFY, ...bearer(access_token) });
    answered += 1;
    if (answered === 30) release();
    return answer;
  });
  const answers = await Promise.all(asked);
  const served = answers.filter(({ status }) => status === 200);
  const refused = answers.filter(({ status }) => status === 503);
  assert.deepEqual([served.length, refused.length], [10, 30]);
  for (const answer of refused) {
    assertRefused(answer, 503, 'invalid_request', /overloaded/);
    assert.match(String(answer.headers['retry-after']), /^[123]$/, 'spread, so that they do not come back together');
  }
});

test('a clock two hours ahead is called so: the store can be reached', async () => {
  let ahead = 0;
  await using service = await startService({
    store: (real) => ({
      ...real,
      load: async (table, key) => {
        const loaded = await real.load(table, key);
        return { ...loaded, now: epochSeconds(loaded.now + ahead) };
      },
    }),
  });
  const caller = service.caller(service.ada);
  const { access_token } = await pairByCertificate(caller);
  ahead = 7200;
  const answer = await verify(caller, access_token);
  assert.deepEqual([answer.status, answer.json['Error']], [503, 'invalid_request']);
  assert.match(answer.text, /The clock of the service is wrong/);
  assert.match((await caller.ask({ path: '/metrics' })).text, /reason="clock-implausible"/);
});
