import assert from 'node:assert/strict';
import type { Grant } from '../../../src/core/grant.ts';
import { attempts } from '../../../src/store/tables/attempts.ts';
import { grants } from '../../../src/store/tables/grants.ts';
import { identities } from '../../../src/store/tables/identities.ts';
import { integrations } from '../../../src/store/tables/integrations.ts';
import { aGrant, anIdentity, hexOf, NOW } from '../../samples.ts';
import type { Claim } from '../conformance.ts';
import { counter, increment, later, put } from './rows.ts';

export function sweeping(claim: Claim): void {
  claim('rows that ended before a given time are swept in steps, and no others', async ({ store }) => {
    for (let n = 0; n < 15; n++) await put(store, attempts, counter(`row ${n}`, n, later(NOW, n)));
    const steps: number[] = [];
    for (let n = 0; n < 4; n++) steps.push(await store.sweep(attempts, later(NOW, 10), 4));
    assert.deepEqual(steps, [4, 4, 2, 0]);
    const left = await store.page(attempts, { limit: 100 });
    assert.deepEqual(new Set(left.map(({ count }) => count)), new Set([10, 11, 12, 13, 14]), 'before, not at');
  });

  claim('a swept row is gone, and its key can be used again', async ({ store }) => {
    await put(store, attempts, counter('a', 5, NOW));
    assert.equal(await store.sweep(attempts, later(NOW, 1), 10), 1);
    assert.equal((await store.load(attempts, 'a')).found, undefined);
    assert.equal(await increment(store, 'a'), 1);
  });

  claim('a change whose row is swept meanwhile decides again without it', async ({ store }) => {
    await put(store, attempts, counter('a', 5, NOW));
    let swept: Promise<number> | undefined;
    const outcome = await store.change(attempts, 'a', (found) => {
      swept ??= store.sweep(attempts, later(NOW, 1), 10);
      return { outcome: found?.row.count ?? 'gone', next: counter('a', 1, later(NOW, 100)) };
    });
    // Whichever came first, neither undid the other.
    assert.deepEqual([outcome, await swept], outcome === 'gone' ? ['gone', 1] : [5, 0]);
    assert.equal((await store.load(attempts, 'a')).found?.row.count, 1);
  });

  claim('rows that end in a period are counted, up to a limit', async ({ store }) => {
    for (let n = 0; n < 9; n++) await put(store, attempts, counter(`row ${n}`, n, later(NOW, n)));
    const time = { from: later(NOW, 2), before: later(NOW, 7) };
    const all = { read: 5, living: 5 };
    assert.deepEqual(await store.countEnding(attempts, time, 100), all, 'the first moment, not the last');
    assert.deepEqual(await store.countEnding(attempts, time, 3), { read: 3, living: 3 });
  });

  claim('rows that ended early are read up to the limit too, and do not count as living', async ({ store }) => {
    await put(store, identities, anIdentity());
    const end = (id: number, revoked?: Grant['revoked']) =>
      put(store, grants, { ...aGrant({ id: hexOf(16, id) as never, refreshUntil: NOW }), ...(revoked && { revoked }) });
    for (const id of [1, 2, 3]) await end(id, { at: NOW, reason: 'by-operator' });
    await end(4);
    const time = { from: NOW, before: later(NOW, 1) };
    assert.deepEqual(await store.countEnding(grants, time, 100), { read: 4, living: 1 });
    assert.equal((await store.countEnding(grants, time, 2)).read, 2);
  });

  claim('tables without an end column cannot be swept or counted by end', async ({ store }) => {
    await assert.rejects(async () => store.sweep(integrations, NOW, 1), /never end/);
    await assert.rejects(async () => store.countEnding(integrations, { from: NOW, before: NOW }, 1), /never end/);
  });
}
