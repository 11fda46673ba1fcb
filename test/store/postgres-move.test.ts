// Moving a store from SQLite to PostgreSQL: existing tokens keep working.
// Only in test:all: moves between stores
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { epochSeconds } from '../../src/core/time.ts';
import type { BackEnd } from '../../src/store/back-end.ts';
import { storeOf } from '../../src/store/change.ts';
import { moveStore, type Progress, type Source, takeOver } from '../../src/store/move.ts';
import { SharedLists } from '../../src/store/shared-lists.ts';
import type { AnyTable } from '../../src/store/table.ts';
import { attempts } from '../../src/store/tables/attempts.ts';
import { devices } from '../../src/store/tables/devices.ts';
import { grants } from '../../src/store/tables/grants.ts';
import { identities } from '../../src/store/tables/identities.ts';
import { listContents, revocationLists } from '../../src/store/tables/revocation-lists.ts';
import { serviceTimes } from '../../src/store/tables/service-times.ts';
import {
  accepted,
  aNode,
  anotherNode,
  answer,
  check,
  confirmed,
  issue,
  redeem,
  refresh,
  revoke,
  start,
  TestClock,
  textOf,
} from '../node.ts';
import { NOW } from '../samples.ts';
import { commitOf, counter, put, told } from './conformance/rows.ts';
import { postgresDatabase } from './postgres-database.ts';
import { openAt } from './postgres-node.ts';
import { sqliteDatabase } from './sqlite-database.ts';

const alone = (backEnd: BackEnd): Source => ({ backEnd, isAlone: true });
const beside = (backEnd: BackEnd): Source => ({ backEnd, isAlone: false });
const silently = () => undefined;

test('tokens, device codes, spent tokens and the event log survive the move to PostgreSQL', async () => {
  const [old, target] = [await sqliteDatabase(), await postgresDatabase()];
  const [from, to] = [await old.open(), await openAt(target.url)];
  const before = await aNode(storeOf(from));
  const live = await issue(before);
  const spent = await issue(before);
  const successor = accepted(await refresh(before, spent));
  const revoked = await issue(before);
  accepted(await revoke(before, revoked));
  const [waiting, open] = [await confirmed(before), await start(before)];
  await Promise.all(Array.from({ length: 1200 }, () => issue(before)));
  const log = await from.events({ after: 0, limit: 10_000 });

  const { moved } = await moveStore(alone(from), to, () => undefined);
  assert.equal(moved.find(({ what }) => what === 'grants')?.rows, 1203);

  const after = await anotherNode(storeOf(to), { keyring: before.keyring });
  accepted(await check(after, live));
  accepted(await refresh(after, live));
  assert.equal(textOf(accepted(await refresh(after, spent))), textOf(successor), 'a retry gets the same pair');
  assert.equal(await answer(check(after, revoked)), 'grant-revoked');
  accepted(await redeem(after, waiting));
  assert.equal(await answer(redeem(after, open)), 'authorization-pending');
  const now = await to.events({ after: 0, limit: 10_000 });
  assert.deepEqual(now.slice(0, log.length), log, 'under the same numbers');
  await to.commit(commitOf({ events: [told(1)] }));
  const next = await to.events({ after: now.at(-1)?.sequence ?? 0, limit: 10 });
  assert.equal(next.length, 1, 'and what follows comes behind them');
  await to.close();
  await Promise.all([old.remove(), target.remove()]);
});

test('revocation lists are not moved: the new store fetches its own, and verification ignores them', async () => {
  const [old, target] = [await sqliteDatabase(), await postgresDatabase()];
  const [from, to] = [await old.open(), await openAt(target.url)];
  const node = await aNode(storeOf(from));
  await new SharedLists(node).share({ url: 'http://crl.test', checkedAt: NOW, renewAt: NOW }, Buffer.from('a list'));
  assert.equal((await from.page(listContents, { limit: 10 })).length, 1);
  await moveStore(alone(from), to, () => undefined);
  for (const table of [revocationLists, listContents] as AnyTable[])
    assert.deepEqual(await to.page(table, { limit: 10 }), []);
  await to.close();
  await Promise.all([old.remove(), target.remove()]);
});

test('an interrupted move resumes, and a second run copies later changes', async () => {
  const [old, target] = [await sqliteDatabase(), await postgresDatabase()];
  const [from, to] = [await old.open(), await openAt(target.url)];
  const node = await aNode(storeOf(from));
  const pairs = await Promise.all(Array.from({ length: 700 }, () => issue(node)));
  const interrupt = ({ what }: Progress) => {
    if (what === 'grants') throw new Error('pulled the plug');
  };
  await assert.rejects(moveStore(alone(from), to, interrupt), /pulled the plug/);

  const successor = accepted(await refresh(node, pairs[0] as never));
  const { moved } = await moveStore(alone(from), to, () => undefined);
  const { rows, written } = moved.find(({ what }) => what === 'grants') ?? {};
  assert.equal(rows, 700);
  assert.ok((written ?? 0) < 700, 'what was there is left');
  const after = await anotherNode(storeOf(to), { keyring: node.keyring });
  accepted(await refresh(after, successor));
  await to.close();
  await Promise.all([old.remove(), target.remove()]);
});

test('a store in use is never overwritten', async () => {
  const [old, target] = [await sqliteDatabase(), await postgresDatabase()];
  const [from, to] = [await old.open(), await openAt(target.url)];
  await aNode(storeOf(from));
  const inUse = await aNode(storeOf(to));
  const pair = await issue(inUse);
  await assert.rejects(
    moveStore(alone(from), to, () => undefined),
    /in use/,
  );
  accepted(await check(inUse, pair));
  await to.close();
  await Promise.all([old.remove(), target.remove()]);
});

test('a store that only doctor has written to is empty enough to move to', async () => {
  const [old, target] = [await sqliteDatabase(), await postgresDatabase()];
  const [from, to] = [await old.open(), await openAt(target.url)];
  await put(storeOf(to), attempts, counter('a lockout'));
  await put(storeOf(to), serviceTimes, { seenAt: NOW, outages: [] });
  await aNode(storeOf(from));
  assert.equal((await moveStore(alone(from), to, silently)).isComplete, true);
  await to.close();
  await Promise.all([old.remove(), target.remove()]);
});

test('a move that lost a row is reported as failed', async () => {
  const [old, target] = [await sqliteDatabase(), await postgresDatabase()];
  const [from, to] = [await old.open(), await openAt(target.url)];
  const node = await aNode(storeOf(from));
  await issue(node);
  const forgetful = {
    ...to,
    commit: async (commit: Parameters<typeof to.commit>[0]) => commit.swaps[0]?.table === grants || to.commit(commit),
  };
  await assert.rejects(
    moveStore(alone(from), forgetful, () => undefined),
    /grants differ/,
  );
  await to.close();
  await Promise.all([old.remove(), target.remove()]);
});

test('a move can be repeated until a service opens the target, and copies later changes', async () => {
  const [old, target] = [await sqliteDatabase(), await postgresDatabase()];
  const [from, to] = [await old.open(), await openAt(target.url)];
  const clock = new TestClock();
  const node = await aNode(storeOf(from), { clock });
  const [kept, ended] = [await issue(node), await issue(node)];
  await start(node);
  for (let run = 0; run < 2; run++) assert.equal((await moveStore(beside(from), to, silently)).isComplete, false);
  await assert.rejects(takeOver(storeOf(to)), /not complete/);

  accepted(await revoke(node, ended));
  const successor = accepted(await refresh(node, kept));
  await from.sweep(devices, epochSeconds(2 ** 40), 100);
  await from.sweepEvents(epochSeconds(2 ** 40), 3);
  for (let run = 0; run < 2; run++) assert.equal((await moveStore(alone(from), to, silently)).isComplete, true);
  const { moved } = await moveStore(alone(from), to, silently);
  assert.deepEqual(
    moved.filter(({ written }) => written > 0),
    [],
    'nothing had changed',
  );

  await takeOver(storeOf(to));
  await assert.rejects(moveStore(alone(from), to, silently), /in use/);
  const after = await anotherNode(storeOf(to), { keyring: node.keyring });
  assert.equal(await answer(check(after, ended)), 'grant-revoked');
  accepted(await refresh(after, successor));
  assert.deepEqual(await to.page(devices, { limit: 10 }), [], 'swept in the old store');
  await takeOver(storeOf(to)); // the second node, or a restart
  await to.close();
  await Promise.all([old.remove(), target.remove()]);
});

test('an identity added during the move is copied with its grant', async () => {
  const [old, target] = [await sqliteDatabase(), await postgresDatabase()];
  const [from, to] = [await old.open(), await openAt(target.url)];
  const node = await aNode(storeOf(from));
  await issue(node);
  // Identities were copied before this one existed.
  const early: BackEnd = {
    ...from,
    page: async (table, query) => ((table as AnyTable) === identities ? [] : from.page(table, query)),
  };
  assert.equal((await moveStore(beside(early), to, silently)).isComplete, false);
  assert.equal((await to.page(grants, { limit: 10 })).length, 1);
  assert.equal((await moveStore(alone(from), to, silently)).isComplete, true);
  await to.close();
  await Promise.all([old.remove(), target.remove()]);
});
