// The revocation feed: who may follow it, what a snapshot and a stream say, and how a follower resumes.
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { after, before, suite, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { ResourceServer, ResourceServerId } from '../../src/core/resource-server.ts';
import { seconds } from '../../src/core/time.ts';
import { changeIdentity } from '../../src/operations/admin/change-identity.ts';
import { changeIntegration } from '../../src/operations/admin/change-integration.ts';
import { changeResourceServer } from '../../src/operations/admin/change-resource-server.ts';
import { enableIdentity } from '../../src/operations/admin/enable-identity.ts';
import { enableIntegration } from '../../src/operations/admin/enable-integration.ts';
import { sweep } from '../../src/operations/upkeep/sweep.ts';
import { integrations } from '../../src/store/tables/integrations.ts';
import { resourceServers } from '../../src/store/tables/resource-servers.ts';
import { systemRandom } from '../../src/system.ts';
import { drawResourceServerSecret } from '../../src/tokens/resource-server-secret.ts';
import { ADA, anIntegration, aResourceServer, scopeOf } from '../samples.ts';
import { type Caller, callerOver, PROTOCOLS, rawConnection, reachOf } from './caller.ts';
import { type Entry, type Follower, followFeed } from './feed-follower.ts';
import { assertRefused, basic } from './oauth-steps.ts';
import { clientId, MALLORY, registryFollows, startService, type TestService } from './service.ts';
import { pairByCertificate, revoke } from './steps.ts';

const FEED = '/oauth2/revocations';
const EVENTS = { accept: 'text/event-stream' };
const { secret, hash: secretHash } = drawResourceServerSecret(systemRandom);
const AUTH = basic('orders-api', secret.reveal());
const STOCK_AUTH = basic('stock-api', secret.reveal());

let service: TestService;
let stranger: Caller;
let ada: Caller;
const admin = () => ({ store: service.ports.store, by: 'test' });

before(async () => {
  service = await startService();
  stranger = callerOver('HTTP/1.1', reachOf(service));
  ada = callerOver('HTTP/1.1', reachOf(service, service.ada));
  const secrets: ResourceServer['secrets'] = [{ hash: secretHash, createdAt: service.now() }];
  await service.put(resourceServers, aResourceServer({ secrets }));
  const id = 'stock-api' as ResourceServerId;
  const audience = 'urn:example:stock' as ResourceServer['audience'];
  await service.put(resourceServers, aResourceServer({ id, audience, resources: ['stock'], secrets }));
  await registryFollows();
});

after(async () => {
  stranger.close();
  ada.close();
  await service.stop();
});

interface Snapshot {
  readonly cursor: string;
  readonly entries: readonly Entry[];
  readonly next?: string;
}

async function snapshot(query = '', auth = AUTH): Promise<Snapshot> {
  const answer = await stranger.ask({ path: FEED + query, headers: auth });
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.headers['cache-control'], 'no-store');
  return answer.json as unknown as Snapshot;
}

/** Follows from now on. */
async function following(t: { after(done: () => void): void }, auth = AUTH, cursor?: string): Promise<Follower> {
  const from = cursor ?? (await snapshot('', auth)).cursor;
  const follower = await followFeed(reachOf(service), { ...auth, 'last-event-id': from });
  t.after(() => follower.close());
  assert.deepEqual([follower.status, follower.contentType], [200, 'text/event-stream']);
  return follower;
}

async function endedGrant(): Promise<string> {
  const pair = await pairByCertificate(ada);
  await revoke(ada, pair.access_token);
  const [event] = await service.ports.store.newestEvents({ count: 1, acts: true });
  return event?.subjectId ?? '';
}

/** The log line of a stream is written when it ends. */
async function wasLogged(operation: string, outcome: string): Promise<void> {
  const before = service.logLines.length;
  for (;;) {
    const lines = service.logLines.slice(before);
    if (lines.some((line) => line.includes(`"${operation}"`) && line.includes(`"${outcome}"`))) return;
    await pause(50);
  }
}

const ofGrant = (id: string) => (entry: Entry) => entry['grant'] === id;
const sub = (identity: string) => hash('sha256', identity);

suite('what the feed says', () => {
  test('a grant that has ended is streamed, and is in every snapshot until its tokens have expired', async (t) => {
    const follower = await following(t);
    const grant = await endedGrant();
    const entry = await follower.next(ofGrant(grant));
    assert.deepEqual({ ...entry, keep_until: 0 }, { type: 'grant', grant, keep_until: 0 });
    assert.ok(Number(entry['keep_until']) >= service.now() + 24 * 3600);
    assert.deepEqual((await snapshot()).entries.filter(ofGrant(grant)), [entry]);
  });

  test('an identity is named by the hash of sub: disabled, enabled again, without a group', async (t) => {
    const restricted = clientId('staff-only');
    const access = { to: 'named', identities: [], groups: ['staff'] } as const;
    await service.put(integrations, anIntegration({ clientId: restricted, access }));
    const follower = await following(t);
    const state = (allowed: boolean, except: readonly string[]) => (entry: Entry) =>
      entry['identity'] === sub(MALLORY) &&
      entry['allowed'] === allowed &&
      JSON.stringify(entry['except']) === JSON.stringify(except);
    await enableIdentity(MALLORY, false, admin());
    await follower.next(state(false, []));
    await enableIdentity(MALLORY, true, admin());
    await follower.next(state(true, ['named-only']));
    await changeIdentity(MALLORY, { groups: ['guests'] }, admin());
    await follower.next(state(true, ['named-only', 'staff-only']));
    await changeIdentity(MALLORY, { groups: ['staff'], mayUseApi: false }, admin());
    await follower.next((entry) => state(false, [])(entry) && follower.entries.indexOf(entry) > 1);
    await changeIdentity(MALLORY, { mayUseApi: true }, admin());
    const states = (await snapshot()).entries.filter((entry) => entry['identity'] === sub(MALLORY));
    assert.equal(states.length, 1, 'once, as it is now');
    assert.deepEqual([states[0]?.['allowed'], states[0]?.['except']], [true, ['named-only']]);
  });

  test('an integration is told with the scope that concerns the follower', async (t) => {
    const id = clientId('narrowed');
    await service.register(anIntegration({ clientId: id, scope: scopeOf('orders:read,write;stock:read') }));
    const [orders, stock] = [await following(t), await following(t, STOCK_AUTH)];
    const state = (enabled: boolean, scope: string) => (entry: Entry) =>
      entry['client_id'] === id && entry['enabled'] === enabled && entry['scope'] === scope;
    const known = (await snapshot()).entries.find(state(true, 'orders:read orders:write'));
    assert.deepEqual(Object.keys(known ?? {}), ['type', 'client_id', 'enabled', 'scope']);
    await enableIntegration(id, false, admin());
    await orders.next(state(false, 'orders:read orders:write'));
    await stock.next(state(false, 'stock:read'));
    await enableIntegration(id, true, admin());
    await changeIntegration(id, { scope: 'orders:read' }, admin());
    await orders.next(state(true, 'orders:read'));
    await stock.next(state(true, ''));
  });

  test('if others may use an integration than before, older tokens must be introspected', async (t) => {
    const id = clientId('for-some');
    await service.register(anIntegration({ clientId: id }));
    const follower = await following(t);
    const started = service.now();
    await changeIntegration(id, { access: { to: 'named', identities: [ADA], groups: [] } }, admin());
    const entry = await follower.next((each) => each['client_id'] === id);
    assert.ok(Number(entry['recheck_before']) >= started);
    const states = (await snapshot()).entries.filter((each) => each['client_id'] === id);
    assert.deepEqual(states.at(-1), entry);
  });

  test('a snapshot comes in pages, and its cursor is older than its first page', async (t) => {
    const [grantId] = [await endedGrant()];
    const { store } = service.ports;
    const many = Array.from({ length: 1200 }, (_, n) => ({
      type: 'revoked' as const,
      at: service.now(),
      subjectId: n.toString(16).padStart(32, 'a'),
    }));
    await store.change(integrations, 'none', () => ({ outcome: undefined, events: many }));
    const first = await snapshot();
    const grant = await endedGrant();
    const grants = first.entries.map((entry) => entry['grant']);
    let pages = 1;
    for (let { next } = first; next !== undefined; pages++) {
      const page = await snapshot(`?page=${next}`);
      assert.equal(page.cursor, first.cursor);
      grants.push(...page.entries.map((entry) => entry['grant']));
      next = page.next;
    }
    assert.ok(pages >= 3);
    for (const { subjectId } of many) assert.ok(grants.includes(subjectId));
    assert.ok(grants.includes(grantId) && !grants.includes(grant));
    const follower = await following(t, AUTH, first.cursor);
    await follower.next(ofGrant(grant));
  });
});

suite('how a follower resumes', () => {
  test('after a cut, nothing is missed, and nothing comes twice', async (t) => {
    const first = await following(t);
    await first.next(ofGrant(await endedGrant()));
    first.close();
    const missed = [await endedGrant(), await endedGrant()];
    const second = await following(t, AUTH, first.cursor);
    await second.next(ofGrant(missed[1] ?? ''));
    assert.deepEqual(
      second.entries.map((entry) => entry['grant']),
      missed,
    );
  });

  test('the cursor is taken from the query as well', async (t) => {
    const { cursor } = await snapshot();
    const grant = await endedGrant();
    const follower = await followFeed(reachOf(service), AUTH, `${FEED}?after=${cursor}`);
    t.after(() => follower.close());
    await follower.next(ofGrant(grant));
  });

  test('a stream begins with a sign of life', async (t) => {
    const follower = await following(t);
    while (follower.comments === 0 && follower.isOpen) await new Promise(setImmediate);
    assert.equal(follower.comments, 1);
  });

  test('without a cursor there is no stream', async () => {
    assertRefused(await stranger.ask({ path: FEED, headers: { ...EVENTS, ...AUTH } }), 400, 'invalid_request');
  });

  test('a cursor of another history, of another resource server, or in a wrong form gets 410', async () => {
    const { cursor } = await snapshot();
    const [sequence, mark] = cursor.split('-');
    const stocks = (await snapshot('', STOCK_AUTH)).cursor;
    const foreign = cursor.replace(mark ?? '', 'f'.repeat(16));
    const ahead = cursor.replace(sequence ?? '', '999999999');
    for (const wrong of [stocks, foreign, ahead, 'x', `${cursor}0`]) {
      const headers = { ...EVENTS, ...AUTH, 'last-event-id': wrong };
      assertRefused(await stranger.ask({ path: FEED, headers }), 410, 'invalid_request');
      assertRefused(await stranger.ask({ path: `${FEED}?page=${wrong}-1`, headers: AUTH }), 410, 'invalid_request');
    }
  });

  for (const protocol of PROTOCOLS)
    test(`${protocol}: who is no resource server may not follow`, async () => {
      const caller = callerOver(protocol, reachOf(service));
      for (const headers of [{}, basic('orders-api', 'wrong'), basic('nobody', secret.reveal())]) {
        const answer = await caller.ask({ path: FEED, headers });
        assertRefused(answer, 401, 'invalid_client');
        assert.match(String(answer.headers['www-authenticate']), /^Basic /);
        assertRefused(await caller.ask({ path: FEED, headers: { ...headers, ...EVENTS } }), 401, 'invalid_client');
      }
      caller.close();
    });
});

suite('when a stream ends', () => {
  test('if the resource server serves something else, its streams end and its cursors are gone', async (t) => {
    const follower = await following(t, STOCK_AUTH);
    const { cursor } = await snapshot('', STOCK_AUTH);
    const ports = { ...admin(), issuer: service.config.publicUrl };
    const changed = await changeResourceServer('stock-api', { resources: ['stock', 'orders'] }, ports);
    assert.ok(changed.ok);
    await follower.ended;
    const headers = { ...EVENTS, ...STOCK_AUTH, 'last-event-id': cursor };
    assertRefused(await stranger.ask({ path: FEED, headers }), 410, 'invalid_request');
  });

  test('a cursor whose event was swept gets 410', async () => {
    const swept = await startService({ settings: { events: { retention: '1h' } } });
    const caller = callerOver('HTTP/1.1', reachOf(swept, swept.ada));
    const secrets: ResourceServer['secrets'] = [{ hash: secretHash, createdAt: swept.now() }];
    await swept.put(resourceServers, aResourceServer({ secrets }));
    await pairByCertificate(caller);
    const { cursor } = (await caller.ask({ path: FEED, headers: AUTH })).json as unknown as Snapshot;
    swept.pass(2 * 3600);
    await pairByCertificate(caller);
    await sweep(
      { ...swept.ports, settings: { ...swept.ports.settings, eventRetention: seconds(3600) } },
      async () => {},
    );
    const headers = { ...EVENTS, ...AUTH, 'last-event-id': cursor };
    assertRefused(await caller.ask({ path: FEED, headers }), 410, 'invalid_request');
    caller.close();
    await swept.stop();
  });

  test('a follower that does not read is cut, and resumes where it was', async (t) => {
    const { cursor } = await snapshot();
    const { store } = service.ports;
    const lines = [`GET ${FEED} HTTP/1.1`, 'Host: x', `Authorization: ${AUTH['authorization']}`];
    const socket = await rawConnection(reachOf(service));
    t.after(() => socket.destroy());
    socket.on('error', () => undefined);
    socket.write([...lines, 'Accept: text/event-stream', `Last-Event-ID: ${cursor}`, '', ''].join('\r\n'));
    await once(socket, 'readable'); // nothing is read from now on
    const many = (first: number) =>
      Array.from({ length: 5000 }, (_, n) => ({
        type: 'revoked' as const,
        at: service.now(),
        subjectId: (first + n).toString(16).padStart(32, 'b'),
      }));
    // More than the kernel buffers for a connection.
    for (let n = 0; n < 60_000; n += 5000)
      await store.change(integrations, 'none', () => ({ outcome: undefined, events: many(n) }));
    await wasLogged('follow-revocations', 'aborted');
    const resumed = await following(t, AUTH, cursor);
    await resumed.next(ofGrant((59_999).toString(16).padStart(32, 'b')));
    assert.equal(resumed.entries.length, 60_000);
  });

  test('a service that stops ends its streams first', async () => {
    const stopping = await startService();
    const secrets: ResourceServer['secrets'] = [{ hash: secretHash, createdAt: stopping.now() }];
    await stopping.put(resourceServers, aResourceServer({ secrets }));
    const caller = callerOver('HTTP/1.1', reachOf(stopping));
    const { cursor } = (await caller.ask({ path: FEED, headers: AUTH })).json as unknown as Snapshot;
    caller.close();
    const follower = await followFeed(reachOf(stopping), { ...AUTH, 'last-event-id': cursor });
    const began = performance.now();
    await stopping.stop();
    await follower.ended;
    assert.ok(performance.now() - began < 10_000, 'it does not wait for stopTimeout');
  });
});
