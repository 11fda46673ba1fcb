// What nodes may accept themselves after the database was put back, and what an acceptance ends.
// Only in test:all: databases that are put back
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { acceptRollback } from '../../src/operations/admin/after-restore.ts';
import { endSession } from '../../src/operations/end-sessions.ts';
import { beginSession, personOf } from '../../src/operations/person/browser-session.ts';
import { resumeAfter } from '../../src/operations/upkeep/resume.ts';
import { storeOf } from '../../src/store/change.ts';
import type { Store } from '../../src/store/store.ts';
import { HISTORY, HistoryInDoubt, readHistory, storeHistory } from '../../src/store/tables/store-history.ts';
import { firstKey, Keyring } from '../../src/tokens/keyring.ts';
import { accepted, aNode, answer, check, confirmed, issue, put, redeem, refresh, revoke, textOf } from '../node.ts';
import { onSqlite } from '../operations/on-sqlite.ts';
import { aGrant, anIdentity, hexOf, OPERATOR } from '../samples.ts';
import { sharedServer, TEMPLATE } from '../store/postgres-database.ts';
import { openAt } from '../store/postgres-node.ts';
import type { PostgresServer } from '../store/postgres-server.ts';
import { copyDatabase, putBack, watchedNode } from './put-back.ts';

let server: PostgresServer;
before(async () => {
  server = await sharedServer();
});
const keyring = new Keyring(firstKey());

/** A database, and its copy to put back later. */
async function copied<T>(name: string, prepare: (node: Awaited<ReturnType<typeof aNode>>) => Promise<T>) {
  await server.query(`CREATE DATABASE ${name} TEMPLATE ${TEMPLATE} STRATEGY file_copy`);
  const store = storeOf(await openAt(server.url(name)));
  const node = await aNode(store, { keyring });
  const kept = await prepare(node);
  await copyDatabase(server, name, `${name}_kept`);
  return { store, node, kept, restore: () => putBack(server, name, `${name}_kept`) };
}

/** A node that accepts rollbacks itself. */
const resuming = (store: Store) =>
  watchedNode(store, { node: 'a node', resume: (rollback) => resumeAfter(rollback, store) }, keyring);

test('a node that remembers all that was lost resumes, and ends what people had begun', async () => {
  const { store, node, kept, restore } = await copied('remembered', async (node) => ({
    ended: await issue(node),
    code: await confirmed(node),
    session: await beginSession(anIdentity(), node),
  }));
  const watched = await resuming(store);
  await revoke(watched, kept.ended);
  await endSession(kept.session.person.session, node);
  await restore();
  await watched.watch.look();
  await watched.watch.look();
  assert.deepEqual(await readHistory(store), { epoch: 2, rollback: undefined });
  assert.equal(await answer(check(watched, kept.ended)), 'grant-revoked');
  assert.equal(await answer(redeem(watched, kept.code)), 'code-ended');
  assert.equal(await personOf(kept.session.cookie.reveal(), node), undefined, 'signed out before');
  await store.close();
});

test('a node that started after an act that was lost does not resume', async () => {
  const { store, node, kept, restore } = await copied('forgotten', issue);
  await revoke(node, kept);
  await issue(node);
  const { watch } = await resuming(store);
  await restore();
  for (let n = 0; n < 3; n++) await watch.look();
  assert.ok((await readHistory(store)).rollback, 'nobody remembers the revocation');
  assert.throws(watch.admit, HistoryInDoubt);
  await store.close();
});

test('a node that started on the database that was put back does not resume', async () => {
  const { store, node, kept, restore } = await copied('stopped', issue);
  await revoke(node, kept);
  await restore();
  const { watch } = await resuming(store);
  await assert.rejects(watch.explainLoss(aGrant()), HistoryInDoubt, 'a newer token is presented');
  for (let n = 0; n < 3; n++) await watch.look();
  assert.ok((await readHistory(store)).rollback, 'nobody remembers the revocation');
  await store.close();
});

const ROLLBACK = { noticedAt: aGrant().createdAt, seen: 9, found: 5, lost: [], unlisted: 0, awaited: [] };

test('a retry after a long wait for the operator gets the same pair', async (t) => {
  const { node, clock } = await onSqlite(t);
  const first = await issue(node);
  const second = accepted(await refresh(node, first));
  const rollback = { ...ROLLBACK, noticedAt: await node.store.now() };
  await put(node.store, storeHistory, { epoch: 1, rollback });
  clock.move(6 * 3600);
  accepted(await acceptRollback({ store: node.store, by: OPERATOR }));
  assert.equal(textOf(accepted(await refresh(node, first))), textOf(second), 'its answer was lost in the outage');
});

test('an acceptance is refused if a node adds acts that were not handled', async (t) => {
  const { node } = await onSqlite(t);
  const ports = { store: node.store, by: OPERATOR };
  const lost = [
    { sequence: 6, type: 'revoked', at: ROLLBACK.noticedAt, subjectId: hexOf(16), detail: { reason: 'by-caller' } },
  ] as const;
  await put(node.store, storeHistory, { epoch: 1, rollback: { ...ROLLBACK, lost } });
  assert.equal(await answer(acceptRollback(ports, ROLLBACK)), 'rollback-grew');
  assert.equal((await node.store.load(storeHistory, HISTORY)).found?.row.epoch, 1);
  accepted(await acceptRollback(ports, { lost }));
});
