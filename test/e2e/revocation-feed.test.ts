// The revocation feed: who may follow it, what a snapshot and a stream say, and how a follower resumes.
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { suite, test } from 'node:test';
import { enableIntegration } from '../../src/operations/admin/acts/work/integration.ts';
import { changeIdentity, enableIdentity } from '../../src/operations/admin/identities.ts';
import { integrations } from '../../src/store/tables/integrations.ts';
import { changeIntegration } from '../administer.ts';
import { given } from '../given.ts';
import { ADA, anIntegration, OPERATOR, scopeOf } from '../samples.ts';
import { PROTOCOLS, reachOf } from './caller.ts';
import { type Entry, followFeed } from './feed-follower.ts';
import { AUTH, EVENTS, FEED, ofGrant, STOCK_AUTH, secret, startFeed } from './feed-scene.ts';
import { assertRefused, basic } from './oauth-steps.ts';
import { registryFollows } from './registry-follows.ts';
import { clientId, MALLORY } from './service.ts';

const admin = () => ({ store: feed.ports.store, by: OPERATOR });

const feed = given(() => startFeed());

const sub = (identity: string) => hash('sha256', identity);

suite('what the feed says', () => {
  test('a grant that has ended is streamed, and is in every snapshot until its tokens have expired', async (t) => {
    const follower = await feed.following(t);
    const grant = await feed.endedGrant();
    const entry = await follower.next(ofGrant(grant));
    assert.deepEqual({ ...entry, keep_until: 0 }, { type: 'grant', grant, keep_until: 0 });
    assert.ok(Number(entry['keep_until']) >= feed.now() + 24 * 3600);
    assert.deepEqual((await feed.snapshot()).entries.filter(ofGrant(grant)), [entry]);
  });

  test('an identity is named by the hash of sub: disabled, enabled again, without a group', async (t) => {
    const restricted = clientId('staff-only');
    const access = { to: 'named', identities: [], groups: ['staff'] } as const;
    await feed.put(integrations, anIntegration({ clientId: restricted, access }));
    const follower = await feed.following(t);
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
    const states = (await feed.snapshot()).entries.filter((entry) => entry['identity'] === sub(MALLORY));
    assert.equal(states.length, 1, 'once, as it is now');
    assert.deepEqual([states[0]?.['allowed'], states[0]?.['except']], [true, ['named-only']]);
  });

  test('an integration is told with the scope that concerns the follower', async (t) => {
    const id = clientId('narrowed');
    await feed.register(anIntegration({ clientId: id, scope: scopeOf('orders:read,write;stock:read') }));
    const [orders, stock] = [await feed.following(t), await feed.following(t, STOCK_AUTH)];
    const state = (enabled: boolean, scope: string) => (entry: Entry) =>
      entry['client_id'] === id && entry['enabled'] === enabled && entry['scope'] === scope;
    const known = (await feed.snapshot()).entries.find(state(true, 'orders:read orders:write'));
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
    await feed.register(anIntegration({ clientId: id }));
    const follower = await feed.following(t);
    const started = feed.now();
    await changeIntegration(id, { access: { to: 'named', identities: [ADA], groups: [] } }, admin());
    const entry = await follower.next((each) => each['client_id'] === id);
    assert.ok(Number(entry['recheck_before']) >= started);
    const states = (await feed.snapshot()).entries.filter((each) => each['client_id'] === id);
    assert.deepEqual(states.at(-1), entry);
  });

  test('that others may use an integration is not hidden from new followers by a later change of it', async () => {
    const id = clientId('renamed');
    await feed.register(anIntegration({ clientId: id }));
    await changeIntegration(id, { access: { to: 'named', identities: [ADA], groups: [] } }, admin());
    await changeIntegration(id, { name: 'Renamed' }, admin());
    const states = (await feed.snapshot()).entries.filter((each) => each['client_id'] === id);
    assert.ok(
      states.some((each) => typeof each['recheck_before'] === 'number'),
      JSON.stringify(states),
    );
  });

  test('a scope that grew: older tokens must be introspected', async (t) => {
    const id = clientId('grown');
    await feed.register(anIntegration({ clientId: id, scope: scopeOf('orders:read') }));
    const follower = await feed.following(t, STOCK_AUTH);
    await changeIntegration(id, { scope: 'orders:read;stock:read' }, admin());
    const entry = await follower.next((each) => each['client_id'] === id);
    assert.equal(typeof entry['recheck_before'], 'number');
  });

  test('a resource server is not told of what does not concern it: grants, integrations, and who may not use these', async (t) => {
    const ordersOnly = clientId('orders-only');
    const access = { to: 'named', identities: [ADA], groups: [] } as const;
    await feed.register(anIntegration({ clientId: ordersOnly, scope: scopeOf('orders:read'), access }));
    await registryFollows();
    const [orders, stock] = [await feed.following(t), await feed.following(t, STOCK_AUTH)];
    const grant = await feed.endedGrant('orders:read', ordersOnly);
    await enableIntegration(ordersOnly, false, admin());
    await enableIdentity(MALLORY, false, admin());
    await enableIdentity(MALLORY, true, admin());
    const shared = await feed.endedGrant('orders:read;stock:read');
    for (const follower of [orders, stock]) await follower.next(ofGrant(shared));
    const names = (entries: readonly Entry[]) => {
      const text = JSON.stringify(entries);
      return [text.includes(grant), text.includes(ordersOnly)];
    };
    assert.deepEqual(names(orders.entries), [true, true]);
    assert.deepEqual(names(stock.entries), [false, false]);
    assert.deepEqual(names((await feed.snapshot('', STOCK_AUTH)).entries), [false, false]);
    assert.ok(stock.entries.some((entry) => entry['identity'] === sub(MALLORY)));
  });

  test('a removed signing key is news, in the stream and for new followers', async (t) => {
    const follower = await feed.following(t);
    const id = 'a-key';
    await feed.ports.store.change(integrations, 'none', (_, at) => ({
      outcome: undefined,
      events: [{ type: 'administered', at, detail: { kind: 'signing-key', id, did: 'removed', by: OPERATOR } }],
    }));
    const entry = await follower.next((each) => each['type'] === 'keys');
    assert.ok(Number(entry['changed']) > 0);
    assert.deepEqual(
      (await feed.snapshot()).entries.filter((each) => each['type'] === 'keys'),
      [entry],
    );
  });

  test('a snapshot comes in pages, and its cursor is older than its first page', async (t) => {
    const [grantId] = [await feed.endedGrant()];
    const { store } = feed.ports;
    const many = Array.from({ length: 1200 }, (_, n) => ({
      type: 'revoked' as const,
      detail: { reason: 'by-caller' } as const,
      at: feed.now(),
      subjectId: n.toString(16).padStart(32, 'a'),
    }));
    await store.change(integrations, 'none', () => ({ outcome: undefined, events: many }));
    const first = await feed.snapshot();
    const grant = await feed.endedGrant();
    const grants = first.entries.map((entry) => entry['grant']);
    let pages = 1;
    for (let { next } = first; next !== undefined; pages++) {
      const page = await feed.snapshot(`?page=${next}`);
      assert.equal(page.cursor, first.cursor);
      grants.push(...page.entries.map((entry) => entry['grant']));
      next = page.next;
    }
    assert.ok(pages >= 3);
    for (const { subjectId } of many) assert.ok(grants.includes(subjectId));
    assert.ok(grants.includes(grantId) && !grants.includes(grant));
    const follower = await feed.following(t, AUTH, first.cursor);
    await follower.next(ofGrant(grant));
  });
});

suite('how a follower resumes', () => {
  test('after a cut, nothing is missed, and nothing comes twice', async (t) => {
    const first = await feed.following(t);
    await first.next(ofGrant(await feed.endedGrant()));
    first.close();
    const missed = [await feed.endedGrant(), await feed.endedGrant()];
    const second = await feed.following(t, AUTH, first.cursor);
    await second.next(ofGrant(missed[1] ?? ''));
    assert.deepEqual(
      second.entries.map((entry) => entry['grant']),
      missed,
    );
  });

  test('the cursor is taken from the query as well', async (t) => {
    const { cursor } = await feed.snapshot();
    const grant = await feed.endedGrant();
    const follower = await followFeed(reachOf(feed), AUTH, `${FEED}?after=${cursor}`);
    t.after(() => follower.close());
    await follower.next(ofGrant(grant));
  });

  test('a stream begins with a sign of life', async (t) => {
    const follower = await feed.following(t);
    while (follower.comments === 0 && follower.isOpen) await new Promise(setImmediate);
    assert.equal(follower.comments, 1);
  });

  test('without a cursor there is no stream', async () => {
    assertRefused(await feed.stranger.ask({ path: FEED, headers: { ...EVENTS, ...AUTH } }), 400, 'invalid_request');
  });

  test('a cursor of another history, of another resource server, or in a wrong form gets 410', async () => {
    const { cursor } = await feed.snapshot();
    const [sequence, mark] = cursor.split('-');
    const stocks = (await feed.snapshot('', STOCK_AUTH)).cursor;
    const foreign = cursor.replace(mark ?? '', 'f'.repeat(16));
    const ahead = cursor.replace(sequence ?? '', '1.999999999');
    const ofNextEpoch = cursor.replace(/^1\./, '2.');
    for (const wrong of [stocks, foreign, ahead, ofNextEpoch, 'x', `${cursor}0`]) {
      const headers = { ...EVENTS, ...AUTH, 'last-event-id': wrong };
      assertRefused(await feed.stranger.ask({ path: FEED, headers }), 410, 'invalid_request');
      assertRefused(
        await feed.stranger.ask({ path: `${FEED}?page=${wrong}-1`, headers: AUTH }),
        410,
        'invalid_request',
      );
    }
  });

  for (const protocol of PROTOCOLS)
    test(`${protocol}: who is no resource server may not follow`, async () => {
      const caller = feed.caller(undefined, protocol);
      for (const headers of [{}, basic('orders-api', 'wrong'), basic('nobody', secret.reveal())]) {
        const answer = await caller.ask({ path: FEED, headers });
        assertRefused(answer, 401, 'invalid_client');
        assert.match(String(answer.headers['www-authenticate']), /^Basic /);
        assertRefused(await caller.ask({ path: FEED, headers: { ...headers, ...EVENTS } }), 401, 'invalid_client');
      }
      caller.close();
    });
});
