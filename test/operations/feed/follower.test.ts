import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { ResourceServer } from '../../../src/core/resource-server.ts';
import { currentServer, isOutdated } from '../../../src/operations/feed/read-feed.ts';
import type { Store } from '../../../src/store/store.ts';
import { aResourceServer, NOW } from '../../samples.ts';

suite('a follower', () => {
  const NEWS = { state: { about: 'resource-server', id: 'orders-api' } } as never;
  const SECRETS = ['aa', 'bb'].map((hash) => ({ hash, createdAt: NOW })) as never;
  const then = aResourceServer({ secrets: SECRETS, identity: 'local:api' as never });
  const storing = (row: ResourceServer | undefined) =>
    ({ load: async () => ({ found: row && { row } }) }) as unknown as Pick<Store, 'load'>;
  const outdated = (now: ResourceServer | undefined, news = NEWS) => isOutdated(then, [news], storing(now));

  test('may follow while it is registered and enabled', async () => {
    assert.equal(await currentServer(then, storing(then)), then);
    assert.equal(await currentServer(then, storing({ ...then, enabled: false })), undefined);
    assert.equal(await currentServer(then, storing(undefined)), undefined);
  });

  test('must start again if what it serves or what proves it was changed', async () => {
    const [first] = then.secrets;
    const { identity, ...withoutIdentity } = then;
    assert.ok(identity);
    for (const [now, expected] of [
      [then, false],
      [{ ...then, name: 'Other' }, false],
      [{ ...then, secrets: [...then.secrets, { hash: 'cc', createdAt: NOW }] as never }, false],
      [undefined, true],
      [{ ...then, enabled: false }, true],
      [{ ...then, resources: ['other'] }, true],
      [{ ...then, secrets: first ? [first] : [] }, true],
      [withoutIdentity, true],
    ] as const)
      assert.equal(await outdated(now), expected, JSON.stringify(now));
  });

  test('is not concerned by changes of other things', async () => {
    assert.equal(await outdated(undefined, { state: { about: 'resource-server', id: 'other' } } as never), false);
    assert.equal(await outdated(undefined, { state: { about: 'keys', changedAt: NOW } } as never), false);
    assert.equal(await outdated(undefined, { state: undefined } as never), false);
  });
});
