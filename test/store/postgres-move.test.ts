// Moving up: a store of SQLite becomes one of PostgreSQL, and tokens issued before keep working.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SharedLists } from '../../src/operations/shared-lists.ts';
import { storeOf } from '../../src/store/change.ts';
import { moveStore, type Progress } from '../../src/store/move.ts';
import type { AnyTable } from '../../src/store/table.ts';
import { grants } from '../../src/store/tables/grants.ts';
import { listContents, revocationLists } from '../../src/store/tables/lists.ts';
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
  textOf,
} from '../node.ts';
import { NOW } from '../samples.ts';
import { commitOf, told } from './conformance/rows.ts';
import { postgresDatabase } from './postgres-database.ts';
import { openAt } from './postgres-node.ts';
import { sqliteDatabase } from './sqlite-database.ts';

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

  const moved = await moveStore(from, to, () => undefined);
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

test('revocation lists stay behind: the new store fetches its own, and the proof does not miss them', async () => {
  const [old, target] = [await sqliteDatabase(), await postgresDatabase()];
  const [from, to] = [await old.open(), await openAt(target.url)];
  const node = await aNode(storeOf(from));
  await new SharedLists(node).tell({ url: 'http://crl.test', checkedAt: NOW, renewAt: NOW }, Buffer.from('a list'));
  assert.equal((await from.page(listContents, { limit: 10 })).length, 1);
  await moveStore(from, to, () => undefined);
  for (const table of [revocationLists, listContents] as AnyTable[])
    assert.deepEqual(await to.page(table, { limit: 10 }), []);
  await to.close();
  await Promise.all([old.remove(), target.remove()]);
});

test('an interrupted move goes on, and a second run brings what has changed since', async () => {
  const [old, target] = [await sqliteDatabase(), await postgresDatabase()];
  const [from, to] = [await old.open(), await openAt(target.url)];
  const node = await aNode(storeOf(from));
  const pairs = await Promise.all(Array.from({ length: 700 }, () => issue(node)));
  const interrupt = ({ what }: Progress) => {
    if (what === 'grants') throw new Error('pulled the plug');
  };
  await assert.rejects(moveStore(from, to, interrupt), /pulled the plug/);

  const successor = accepted(await refresh(node, pairs[0] as never));
  const moved = await moveStore(from, to, () => undefined);
  const { rows, written } = moved.find(({ what }) => what === 'grants') ?? {};
  assert.equal(rows, 700);
  assert.ok((written ?? 0) < 700, 'what was there is left');
  const after = await anotherNode(storeOf(to), { keyring: node.keyring });
  accepted(await refresh(after, successor));
  await to.close();
  await Promise.all([old.remove(), target.remove()]);
});

test('a store in use is never written over', async () => {
  const [old, target] = [await sqliteDatabase(), await postgresDatabase()];
  const [from, to] = [await old.open(), await openAt(target.url)];
  await aNode(storeOf(from));
  const inUse = await aNode(storeOf(to));
  const pair = await issue(inUse);
  await assert.rejects(
    moveStore(from, to, () => undefined),
    /in use/,
  );
  accepted(await check(inUse, pair));
  await to.close();
  await Promise.all([old.remove(), target.remove()]);
});

test('a move that lost a row is told, not trusted', async () => {
  const [old, target] = [await sqliteDatabase(), await postgresDatabase()];
  const [from, to] = [await old.open(), await openAt(target.url)];
  const node = await aNode(storeOf(from));
  await issue(node);
  const forgetful = {
    ...to,
    commit: async (commit: Parameters<typeof to.commit>[0]) => commit.swap?.table === grants || to.commit(commit),
  };
  await assert.rejects(
    moveStore(from, forgetful, () => undefined),
    /grants differ/,
  );
  await to.close();
  await Promise.all([old.remove(), target.remove()]);
});
