import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_SETTINGS } from '../../src/core/settings.ts';
import { seconds } from '../../src/core/time.ts';
import { sweep } from '../../src/operations/upkeep/sweep.ts';
import { TABLES } from '../../src/store/all-tables.ts';
import { devices } from '../../src/store/tables/devices.ts';
import { grants } from '../../src/store/tables/grants.ts';
import { accepted, answer, issue, type Node, refresh, start } from '../node.ts';
import { onSqlite } from './on-sqlite.ts';

const SHORT = { ...DEFAULT_SETTINGS, grantLifetime: seconds(1000), eventRetention: seconds(1_000_000) };
const GRACE = 7 * 86_400;

async function rowsLeft(node: Node): Promise<{ grants: number; devices: number }> {
  const limit = 10_000;
  return {
    grants: (await node.store.page(grants, { limit })).length,
    devices: (await node.store.page(devices, { limit })).length,
  };
}

test('ended rows are swept after a delay (grants after a week), and no live row is swept', async (t) => {
  const { node, clock } = await onSqlite(t, { settings: SHORT });
  const pair = await issue(node);
  await start(node);
  clock.set(pair.refreshUntil + GRACE);
  await sweep(node, async () => {});
  assert.deepEqual(await rowsLeft(node), { grants: 1, devices: 0 });
  clock.move(1);
  await sweep(node, async () => {});
  assert.deepEqual(await rowsLeft(node), { grants: 0, devices: 0 });
  assert.equal(await answer(refresh(node, pair)), 'grant-unknown');
});

test('sweeping runs in small steps and lets requests run in between', async (t) => {
  const { node, clock } = await onSqlite(t, { settings: SHORT });
  await Promise.all(Array.from({ length: 450 }, () => issue(node)));
  clock.move(1000 + GRACE + 1);
  const young = await issue(node);
  let pauses = 0;
  const swept = await sweep(node, async () => {
    pauses++;
    accepted(await refresh(node, young, {}));
  });
  assert.deepEqual([swept, pauses], [450, 18]);
  assert.deepEqual(await rowsLeft(node), { grants: 1, devices: 0 });
});

test('events have their own retention', async (t) => {
  const { node, clock } = await onSqlite(t, { settings: SHORT });
  await issue(node);
  await issue(node);
  clock.move(1_000_001);
  const last = await issue(node);
  await sweep(node, async () => {});
  const events = await node.store.events({ after: 0, limit: 10 });
  assert.deepEqual(
    events.map(({ subjectId }) => subjectId),
    [last.grantId],
  );
});

test('how long ended rows stay, so that a wrong clock sweeps nothing that still counts', () => {
  const [hour, week, month] = [3_600, 604_800, 2_592_000];
  const kept = TABLES.flatMap(({ name, ends }) => (ends ? [[name, ends.kept] as const] : []));
  assert.deepEqual(Object.fromEntries(kept), {
    ...{ grants: week, device_authorizations: hour, sessions: hour, attempts: hour, assertions: hour, nodes: hour },
    ...{ leases: hour, ended_lists: hour, revocation_lists: month, list_contents: month, key_sets: week },
    ...{ figures: hour, refusal_counts: hour },
  });
});
