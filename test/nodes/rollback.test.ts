// Every node that has seen newer events detects a rolled-back database, and an operator can deal with it without restarts.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { epochSeconds } from '../../src/core/time.ts';
import { enableIntegration } from '../../src/operations/admin/acts/work/integration.ts';
import { storeOf } from '../../src/store/change.ts';
import { readHistory } from '../../src/store/tables/store-history.ts';
import { registerIntegration } from '../administer.ts';
import { Commands } from '../cli/commands.ts';
import { aNode, answer, check, issue, revoke } from '../node.ts';
import { OPERATOR } from '../samples.ts';
import { sharedServer, TEMPLATE } from '../store/postgres-database.ts';
import { openAt } from '../store/postgres-node.ts';
import type { PostgresServer } from '../store/postgres-server.ts';
import { sqliteDatabase } from '../store/sqlite-database.ts';
import { copyDatabase, putBack, watching } from './put-back.ts';

let server: PostgresServer;
const commands = new Commands();
before(async () => {
  server = await sharedServer();
});
after(() => commands.close());

/** A database with a grant and an integration that are ended after its copy was taken, and then put back. */
async function rolledBack(name: string) {
  await server.query(`CREATE DATABASE ${name} TEMPLATE ${TEMPLATE} STRATEGY file_copy`);
  const store = storeOf(await openAt(server.url(name)));
  const node = await aNode(store);
  const [ended, living] = [await issue(node), await issue(node)];
  await registerIntegration('till', { scope: 'sales:read' }, { store, by: OPERATOR });
  await copyDatabase(server, name, `${name}_kept`);
  const [first, second] = [watching(store), watching(store)];
  for (const { watch } of [first, second]) await watch.look();
  await revoke(node, ended);
  await enableIntegration('till', false, { store, by: OPERATOR });
  for (const { watch } of [first, second]) await watch.look();
  assert.deepEqual([first.watch.problem, second.watch.problem], [undefined, undefined]);
  await putBack(server, name, `${name}_kept`, `${name}_before`);
  const set = ['--set', `store=${server.url(name)}`, '--set', 'listeners=[{port: 8080}]'];
  const run = (...args: string[]) => commands.run([...args, ...set], { folder: '/' });
  return { store, node, ended, living, first, second, run };
}

test('a rolled-back database is detected, even after it has written more events than before', async () => {
  const { store, node, first, second } = await rolledBack('early');
  await first.watch.look();
  assert.equal(first.noticed.length, 1);
  assert.match(first.watch.problem?.reason ?? '', /put back to an older state/);
  for (let n = 0; n < 5; n++) await issue(node);
  await second.watch.look();
  assert.equal(second.noticed.length, 1, 'the numbers are higher again, and the event is another');
  await first.watch.look();
  assert.equal(first.noticed.length, 1, 'said once');
  assert.ok(first.watch.problem, 'until somebody has looked');
  const started = watching(store);
  await started.watch.look();
  assert.ok(started.watch.problem, 'a node that starts afterwards says it too');
  await store.close();
});

test('doctor explains a rolled-back database and lists what works again', async () => {
  const { store, ended, living, first, run } = await rolledBack('explained');
  const before = await run('doctor');
  assert.match(before.printed, /ok {4}history: epoch 1/, 'nobody has noticed it yet');
  await first.watch.look();
  const { printed } = await run('doctor');
  assert.match(printed, /FAIL {2}history: the store was put back to an older state: nodes had seen event \d+/);
  assert.match(printed, /docs\/postgresql\.md, A database that was put back/);
  assert.match(
    printed,
    new RegExp(`the grant ${ended.grantId} had ended at .*\n.*tessera grant revoke ${ended.grantId}`),
  );
  assert.match(printed, /the integration till had ended at .*\n.*tessera integration disable till/);
  assert.doesNotMatch(printed, new RegExp(living.grantId));
  await store.close();
});

test('a rollback is accepted after what came back has ended again, and nodes go on without a restart', async () => {
  const { store, node, ended, living, first, second, run } = await rolledBack('accepted');
  assert.equal((await run('store', 'accept-rollback')).status, 1, 'nobody has noticed it yet');
  await first.watch.look();
  const refused = await run('store', 'accept-rollback');
  assert.equal(refused.status, 1);
  assert.match(refused.printed, /works again: 1 grant, 1 integration[\s\S]*--end-again/);
  assert.equal(await answer(check(node, ended)), 'accepted', 'nothing was done yet');

  const { status, printed } = await run('store', 'accept-rollback', '--end-again');
  assert.equal(status, 0, printed);
  assert.match(printed, /Ended again: 1 grant, 1 integration\nAccepted: epoch 2 begins/);
  assert.deepEqual(
    [await answer(check(node, ended)), await answer(check(node, living))],
    ['grant-revoked', 'accepted'],
  );
  for (const { watch } of [first, second]) await watch.look();
  assert.deepEqual([first.watch.problem, second.watch.problem], [undefined, undefined]);
  assert.deepEqual([first.accepted, second.noticed], [[2], []], 'the second node learns of both at once');
  assert.match((await run('doctor')).printed, /ok {4}history: epoch 2/);
  await store.close();
});

test('what nobody remembers is found in a kept copy', async () => {
  const { store, node, ended, run } = await rolledBack('copied');
  const copy = server.url('copied_before');
  const { printed } = await run('store', 'history', '--json', '--copy', copy);
  const { epoch, worksAgain } = JSON.parse(printed) as { epoch: number; worksAgain: { kind: string; id: string }[] };
  assert.equal(epoch, 1);
  assert.deepEqual(
    worksAgain.map(({ kind, id }) => `${kind} ${id}`),
    ['integration till', `grant ${ended.grantId}`],
  );
  const early = await run('store', 'accept-rollback', '--end-again', '--copy', server.url('copied'));
  assert.deepEqual(
    [early.status, await answer(check(node, ended))],
    [1, 'accepted'],
    'a copy that is not later shows nothing',
  );
  const { status, printed: said } = await run('store', 'accept-rollback', '--end-again', '--copy', copy);
  assert.deepEqual([status, /Accepted: epoch 2 begins/.test(said)], [0, true], said);
  assert.equal(await answer(check(node, ended)), 'grant-revoked');
  assert.equal((await run('store', 'accept-rollback', '--end-again', '--copy', copy)).status, 1, 'once');
  await store.close();
});

test('a database put back to before an accepted rollback is detected by its epoch', async () => {
  const { store, first, run } = await rolledBack('twice');
  await first.watch.look();
  await copyDatabase(server, 'twice', 'twice_kept');
  assert.equal((await run('store', 'accept-rollback', '--leave')).status, 0);
  await first.watch.look();
  assert.equal(first.watch.problem, undefined);
  await putBack(server, 'twice', 'twice_kept');
  await first.watch.look();
  assert.equal(first.noticed.length, 2);
  assert.equal((await readHistory(store)).epoch, 2, 'the highest that was seen');
  assert.equal((await run('store', 'accept-rollback', '--leave')).status, 0);
  assert.equal((await readHistory(store)).epoch, 3);
  await store.close();
});

test('sweeping old events does not count as a rollback', async () => {
  const database = await sqliteDatabase();
  const store = storeOf(await database.open());
  const node = await aNode(store);
  for (let n = 0; n < 5; n++) await issue(node);
  const { watch, noticed } = watching(store);
  await watch.look();
  for (let n = 0; n < 5; n++) await issue(node);
  await store.sweepEvents(epochSeconds(2 ** 40), 100);
  await watch.look();
  assert.deepEqual(noticed, []);
  await database.remove();
});

test('a reader that follows the events of a rolled-back store gets an error', async () => {
  await server.query(`CREATE DATABASE followed TEMPLATE ${TEMPLATE} STRATEGY file_copy`);
  const store = storeOf(await openAt(server.url('followed')));
  await issue(await aNode(store));
  const { drawn } = await store.eventProgress();
  await store.close();
  const args = ['events', '--follow', '--after', String(drawn + 100), '--set', `store=${server.url('followed')}`];
  const { status, printed } = await commands.run(args, { folder: '/' });
  assert.equal(status, 4, printed);
  assert.match(printed, /put back to an older state/);
});

test('a reader that follows gets an error even if the log is longer again', async () => {
  const { store, node, first, run } = await rolledBack('longer');
  await first.watch.look();
  for (let n = 0; n < 5; n++) await issue(node);
  const { status, printed } = await run('events', '--follow', '--after', '1');
  assert.equal(status, 4, printed);
  assert.match(printed, /put back to an older state/);
  await store.close();
});
