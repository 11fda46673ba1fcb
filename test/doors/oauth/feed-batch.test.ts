// What followers of the revocation feed are sent at a time.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Audience } from '../../../src/core/resource-server.ts';
import { epochSeconds } from '../../../src/core/time.ts';
import { FeedBatches } from '../../../src/doors/oauth/feed-batch.ts';
import { parseCursor } from '../../../src/operations/feed/cursor.ts';
import type { FeedItem } from '../../../src/operations/feed/read-feed.ts';
import { aResourceServer, NOW } from '../../samples.ts';

const SERVER = aResourceServer();
const mark = '0123456789abcdef';

function anItem(sequence: number, grantId = 'g'): FeedItem {
  const state = { about: 'grant', grantId, scope: undefined, keepUntil: epochSeconds(NOW + 9) } as const;
  return { epoch: 1, sequence, mark, state };
}

const batchOf = (items: readonly FeedItem[]) => new FeedBatches().of(items as [FeedItem, ...FeedItem[]], SERVER, 1);

test('each entry has its cursor; what a resource server is not sent only moves it', () => {
  const nothing: FeedItem = { ...anItem(8), state: undefined };
  const { bytes, last } = batchOf([anItem(7), nothing]);
  const [first = '', second = '', end] = bytes.toString().split('\n\n');
  assert.match(first, /^id: \S+\ndata: \{"type":"grant","grant":"g","keep_until":\d+\}$/);
  assert.match(second, /^id: \S+$/);
  assert.deepEqual([end, last], ['', nothing]);
  const { state: _, ...place } = nothing;
  assert.deepEqual(parseCursor(second.slice('id: '.length), SERVER), place);
});

test('a batch ends with the entry that reaches 16 KiB', () => {
  const LENGTH = 127; // 129 of them are an octet less
  const padded = 'g'.repeat(LENGTH - batchOf([anItem(100, '')]).bytes.length);
  const items = Array.from({ length: 200 }, (_, n) => anItem(100 + n, padded));
  const { bytes, last } = batchOf(items);
  assert.equal(bytes.length, 130 * LENGTH);
  assert.equal(last, items[129]);
  assert.equal(batchOf(items.slice(0, 3)).last, items[2]);
});

test('followers at the same place share bytes: of one resource server and one history, for the last 32 places', () => {
  const batches = new FeedBatches();
  const at = (sequence: number, server = SERVER, history = 1) =>
    batches.of([anItem(sequence), anItem(1000)], server, history);
  const first = at(1);
  assert.equal(at(1), first);
  for (const other of [at(2), at(1, aResourceServer({ audience: 'urn:other' as Audience })), at(1, SERVER, 2)])
    assert.notEqual(other, first);
  assert.notEqual(batches.of([anItem(1)], SERVER, 1), first);
  for (let n = 5; n < 32; n++) at(n);
  assert.equal(at(1), first, '31 others came later');
  at(32);
  assert.notEqual(at(1), first);
});
