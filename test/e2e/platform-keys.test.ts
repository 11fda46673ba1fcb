// The keys of a platform, as a running service follows them: changed, out of reach, no longer trusted.
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { tokenIssuers } from '../../src/store/tables/token-issuers.ts';
import { type PlatformKey, platformKey, platformServer } from '../platform.ts';
import { registryFollows } from './registry-follows.ts';
import { assertRefused, openWorkloads } from './workload-scene.ts';

const { assertionOf, issuerOf, key, post, service, close } = await openWorkloads();
after(close);

suite('the keys of the platform', () => {
  test('change in the middle of traffic: no honest assertion is refused', async () => {
    // The new key is published, used a while later, and the old one goes. A new label: its keys have just been fetched.
    const [old, next] = await Promise.all([platformKey('old'), platformKey('next')]);
    using rotating = await platformServer([old]);
    const tokenIssuer = issuerOf({ label: 'rotating', issuer: rotating.url });
    await service.put(tokenIssuers, tokenIssuer);
    await registryFollows();
    const ask = async (by: PlatformKey) =>
      (await post({ assertion: await assertionOf({ iss: rotating.url }, by) })).status;
    rotating.keys = [old, next];
    const statuses = await Promise.all(Array.from({ length: 20 }, (_, n) => ask(n % 2 ? old : next)));
    assert.deepEqual([...new Set(statuses)], [200]);
    assert.equal(rotating.asked.filter((path) => path === '/jwks').length, 1);
    rotating.keys = [next];
    assert.deepEqual(await Promise.all(Array.from({ length: 10 }, () => ask(next))), Array(10).fill(200));
  });

  test('signs at once with a new key, twelve times under load: no final refusal, whatever strangers send', async () => {
    let serial = 0;
    let newest = await platformKey('k0');
    using rotating = await platformServer([newest]);
    await service.put(tokenIssuers, issuerOf({ label: 'hasty', issuer: rotating.url }));
    await registryFollows();
    const counts = { accepted: 0, later: 0 };
    const sign = (by: PlatformKey, header = {}) => {
      serial += 1;
      return assertionOf({ iss: rotating.url, jti: `hasty-${serial}` }, by, header);
    };
    // Everybody who was told to wait waits for the same 10 seconds.
    let wait: Promise<void> | undefined;
    const tenSeconds = async () => {
      await sleep(5);
      service.pass(10);
      wait = undefined;
    };
    const honest = async (by: PlatformKey) => {
      const assertion = await sign(by, serial % 2 ? {} : { kid: undefined });
      for (;;) {
        const answer = await post({ assertion });
        if (answer.status === 200) break;
        assertRefused(answer, 503, 'temporarily_unavailable');
        assert.equal(answer.headers['retry-after'], '10');
        counts.later += 1;
        wait ??= tenSeconds();
        await wait;
      }
      counts.accepted += 1;
    };
    const stranger = await platformKey('stranger');
    const hostile = async () => {
      const { status } = await post({ assertion: await sign(stranger, { kid: `made up ${serial}` }) });
      assert.ok(status === 400 || status === 503, `${status}`);
    };
    for (let round = 1; round <= 12; round++) {
      const before = newest;
      newest = await platformKey(`k${round}`);
      rotating.keys = [newest, before];
      await Promise.all(Array.from({ length: 24 }, (_, n) => (n % 3 ? honest(newest) : hostile())));
    }
    assert.equal(counts.accepted, 12 * 16);
    assert.ok(counts.later > 0, 'the budget was met');
  });

  test('withdrawn: an empty set is an answer, and its assertions are refused after the next fetch', async () => {
    using leaked = await platformServer([key]);
    await service.put(tokenIssuers, issuerOf({ label: 'leaked', issuer: leaked.url }));
    await registryFollows();
    const ask = async (header = {}) => post({ assertion: await assertionOf({ iss: leaked.url }, key, header) });
    assert.equal((await ask()).status, 200);
    leaked.keys = [];
    assertRefused(await ask({ kid: 'unknown, so that they are fetched' }), 400, 'invalid_grant');
    assertRefused(await ask(), 400, 'invalid_grant');
  });

  test('cannot be fetched: 503 with Retry-After, and the service goes on', async () => {
    using away = await platformServer([key]);
    away.odd.set('/jwks', (response) => void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end());
    await service.put(tokenIssuers, issuerOf({ label: 'away', issuer: away.url }));
    await registryFollows();
    const answer = await post({ assertion: await assertionOf({ iss: away.url }) });
    assertRefused(answer, 503, 'temporarily_unavailable');
    assert.equal(answer.headers['retry-after'], '10');
    assert.equal((await post({ assertion: await assertionOf() })).status, 200);
    assert.match(service.logLines.join(''), /keys of a token issuer not fetched/);
  });

  test('a token issuer that was removed is refused within a second', async () => {
    const label = 'removed';
    const gone = await platformServer([key]);
    await service.put(tokenIssuers, issuerOf({ label, issuer: gone.url }));
    await registryFollows();
    assert.equal((await post({ assertion: await assertionOf({ iss: gone.url }) })).status, 200);
    await service.put(tokenIssuers, issuerOf({ label, issuer: gone.url, enabled: false }));
    await registryFollows();
    assertRefused(await post({ assertion: await assertionOf({ iss: gone.url }) }), 400, 'invalid_grant');
    gone.close();
  });
});
