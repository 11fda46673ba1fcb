// Large lists are stored in parts, so that no row takes long to read or write.
// Only in test:all: revocation lists among nodes
import assert from 'node:assert/strict';
import { hash, randomBytes } from 'node:crypto';
import { suite, type TestContext, test } from 'node:test';
import { epochSeconds } from '../../src/core/time.ts';
import { storeOf } from '../../src/store/change.ts';
import { loadContents, storeContents } from '../../src/store/shared-lists.ts';
import type { Store } from '../../src/store/store.ts';
import { listContents } from '../../src/store/tables/revocation-lists.ts';
import type { TestDatabase } from '../store/conformance.ts';
import { postgresDatabase } from '../store/postgres-database.ts';
import { sqliteDatabase } from '../store/sqlite-database.ts';

const URL = 'http://lists.test/1';
const AT = epochSeconds(1_900_000_000);
const DAY = 86_400;
/** The octets of a row. */
const PART = 256 * 1024;

function aList(octets: number, fetchedAt = AT) {
  const contents = randomBytes(octets);
  return { url: URL, mark: hash('sha256', contents), fetchedAt, contents };
}

async function rowsOf(store: Store) {
  return store.page(listContents, { limit: 100 });
}

async function loaded(store: Store): Promise<Buffer | undefined> {
  const contents = await loadContents(store, URL);
  return contents && Buffer.from(contents);
}

/** The store, with something else that happens before the n-th load or change. */
function interrupted(store: Store, what: 'load' | 'change', nth: number, happens: () => Promise<unknown>): Store {
  let calls = 0;
  const before = async () => {
    if (++calls === nth) await happens();
  };
  return {
    ...store,
    load: async (table, key) => {
      if (what === 'load') await before();
      return store.load(table, key);
    },
    change: async (table, key, decide) => {
      if (what === 'change') await before();
      return store.change(table, key, decide);
    },
  };
}

function listsInParts(open: () => Promise<TestDatabase>): void {
  const opened = async (t: TestContext): Promise<Store> => {
    const database = await open();
    t.after(() => database.remove());
    return storeOf(await database.open());
  };

  test('a small list is one row', async (t) => {
    const store = await opened(t);
    const list = aList(PART);
    await storeContents(store, list);
    assert.equal((await rowsOf(store)).length, 1);
    assert.deepEqual(await loaded(store), list.contents);
  });

  for (const octets of [PART + 1, 2 * PART, 3 * PART - 1]) {
    test(`a list of ${octets} octets is stored in rows of ${PART} at most, and loaded whole`, async (t) => {
      const store = await opened(t);
      const list = aList(octets);
      await storeContents(store, list);
      const sizes = (await rowsOf(store)).map(({ contents }) => contents.length);
      assert.ok(Math.max(...sizes) <= PART, String(sizes));
      assert.deepEqual(await loaded(store), list.contents);
    });
  }

  test('a list replaces the one before, whichever is larger', async (t) => {
    const store = await opened(t);
    for (const octets of [3 * PART, 2 * PART, 1000, 4 * PART]) {
      const list = aList(octets);
      await storeContents(store, list);
      assert.deepEqual(await loaded(store), list.contents);
    }
  });

  test('if the node dies while it writes, the list before stays whole', async (t) => {
    const store = await opened(t);
    const before = aList(3 * PART);
    await storeContents(store, before);
    const dies = interrupted(store, 'change', 3, () => Promise.reject(new Error('killed')));
    await assert.rejects(storeContents(dies, aList(3 * PART)), /killed/);
    assert.deepEqual(await loaded(store), before.contents);
  });

  test('a reader never gets parts of two lists', async (t) => {
    const store = await opened(t);
    const lists = [aList(3 * PART), aList(3 * PART), aList(3 * PART)];
    for (const nth of [1, 2, 3, 4, 5]) {
      const [first, second, third] = lists;
      assert.ok(first && second && third);
      await storeContents(store, first);
      const replaced = async () => {
        await storeContents(store, second);
        await storeContents(store, third);
      };
      const contents = await loadContents(interrupted(store, 'load', nth, replaced), URL);
      const whole = contents === undefined ? 'nothing' : hash('sha256', contents);
      assert.ok(['nothing', first.mark, third.mark].includes(whole), `replaced before load ${nth}`);
    }
  });

  test('a list that has not changed is written again only before it would be swept', async (t) => {
    const store = await opened(t);
    const list = aList(2 * PART);
    await storeContents(store, list);
    const stamp = await store.stamp(listContents);
    await storeContents(store, { ...list, fetchedAt: epochSeconds(AT + 9 * DAY) });
    assert.equal(await store.stamp(listContents), stamp);
    await storeContents(store, { ...list, fetchedAt: epochSeconds(AT + 10 * DAY) });
    assert.equal((await rowsOf(store)).filter(({ fetchedAt }) => fetchedAt === AT + 10 * DAY).length, 3);
    assert.deepEqual(await loaded(store), list.contents);
  });

  test('a malformed index is parsed as the list itself, and fails', async (t) => {
    const store = await opened(t);
    for (const text of ['{', '{"mark":"00","octets":-1}', '{"mark":"00","octets":1e18}', '{"octets":5}']) {
      const contents = Buffer.from(text);
      await storeContents(store, { url: URL, mark: '00', fetchedAt: AT, contents });
      assert.deepEqual(await loaded(store), contents);
    }
  });
}

suite('the contents of lists on SQLite', () => listsInParts(() => sqliteDatabase()));
suite('the contents of lists on PostgreSQL', () => listsInParts(() => postgresDatabase()));
