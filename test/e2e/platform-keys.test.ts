// The keys of a platform, as a running service follows them: changed, out of reach, no longer trusted.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { tokenIssuers } from '../../src/store/tables/token-issuers.ts';
import { type PlatformKey, platformKey, platformServer } from '../platform.ts';
import { registryFollows } from './service.ts';
import { assertionOf, assertRefused, issuerOf, key, post, service } from './workload-scene.ts';

suite('the keys of the platform', () => {
  test('change in the middle of traffic: no honest assertion is refused', async () => {
    // The new key is published, used a while later, and the old one goes. A new label: its keys have just been fetched.
    const [old, next] = await Promise.all([platformKey('old'), platformKey('next')]);
    const rotating = await platformServer([old]);
    const tokenIssuer = issuerOf({ label: 'rotating', issuer: rotating.url });
    await service.put(tokenIssuers, tokenIssuer);
    await registryFollows();
    try {
      const ask = async (by: PlatformKey) =>
        (await post({ assertion: await assertionOf({ iss: rotating.url }, by) })).status;
      rotating.keys = [old, next];
      const statuses = await Promise.all(Array.from({ length: 20 }, (_, n) => ask(n % 2 ? old : next)));
      assert.deepEqual([...new Set(statuses)], [200]);
      assert.equal(rotating.asked.filter((path) => path === '/jwks').length, 1);
      rotating.keys = [next];
      assert.deepEqual(await Promise.all(Array.from({ length: 10 }, () => ask(next))), Array(10).fill(200));
    } finally {
      rotating.close();
    }
  });

  test('cannot be fetched: 503 with Retry-After, and the service goes on', async () => {
    const away = await platformServer([key]);
    away.odd.set('/jwks', (response) => void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end());
    await service.put(tokenIssuers, issuerOf({ label: 'away', issuer: away.url }));
    await registryFollows();
    try {
      const answer = await post({ assertion: await assertionOf({ iss: away.url }) });
      assertRefused(answer, 503, 'temporarily_unavailable');
      assert.equal(answer.headers['retry-after'], '10');
      assert.equal((await post({ assertion: await assertionOf() })).status, 200);
      assert.match(service.logLines.join(''), /keys of a token issuer not fetched/);
    } finally {
      away.close();
    }
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
