// A service with two resource servers that follow its revocation feed.
import assert from 'node:assert/strict';
import type { ResourceServer, ResourceServerId } from '../../src/core/resource-server.ts';
import { resourceServers } from '../../src/store/tables/resource-servers.ts';
import { systemRandom } from '../../src/system.ts';
import { drawResourceServerSecret } from '../../src/tokens/resource-server-secret.ts';
import { aResourceServer } from '../samples.ts';
import { type Caller, reachOf } from './caller.ts';
import { type Entry, type Follower, followFeed } from './feed-follower.ts';
import { basic } from './oauth-steps.ts';
import { registryFollows } from './registry-follows.ts';
import { startService, type TestService } from './service.ts';
import { pairByCertificate, revoke } from './steps.ts';

export const FEED = '/oauth2/revocations';
export const EVENTS = { accept: 'text/event-stream' };
export const { secret, hash: secretHash } = drawResourceServerSecret(systemRandom);
export const AUTH = basic('orders-api', secret.reveal());
export const STOCK_AUTH = basic('stock-api', secret.reveal());

export interface Snapshot {
  readonly cursor: string;
  readonly audience: string;
  readonly entries: readonly Entry[];
  readonly next?: string;
}

export interface FeedService extends TestService {
  readonly stranger: Caller;
  snapshot(query?: string, auth?: typeof AUTH): Promise<Snapshot>;
  /** Follows from the cursor, or from now on. */
  following(t: { after(done: () => void): void }, auth?: typeof AUTH, cursor?: string): Promise<Follower>;
  /** The id of a grant that was made and revoked. */
  endedGrant(scope?: string, client?: string): Promise<string>;
}

export async function startFeed(): Promise<FeedService> {
  const service = await startService();
  const stranger = service.caller();
  const ada = service.caller(service.ada);
  await registerBoth(service);
  const snapshot = (query = '', auth = AUTH) => takeSnapshot(stranger, query, auth);
  return {
    ...service,
    stranger,
    snapshot,
    following: async (t, auth = AUTH, cursor) => {
      const from = cursor ?? (await snapshot('', auth)).cursor;
      const follower = await followFeed(reachOf(service), { ...auth, 'last-event-id': from });
      t.after(() => follower.close());
      assert.deepEqual([follower.status, follower.contentType], [200, 'text/event-stream']);
      return follower;
    },
    endedGrant: async (scope, client) => {
      const pair = await pairByCertificate(ada, client, scope);
      await revoke(ada, pair.access_token);
      const [event] = await service.ports.store.newestEvents({ count: 1, acts: true });
      return event?.subjectId ?? '';
    },
  };
}

async function registerBoth(service: TestService): Promise<void> {
  const secrets: ResourceServer['secrets'] = [{ hash: secretHash, createdAt: service.now() }];
  await service.put(resourceServers, aResourceServer({ secrets }));
  const id = 'stock-api' as ResourceServerId;
  const audience = 'urn:example:stock' as ResourceServer['audience'];
  await service.put(resourceServers, aResourceServer({ id, audience, resources: ['stock'], secrets }));
  await registryFollows();
}

async function takeSnapshot(caller: Caller, query: string, auth: typeof AUTH): Promise<Snapshot> {
  const answer = await caller.ask({ path: FEED + query, headers: auth });
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.headers['cache-control'], 'no-store');
  return answer.json as unknown as Snapshot;
}

export const ofGrant = (id: string) => (entry: Entry) => entry['grant'] === id;
