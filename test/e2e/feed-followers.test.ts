// How many may follow the revocation feed: all together, and of one resource server.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { ResourceServer, ResourceServerId } from '../../src/core/resource-server.ts';
import { resourceServers } from '../../src/store/tables/resource-servers.ts';
import { systemRandom } from '../../src/system.ts';
import { drawResourceServerSecret } from '../../src/tokens/resource-server-secret.ts';
import { aResourceServer } from '../samples.ts';
import { reachOf } from './caller.ts';
import { type Follower, followFeed } from './feed-follower.ts';
import { basic } from './oauth-steps.ts';
import { registryFollows } from './registry-follows.ts';
import { startService, type TestService } from './service.ts';

const FEED = '/oauth2/revocations';
const { secret, hash } = drawResourceServerSecret(systemRandom);
const AUTH = basic('orders-api', secret.reveal());
const STOCK_AUTH = basic('stock-api', secret.reveal());

function statusesOf(followers: readonly Follower[]): number[] {
  return followers.map(({ status }) => status).sort((a, b) => a - b);
}

interface Fixture {
  readonly service: TestService;
  disableStock(): Promise<void>;
  follow(auth?: typeof AUTH): Promise<Follower>;
}

async function withLimits(t: TestContext, limits: Readonly<Record<string, unknown>>): Promise<Fixture> {
  const service = await startService({ settings: { limits } });
  const secrets: ResourceServer['secrets'] = [{ hash, createdAt: service.now() }];
  await service.put(resourceServers, aResourceServer({ secrets }));
  const id = 'stock-api' as ResourceServerId;
  const audience = 'urn:example:stock' as ResourceServer['audience'];
  const putStock = (enabled: boolean) =>
    service.put(resourceServers, aResourceServer({ id, audience, resources: ['stock'], secrets, enabled }));
  await putStock(true);
  await registryFollows();
  const caller = service.caller();
  t.after(async () => {
    caller.close();
    await service.stop();
  });
  const follow = async (auth = AUTH) => {
    const { cursor } = (await caller.ask({ path: FEED, headers: auth })).json;
    return followFeed(reachOf(service), { ...auth, 'last-event-id': String(cursor) });
  };
  const disableStock = () => putStock(false).then(registryFollows);
  return { service, follow, disableStock };
}

async function closed(field: Fixture, follower: Follower): Promise<Follower> {
  follower.close();
  // The service notices a moment later.
  for (;;) {
    const next = await field.follow();
    if (next.status === 200) return next;
    next.close();
  }
}

test('one resource server has at most half of the streams, from however many addresses; another one still gets its own', async (t) => {
  const field = await withLimits(t, { followers: 4, addressShare: 100, networkShare: 100 });
  const greedy = await Promise.all(Array.from({ length: 5 }, () => field.follow()));
  assert.deepEqual(statusesOf(greedy), [200, 200, 429, 429, 429]);
  const other = await field.follow(STOCK_AUTH);
  assert.equal(other.status, 200);
  const next = await closed(field, greedy.find(({ status }) => status === 200) as Follower); // another may come
  for (const follower of [...greedy, other, next]) follower.close();
});

test('the only resource server that is enabled may have all streams', async (t) => {
  const field = await withLimits(t, { followers: 4, addressShare: 100, networkShare: 100 });
  await field.disableStock();
  const followers = await Promise.all(Array.from({ length: 5 }, () => field.follow()));
  assert.deepEqual(statusesOf(followers), [200, 200, 200, 200, 503]);
  for (const follower of followers) follower.close();
});

test('beyond the limit of all, a follower gets 503', async (t) => {
  const field = await withLimits(t, { followers: 2, addressShare: 100, networkShare: 100 });
  const followers = await Promise.all([AUTH, STOCK_AUTH].map((auth) => field.follow(auth)));
  assert.deepEqual(statusesOf(followers), [200, 200]);
  const late = await Promise.all([AUTH, STOCK_AUTH, AUTH].map((auth) => field.follow(auth)));
  assert.deepEqual(statusesOf(late), [503, 503, 503]);
  for (const follower of [...followers, ...late]) follower.close();
});
