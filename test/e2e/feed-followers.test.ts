// How many may follow the revocation feed: all together, and from one address. Streams take no place, so they have a limit of their own.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ResourceServer } from '../../src/core/resource-server.ts';
import { resourceServers } from '../../src/store/tables/resource-servers.ts';
import { systemRandom } from '../../src/system.ts';
import { drawResourceServerSecret } from '../../src/tokens/resource-server-secret.ts';
import { aResourceServer } from '../samples.ts';
import { callerOver, reachOf } from './caller.ts';
import { type Follower, followFeed } from './feed-follower.ts';
import { basic } from './oauth-steps.ts';
import { startService, type TestService } from './service.ts';

const FEED = '/oauth2/revocations';
const { secret, hash } = drawResourceServerSecret(systemRandom);
const AUTH = basic('orders-api', secret.reveal());

function statusesOf(followers: readonly Follower[]): number[] {
  return followers.map(({ status }) => status).sort((a, b) => a - b);
}

interface Fixture {
  readonly service: TestService;
  follow(): Promise<Follower>;
}

async function withLimits(limits: Readonly<Record<string, unknown>>): Promise<Fixture> {
  const service = await startService({ settings: { limits } });
  const secrets: ResourceServer['secrets'] = [{ hash, createdAt: service.now() }];
  await service.put(resourceServers, aResourceServer({ secrets }));
  const caller = callerOver('HTTP/1.1', reachOf(service));
  const { cursor } = (await caller.ask({ path: FEED, headers: AUTH })).json;
  caller.close();
  return { service, follow: () => followFeed(reachOf(service), { ...AUTH, 'last-event-id': String(cursor) }) };
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

test('one address may have its share of the followers, also if they come at once; when one leaves, another may come', async () => {
  const field = await withLimits({ followers: 20, addressShare: 10, networkShare: 10 });
  const followers = await Promise.all(Array.from({ length: 8 }, () => field.follow()));
  const [first] = followers.filter(({ status }) => status === 200);
  assert.deepEqual(statusesOf(followers), [200, 200, 429, 429, 429, 429, 429, 429]);
  assert.ok(first);
  const next = await closed(field, first);
  assert.equal((await field.follow()).status, 429);
  for (const follower of [...followers, next]) follower.close();
  await field.service.stop();
});

test('beyond the limit of all, a follower gets 503', async () => {
  const field = await withLimits({ followers: 2, addressShare: 100, networkShare: 100 });
  const followers = await Promise.all(Array.from({ length: 5 }, () => field.follow()));
  assert.deepEqual(statusesOf(followers), [200, 200, 503, 503, 503]);
  for (const follower of followers) follower.close();
  await field.service.stop();
});
