import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { GrantId } from '../../../src/core/grant.ts';
import { epochSeconds } from '../../../src/core/time.ts';
import {
  carryRevocations,
  carryUses,
  countLiveGrants,
  endDeviceCodes,
  endEverything,
  heardHistory,
  noticeByCopy,
} from '../../../src/operations/admin/after-restore.ts';
import { endSession } from '../../../src/operations/end-sessions.ts';
import { revokeById } from '../../../src/operations/grant/revoke-grant.ts';
import { beginSession, personOf } from '../../../src/operations/person/browser-session.ts';
import { assertions } from '../../../src/store/tables/attempts.ts';
import { devices } from '../../../src/store/tables/devices.ts';
import { grants } from '../../../src/store/tables/grants.ts';
import { sessions } from '../../../src/store/tables/sessions.ts';
import { readHistory, storeHistory } from '../../../src/store/tables/store-history.ts';
import { anotherNode, answer, check, confirmed, issue, put, redeem, refresh, revoke, start } from '../../node.ts';
import { anIdentity, hexOf, NOW, OPERATOR } from '../../samples.ts';
import { onSqlite } from '../on-sqlite.ts';

test('revocations known to the previous store are carried over with their reasons, and nothing else ends', async (t) => {
  const [{ node: former }, { node: restored }] = [await onSqlite(t), await onSqlite(t)];
  const [one, two, living] = [await issue(former), await issue(former), await issue(former)];
  // The copy was taken here.
  const all = await former.store.page(grants, { limit: 10 });
  for (const grant of all) await put(restored.store, grants, grant);
  const node = { ...restored, keyring: former.keyring };
  await revoke(former, one);
  const after = await issue(former); // unknown to the copy
  await revokeById(two.grantId as GrantId, 'by-operator', former);
  await revoke(former, after);
  assert.equal(await carryRevocations(former.store, { ...node, by: OPERATOR }), 2);
  assert.deepEqual(await Promise.all([one, two, living].map((pair) => answer(check(node, pair)))), [
    'grant-revoked',
    'grant-revoked',
    'accepted',
  ]);
  const reasonOf = async (id: string) => (await node.store.load(grants, id)).found?.row.revoked?.reason;
  assert.equal(await reasonOf(one.grantId), 'by-caller');
  assert.equal(await reasonOf(two.grantId), 'by-operator');
  assert.equal(await countLiveGrants(node), 1);
  assert.equal(
    await carryRevocations(former.store, { ...node, by: OPERATOR }),
    0,
    'a second time there is nothing left to do',
  );
});

test('ending everything leaves no grant, no device code and no session that works', async (t) => {
  const { node } = await onSqlite(t);
  const pair = await issue(node);
  const [pending, ready, redeemed] = [await start(node), await confirmed(node), await confirmed(node)];
  await redeem(node, redeemed);
  const { cookie } = await beginSession(anIdentity(), node);
  assert.deepEqual(await endEverything({ ...node, by: OPERATOR }), { grants: 2, deviceCodes: 2, sessions: 1 });
  assert.equal(await answer(check(node, pair)), 'grant-revoked');
  assert.equal(await answer(refresh(node, pair)), 'grant-revoked');
  assert.deepEqual(await Promise.all([pending, ready, redeemed].map((code) => answer(redeem(node, code)))), [
    'code-ended',
    'code-ended',
    'device-code-redeemed',
  ]);
  assert.equal(await personOf(cookie.reveal(), node), undefined);
  assert.deepEqual(await endEverything({ ...node, by: OPERATOR }), { grants: 0, deviceCodes: 0, sessions: 0 });
  assert.equal(await countLiveGrants(await anotherNode(node.store)), 0);
});

test('a device code that was redeemed since the copy is not redeemed again, nor is a session that ended open again', async (t) => {
  const [{ node: former }, { node: restored }] = [await onSqlite(t), await onSqlite(t)];
  const node = { ...restored, keyring: former.keyring, by: OPERATOR };
  const codes = [await confirmed(former), await start(former)];
  const [left, open] = [await beginSession(anIdentity(), former), await beginSession(anIdentity(), former)];
  const used = { mark: hexOf(32, 1), endsAt: epochSeconds(NOW + 600) };
  // The copy was taken here.
  for (const row of await former.store.page(devices, { limit: 10 })) await put(node.store, devices, row);
  for (const row of await former.store.page(sessions, { limit: 10 })) await put(node.store, sessions, row);
  for (const code of codes.slice(0, 1)) assert.equal(await answer(redeem(former, code)), 'accepted');
  await endSession((await personOf(left.cookie.reveal(), former))?.session ?? '', former);
  await put(former.store, assertions, used);

  await carryUses(former.store, node);
  assert.equal(await endDeviceCodes(node), 2);
  for (const code of codes) assert.equal(await answer(redeem(node, code)), 'code-ended');
  assert.equal(await personOf(left.cookie.reveal(), node), undefined);
  assert.notEqual(await personOf(open.cookie.reveal(), node), undefined);
  assert.deepEqual((await node.store.load(assertions, used.mark)).found?.row, used);
});

test('a kept copy that is later than the store shows that it was put back', async (t) => {
  const [{ node: copy }, { node: restored }] = [await onSqlite(t), await onSqlite(t)];
  const rollback = async () => (await readHistory(restored.store)).rollback;
  for (const node of [copy, restored]) await issue(node);
  await noticeByCopy(copy.store, restored);
  assert.equal(await rollback(), undefined, 'as far as the store');
  await issue(copy);
  await put(restored.store, storeHistory, { epoch: 2, rollback: undefined });
  await noticeByCopy(copy.store, restored);
  assert.equal(await rollback(), undefined, 'of an earlier epoch');
  await put(copy.store, storeHistory, { epoch: 2, rollback: undefined });
  await noticeByCopy(copy.store, restored);
  const [{ drawn: seen }, { drawn: found }] = [await copy.store.eventProgress(), await restored.store.eventProgress()];
  assert.deepEqual(await rollback(), { noticedAt: NOW, seen, found, lost: [], unlisted: 0, awaited: [] });
  const { node: empty } = await onSqlite(t);
  await noticeByCopy(copy.store, empty);
  assert.equal((await readHistory(empty.store)).epoch, 2, 'a store without a history');
});

test('nodes have five seconds to write what they remember', async (t) => {
  const { node } = await onSqlite(t);
  assert.deepEqual(await heardHistory(node), { epoch: 1, rollback: undefined });
  const awaiting = (...awaited: string[]) => ({ noticedAt: NOW, seen: 9, found: 1, lost: [], unlisted: 0, awaited });
  await put(node.store, storeHistory, { epoch: 1, rollback: awaiting() });
  assert.deepEqual((await heardHistory(node)).rollback?.awaited, []);
  await put(node.store, storeHistory, { epoch: 1, rollback: awaiting('a node') });
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let milliseconds = 0;
  t.mock.method(performance, 'now', () => milliseconds);
  let heard: unknown;
  const hearing = heardHistory(node).then(({ rollback }) => {
    heard = rollback?.awaited;
  });
  const pass = async (by: number) => {
    await new Promise(setImmediate);
    milliseconds += by;
    t.mock.timers.tick(by);
    await new Promise(setImmediate);
  };
  for (let n = 0; n < 50; n++) await pass(100);
  assert.equal(heard, undefined);
  await pass(100);
  await hearing;
  assert.deepEqual(heard, ['a node']);
});
