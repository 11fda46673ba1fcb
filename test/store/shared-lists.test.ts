// Which revocation lists a node follows, and what it shares about them with other nodes.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Integration } from '../../src/core/integration.ts';
import { DEFAULT_SETTINGS } from '../../src/core/settings.ts';
import { seconds } from '../../src/core/time.ts';
import { storeOf } from '../../src/store/change.ts';
import { SharedLists } from '../../src/store/shared-lists.ts';
import { revocationLists } from '../../src/store/tables/revocation-lists.ts';
import { TestClock } from '../node.ts';
import { anIntegration, NOW } from '../samples.ts';
import { later } from './conformance/rows.ts';
import { newSqlite } from './new-sqlite.ts';
import { sqliteDatabase } from './sqlite-database.ts';

const URL = 'http://lists.test/1';
const DAY = 86_400;
const NEWS = { url: URL, checkedAt: NOW, renewAt: later(NOW, 60) };

/** Two nodes on one store, whose grants live for two days, and when the row says that callers asked. */
async function scene(t: TestContext, integrations: readonly Integration[] = []) {
  const clock = new TestClock();
  const database = await sqliteDatabase(clock.now);
  t.after(() => database.remove());
  newSqlite(database.path);
  const store = storeOf(await database.open());
  const settings = { ...DEFAULT_SETTINGS, grantLifetime: seconds(2 * DAY) };
  const [one, other] = [0, 1].map(() => new SharedLists({ store, registry: { integrations }, settings, clock }));
  assert.ok(one && other);
  const askedAt = async () => {
    const row = (await store.load(revocationLists, URL)).found?.row;
    return row && row.askedAt - NOW;
  };
  return { one, other, clock, store, askedAt };
}

test('a list is followed as long as a grant may live whose certificate names it', async (t) => {
  const { one, clock } = await scene(t);
  assert.equal(one.isWanted(URL), false);
  one.named(URL);
  clock.move(2 * DAY - 1);
  assert.equal(one.isWanted(URL), true);
  clock.move(1);
  assert.equal(one.isWanted(URL), false);
  const longer = await scene(t, [anIntegration({ overrides: { grantLifetime: seconds(3 * DAY) } })]);
  longer.one.named(URL);
  longer.clock.move(3 * DAY - 1);
  assert.equal(longer.one.isWanted(URL), true);
});

test('also by a node whose own callers never named it', async (t) => {
  const { one, other, clock } = await scene(t);
  one.named(URL);
  await one.share(NEWS);
  assert.equal(other.isWanted(URL), false);
  const row = { ...NEWS, askedAt: NOW };
  assert.deepEqual(await other.find(URL), row);
  assert.equal(other.isWanted(URL), true);
  clock.move(2 * DAY);
  assert.deepEqual(await other.news(true), [], 'nobody needs it any more');
  assert.equal(await other.find('http://lists.test/2'), undefined);
});

test('news are what has changed since, or all that is wanted', async (t) => {
  const { one, other } = await scene(t);
  one.named(URL);
  await one.share(NEWS);
  assert.equal((await other.news(false))?.length, 1);
  assert.equal(await other.news(false), undefined);
  assert.equal((await other.news(true))?.length, 1);
  const contents = Buffer.from('a list');
  await one.share({ ...NEWS, failure: 'away' }, contents);
  assert.deepEqual(Buffer.from((await other.contents(URL)) ?? []), contents);
  assert.equal((await other.news(false))?.[0]?.failure, 'away');
});

test('a list keeps its mark and the last time that it was asked for, whoever shares it', async (t) => {
  const { one, other, clock, store, askedAt } = await scene(t);
  const mark = '00'.repeat(32);
  await one.share({ ...NEWS, mark });
  assert.equal(await askedAt(), 0, 'of a list that nobody named, when it was checked');
  clock.move(10);
  one.named(URL);
  await one.share(NEWS);
  await other.share({ ...NEWS, failure: 'away' });
  const { found } = await store.load(revocationLists, URL);
  assert.deepEqual(found?.row, { ...NEWS, askedAt: later(NOW, 10), failure: 'away', mark });
});

test('other nodes learn once a day that callers still ask for a list', async (t) => {
  const { one, other, clock, askedAt } = await scene(t);
  one.named(URL);
  await one.news(false); // there is no row yet
  await one.share(NEWS);
  await one.news(false);
  clock.move(DAY - 1);
  one.named(URL);
  await one.news(false);
  assert.equal(await askedAt(), 0);
  clock.move(1);
  one.named(URL);
  await one.news(false);
  assert.equal(await askedAt(), DAY);
  await other.news(false);
  clock.move(DAY + 5);
  other.named(URL);
  await other.news(false);
  clock.move(-5);
  one.named(URL);
  await one.news(false);
  assert.equal(await askedAt(), 2 * DAY + 5, 'never an earlier time');
});
