import assert from 'node:assert/strict';
import type { GrantId } from '../../../src/core/grant.ts';
import type { ClientId } from '../../../src/core/integration.ts';
import type { PageQuery, Store } from '../../../src/store/store.ts';
import type { Table } from '../../../src/store/table.ts';
import { attempts } from '../../../src/store/tables/attempts.ts';
import { grants, grantsOf } from '../../../src/store/tables/grants.ts';
import { identities } from '../../../src/store/tables/identities.ts';
import { ADA, aGrant, anIdentity, NOW } from '../../samples.ts';
import type { Claim } from '../conformance.ts';
import { counter, later, put } from './rows.ts';

const grantId = (n: number) => n.toString(16).padStart(32, '0') as GrantId;
const numbered = (n: number) => String(n).padStart(4, '0');

export function paging(claim: Claim): void {
  claim('pages contain every row once, in key order', async ({ store }) => {
    const keys = Array.from({ length: 100 }, (_, n) => numbered((n * 37) % 100));
    await Promise.all(keys.map((about) => put(store, attempts, counter(about))));
    for (const limit of [1, 7, 99, 100, 1000]) {
      assert.deepEqual(await keysOf(store, attempts, { limit }), keys.toSorted());
    }
  });

  claim('text keys are ordered bytewise, whatever the locale', async ({ store }) => {
    const keys = ['b', 'B', 'a', 'A', '_', '-', 'aa', 'a a', 'é', 'z', '😀', '￿', '10', '9', "'", '%'];
    for (const about of keys) await put(store, attempts, counter(about));
    const ordered = keys.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    assert.deepEqual(await keysOf(store, attempts, { limit: 3 }), ordered);
  });

  claim('inserts during paging cause no existing row to be missed or repeated', async ({ store }) => {
    const there = Array.from({ length: 60 }, (_, n) => numbered(n * 10));
    await Promise.all(there.map((about) => put(store, attempts, counter(about))));
    let inserted = 0;
    const seen = await keysOf(store, attempts, { limit: 7 }, async () => {
      for (let n = 0; n < 5; n++) await put(store, attempts, counter(numbered((inserted++ * 71) % 600)));
    });
    assert.deepEqual(seen.toSorted(), seen, 'in order');
    assert.equal(new Set(seen).size, seen.length, 'none twice');
    assert.deepEqual(
      there.filter((key) => !seen.includes(key)),
      [],
      'none missed',
    );
  });

  claim('rows changed during paging keep their place', async ({ store }) => {
    const keys = Array.from({ length: 40 }, (_, n) => numbered(n));
    await Promise.all(keys.map((about) => put(store, attempts, counter(about))));
    const seen = await keysOf(store, attempts, { limit: 6 }, async () => {
      await Promise.all(keys.map((about) => put(store, attempts, counter(about, 7))));
    });
    assert.deepEqual(seen, keys);
  });

  claim('a page can be limited to an index value and to when rows end', async ({ store }) => {
    await put(store, identities, anIdentity());
    for (let n = 0; n < 30; n++) {
      const clientId = (n % 2 ? 'odd' : 'even') as ClientId;
      await put(store, grants, aGrant({ id: grantId(n), clientId, refreshUntil: later(NOW, n) }));
    }
    const ids = (query: PageQuery) => keysOf(store, grants, query);
    const where = grantsOf.integration('odd');
    const odd = Array.from({ length: 15 }, (_, n) => grantId(2 * n + 1));
    assert.deepEqual(await ids({ where, limit: 4 }), odd);
    assert.deepEqual(await ids({ where, endingBefore: later(NOW, 9), limit: 2 }), odd.slice(0, 4));
    assert.equal((await ids({ where: grantsOf.holder(ADA), limit: 8 })).length, 30);
    assert.equal((await ids({ endingBefore: NOW, limit: 8 })).length, 0, 'before, not at');
    assert.deepEqual(await ids({ where, endingFrom: later(NOW, 25), limit: 2 }), odd.slice(12));
    assert.deepEqual(
      await ids({ endingFrom: later(NOW, 3), endingBefore: later(NOW, 5), limit: 8 }),
      [3, 4].map(grantId),
    );
  });

  claim('a page may start after a key that does not exist', async ({ store }) => {
    for (const about of ['a', 'c']) await put(store, attempts, counter(about));
    const page = await store.page(attempts, { after: 'b', limit: 5 });
    assert.deepEqual(
      page.map(({ about }) => about),
      ['c'],
    );
  });
}

/** Pages through to the end. */
async function keysOf<Row, Companion>(
  store: Store,
  table: Table<Row, Companion>,
  query: PageQuery,
  between: () => Promise<void> = async () => {},
): Promise<string[]> {
  const keys: string[] = [];
  for (;;) {
    const last = keys.at(-1);
    const page = await store.page(table, { ...query, ...(last !== undefined && { after: last }) });
    keys.push(...page.map(table.keyOf));
    if (page.length < query.limit) return keys;
    await between();
  }
}
