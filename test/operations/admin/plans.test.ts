// Changes that are planned while other nodes make changes too. Other nodes are their rows in the store.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { accept } from '../../../src/core/outcome.ts';
import { after, seconds } from '../../../src/core/time.ts';
import { performPlan } from '../../../src/operations/admin/perform.ts';
import type { Store } from '../../../src/store/store.ts';
import { leases } from '../../../src/store/tables/leases.ts';
import { anIntegration } from '../../samples.ts';
import { administration } from './admin-samples.ts';

const NEXT = anIntegration({ clientId: 'planned' as never });
const ROW = { kind: 'integration', key: 'planned', revision: undefined, next: NEXT, deeds: [] } as const;

function write(store: Store, name: string, lasts: number): Promise<void> {
  return store.change(leases, name, (_, now) => ({
    outcome: undefined,
    next: { name, endsAt: after(now, seconds(lasts)) },
  }));
}

async function isHeld(store: Store): Promise<boolean> {
  const { found, now } = await store.load(leases, 'names-first');
  return found !== undefined && now < found.row.endsAt;
}

suite('plans', () => {
  test('a plan that loses to other nodes again and again goes first', async (t) => {
    const admin = await administration(t);
    const names = async () => (await admin.store.load(leases, 'names')).found?.revision;
    let plans = 0;
    let before: number | undefined;
    const done = await performPlan(async () => {
      plans++;
      // Another node takes a name, unless it must wait.
      if (!(await isHeld(admin.store))) await write(admin.store, 'names', 60);
      before = await names();
      return accept([ROW]);
    }, admin);
    assert.notEqual(await names(), before, 'other nodes notice it, too');
    assert.deepEqual([done.ok, plans, await isHeld(admin.store)], [true, 4, false]);
  });

  test('nobody plans while another node goes first; of a node that died, its turn ends', async (t) => {
    const admin = await administration(t);
    await write(admin.store, 'names-first', 10);
    const heldWhilePlanned: boolean[] = [];
    const done = performPlan(async () => {
      heldWhilePlanned.push(await isHeld(admin.store));
      return accept([ROW]);
    }, admin);
    await new Promise((go) => setTimeout(go, 120));
    assert.deepEqual(heldWhilePlanned, []);
    admin.pass(11);
    assert.ok((await done).ok);
    assert.deepEqual(heldWhilePlanned, [false]);
  });
});
