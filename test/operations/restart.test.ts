import assert from 'node:assert/strict';
import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { TokenPair } from '../../src/operations/grant/token-pair.ts';
import { storeOf } from '../../src/store/change.ts';
import type { Store } from '../../src/store/store.ts';
import { grants } from '../../src/store/tables/grants.ts';
import {
  accepted,
  anotherNode,
  answer,
  check,
  confirmed,
  issue,
  type Node,
  redeem,
  refresh,
  revoke,
  textOf,
} from '../node.ts';
import type { SqliteTestDatabase } from '../store/sqlite-database.ts';
import { onSqlite } from './on-sqlite.ts';

/** Ends the node and starts it again on the same files. */
async function restart(node: Node, database: SqliteTestDatabase): Promise<Node> {
  await node.store.close();
  return anotherNode(storeOf(await database.open()), { keyring: node.keyring, clock: node.clock });
}

test('a restart makes no rotated token valid again: the same successor in the window, reuse after it (CVE-2026-9802)', async (t) => {
  const { node, clock, database } = await onSqlite(t);
  const first = await issue(node);
  const second = accepted(await refresh(node, first));
  const again = await restart(node, database);
  assert.equal(textOf(accepted(await refresh(again, first))), textOf(second));
  clock.move(61);
  assert.equal(await answer(refresh(again, first)), 'refresh-token-reused');
  assert.equal(await answer(refresh(await restart(again, database), second)), 'grant-revoked');
});

test('a restart loses no revocation, redemption or grant', async (t) => {
  const { node, database } = await onSqlite(t);
  const [kept, revoked, device] = [await issue(node), await issue(node), await confirmed(node)];
  accepted(await revoke(node, revoked));
  const redeemed = accepted(await redeem(node, device));
  const again = await restart(node, database);
  assert.equal(await answer(check(again, revoked)), 'grant-revoked');
  assert.equal(await answer(refresh(again, revoked)), 'grant-revoked');
  assert.equal(await answer(redeem(again, device)), 'device-code-redeemed');
  for (const pair of [kept, redeemed]) assert.equal(await answer(refresh(again, pair)), 'accepted');
});

/** Copies the database as an operator's backup would; what is in the WAL is in the copy. */
async function backUp(store: Store, { path, folder }: SqliteTestDatabase): Promise<() => void> {
  await store.close(); // the last connection to close checkpoints the WAL
  const copy = join(folder, 'backup.db');
  copyFileSync(path, copy);
  return () => {
    for (const end of ['-wal', '-shm']) rmSync(path + end, { force: true });
    copyFileSync(copy, path);
  };
}

/** A node on a store that was put back to before the refresh that gave `second`. */
async function rollBack(t: TestContext): Promise<{ first: TokenPair; second: TokenPair; rolledBack: Node }> {
  const { node, database } = await onSqlite(t);
  const first = await issue(node);
  const putBack = await backUp(node.store, database);
  const reopened = await restart(node, database);
  const second = accepted(await refresh(reopened, first));
  await reopened.store.close();
  putBack();
  return { first, second, rolledBack: await restart(reopened, database) };
}

test('a rolled-back store: a generation ahead of the row is refused, and ends the grant', async (t) => {
  const { first, second, rolledBack } = await rollBack(t);
  assert.equal(await answer(refresh(rolledBack, second)), 'store-rolled-back');
  assert.equal((await rolledBack.store.load(grants, first.grantId)).found?.row.revoked?.reason, 'rolled-back-store');
  for (const pair of [first, second]) assert.equal(await answer(refresh(rolledBack, pair)), 'grant-revoked');
  const events = await rolledBack.store.events({ after: 0, limit: 100 });
  assert.deepEqual(events.at(-1)?.detail, { reason: 'rolled-back-store', scope: 'orders:read' });
});

test('a rolled-back store: an access token of a generation it does not know is refused', async (t) => {
  const { second, rolledBack } = await rollBack(t);
  assert.equal(await answer(check(rolledBack, second)), 'access-token-not-authentic');
});
