// When a stream of the revocation feed ends, and what a follower does then.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import type { ResourceServer } from '../../src/core/resource-server.ts';
import { seconds } from '../../src/core/time.ts';
import { sweep } from '../../src/operations/upkeep/sweep.ts';
import { integrations } from '../../src/store/tables/integrations.ts';
import { resourceServers } from '../../src/store/tables/resource-servers.ts';
import { changeResourceServer } from '../administer.ts';
import { eventually } from '../eventually.ts';
import { given } from '../given.ts';
import { anIntegration, aResourceServer, OPERATOR, scopeOf } from '../samples.ts';
import { rawConnection, reachOf } from './caller.ts';
import { followFeed } from './feed-follower.ts';
import { AUTH, EVENTS, FEED, type Snapshot, STOCK_AUTH, secretHash, startFeed } from './feed-scene.ts';
import { assertRefused } from './oauth-steps.ts';
import { startService } from './service.ts';
import { pairByCertificate } from './steps.ts';

const admin = () => ({ store: feed.ports.store, by: OPERATOR });

const feed = given(() => startFeed());

test('if the resource server serves something else, its streams end and its cursors are gone', async (t) => {
  const follower = await feed.following(t, STOCK_AUTH);
  const { cursor } = await feed.snapshot('', STOCK_AUTH);
  const ports = { ...admin(), issuer: feed.config.publicUrl };
  const changed = await changeResourceServer('stock-api', { resources: ['stock', 'orders'] }, ports);
  assert.ok(changed.ok);
  await follower.ended;
  const headers = { ...EVENTS, ...STOCK_AUTH, 'last-event-id': cursor };
  assertRefused(await feed.stranger.ask({ path: FEED, headers }), 410, 'invalid_request');
});

test('a cursor whose event was swept gets 410', async () => {
  const swept = await startService({ settings: { events: { retention: '1h' } } });
  const caller = swept.caller(swept.ada);
  const secrets: ResourceServer['secrets'] = [{ hash: secretHash, createdAt: swept.now() }];
  await swept.put(resourceServers, aResourceServer({ secrets }));
  await pairByCertificate(caller);
  const { cursor } = (await caller.ask({ path: FEED, headers: AUTH })).json as unknown as Snapshot;
  swept.pass(2 * 3600);
  await pairByCertificate(caller);
  await sweep({ ...swept.ports, settings: { ...swept.ports.settings, eventRetention: seconds(3600) } }, async () => {});
  const headers = { ...EVENTS, ...AUTH, 'last-event-id': cursor };
  assertRefused(await caller.ask({ path: FEED, headers }), 410, 'invalid_request');
  caller.close();
  await swept.stop();
});

/** Entries of 9 KB: more than the kernel keeps for a connection, which is up to ten megabytes. */
const MANY = 1_500;
const LARGE = scopeOf(`orders:${Array.from({ length: 800 }, (_, n) => `p${n}`).join(',')}`);

test('a follower that does not read is cut, and resumes where it was', async (t) => {
  const { cursor } = await feed.snapshot();
  const { store } = feed.ports;
  const lines = [`GET ${FEED} HTTP/1.1`, 'Host: x', `Authorization: ${AUTH['authorization']}`];
  const socket = await rawConnection(reachOf(feed));
  t.after(() => socket.destroy());
  socket.on('error', () => undefined);
  socket.write([...lines, 'Accept: text/event-stream', `Last-Event-ID: ${cursor}`, '', ''].join('\r\n'));
  await once(socket, 'readable'); // nothing is read from now on
  const real = performance.now.bind(performance);
  let ahead = 0;
  t.mock.method(performance, 'now', () => real() + ahead);
  const clientId = anIntegration().clientId;
  const changed = { kind: 'integration', id: clientId, did: 'changed', changed: {}, by: OPERATOR } as const;
  const events = Array.from({ length: MANY }, () => ({
    type: 'administered' as const,
    at: feed.now(),
    clientId,
    detail: changed,
  }));
  const known = feed.logLines.length;
  const isCut = (line: string) => line.includes('"follow-revocations"') && line.includes('"aborted"');
  await store.change(integrations, clientId, () => ({
    outcome: undefined,
    next: anIntegration({ scope: LARGE }),
    events,
  }));
  // A follower has 10 seconds to read.
  for (; !feed.logLines.slice(known).some(isCut); ahead += 10_000)
    await new Promise((resolve) => setTimeout(resolve, 1_500));
  const resumed = await feed.following(t, AUTH, cursor);
  await eventually('it gets more', () => resumed.entries.length >= 10);
  const [, sequence = ''] = /^\d+\.(\d+)-/.exec(cursor) ?? [];
  const [next] = await store.events({ after: Number(sequence), limit: 1, acts: true });
  assert.match(resumed.text, new RegExp(`^retry: 1000\n:\n\nid: \\d+\\.${next?.sequence}-`));
});

test('a service that stops ends its streams first', async () => {
  const stopping = await startService();
  const secrets: ResourceServer['secrets'] = [{ hash: secretHash, createdAt: stopping.now() }];
  await stopping.put(resourceServers, aResourceServer({ secrets }));
  const caller = stopping.caller();
  const { cursor } = (await caller.ask({ path: FEED, headers: AUTH })).json as unknown as Snapshot;
  caller.close();
  const follower = await followFeed(reachOf(stopping), { ...AUTH, 'last-event-id': cursor });
  const began = performance.now();
  await stopping.stop();
  await follower.ended;
  assert.ok(performance.now() - began < 10_000, 'it does not wait for stopTimeout');
});
