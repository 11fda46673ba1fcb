import assert from 'node:assert/strict';
import { test } from 'node:test';
import { removeIntegration } from '../../../src/operations/admin/acts/work/integration.ts';
import { listKeys } from '../../../src/operations/admin/mac-keys.ts';
import { redeemCode } from '../../../src/operations/device/redeem-device.ts';
import { firstKey } from '../../../src/tokens/keyring.ts';
import { importIntegrations, registerIntegration } from '../../administer.ts';
import {
  anotherNode,
  answer,
  changeIntegration,
  check,
  confirmed,
  confirmedCode,
  issue,
  redeem,
  refresh,
  start,
  WITH_CODE,
} from '../../node.ts';
import { CLIENT, OPERATOR } from '../../samples.ts';
import { onSqlite } from '../on-sqlite.ts';

const nothing = async () => undefined;

test('a removed integration is unknown everywhere, and its grants end, also one issued while nodes did not know yet', async (t) => {
  const { node } = await onSqlite(t);
  const ports = { ...node, by: OPERATOR };
  const pair = await issue(node);
  const unconfirmed = await removeIntegration(CLIENT, { isConfirmed: false, everyNodeKnows: nothing }, ports);
  assert.equal(unconfirmed.ok || unconfirmed.refusal.reason, 'removal-unconfirmed');
  let late: Awaited<ReturnType<typeof issue>> | undefined;
  const everyNodeKnows = async () => {
    late = await issue(node);
    await node.registry.refresh();
  };
  const removed = await removeIntegration(CLIENT, { isConfirmed: true, everyNodeKnows }, ports);
  assert.equal(removed.ok && removed.value, 2);
  assert.ok(late);
  assert.equal(await answer(refresh(node, pair)), 'integration-unknown');
  assert.deepEqual(node.registry.integrations, []);
  const again = await removeIntegration(CLIENT, { isConfirmed: true, everyNodeKnows: nothing }, ports);
  assert.equal(again.ok || again.refusal.reason, 'integration-unknown');

  assert.ok((await registerIntegration(CLIENT, { scope: 'orders:read' }, ports)).ok);
  await node.registry.refresh();
  for (const old of [pair, late])
    assert.equal(await answer(check(node, old)), 'grant-revoked', 'it brings nothing back');
});

test('a removal that was interrupted brings nothing back either', async (t) => {
  for (const interrupted of ['the grants', 'the wait'] as const) {
    const { node } = await onSqlite(t);
    const ports = { ...node, by: OPERATOR };
    const pair = await issue(node);
    const dies = async () => Promise.reject(new Error('killed'));
    const store = { ...node.store, ...(interrupted === 'the grants' && { page: dies }) };
    const late = interrupted === 'the wait' ? await issue(node) : undefined;
    const removing = removeIntegration(CLIENT, { isConfirmed: true, everyNodeKnows: dies }, { ...ports, store });
    await assert.rejects(removing, /killed/);
    assert.ok((await registerIntegration(CLIENT, { scope: 'orders:read,write;stock:read' }, ports)).ok);
    await node.registry.refresh();
    assert.equal(await answer(check(node, pair)), 'grant-revoked', interrupted);
    assert.equal(await answer(refresh(node, pair)), 'grant-revoked', interrupted);
    if (late) assert.equal(await answer(check(node, late)), 'grant-revoked', interrupted);
    assert.equal(typeof (await issue(node)).accessToken, 'object');
  }
});

test('no code of a removed integration is redeemed for the one that is registered with its client id [contract 3]', async (t) => {
  for (const way of ['removed', 'interrupted'] as const) {
    const { node, clock } = await onSqlite(t);
    const ports = { ...node, by: OPERATOR };
    await changeIntegration(node, { flows: WITH_CODE });
    const behind = await anotherNode(node.store, { keyring: node.keyring, clock });
    const pending = await start(node);
    const [device, code] = [await confirmed(node), await confirmedCode(node)];
    const dies = async () => Promise.reject(new Error('killed'));
    // Right after the removal, another node may still not know of it.
    const late = [await confirmed(behind), await confirmedCode(behind)] as const;
    const everyNodeKnows = way === 'removed' ? nothing : dies;
    const removing = removeIntegration(CLIENT, { isConfirmed: true, everyNodeKnows }, ports);
    await (way === 'removed' ? removing : assert.rejects(removing, /killed/));
    assert.ok((await registerIntegration(CLIENT, { scope: 'orders:read', flows: WITH_CODE }, ports)).ok);
    const latest = [await confirmed(behind), await confirmedCode(behind)] as const;
    await node.registry.refresh();

    for (const each of [pending, device, late[0], latest[0]])
      assert.notEqual(await answer(redeem(node, each)), 'accepted', way);
    for (const each of [code, late[1], latest[1]])
      assert.notEqual(await answer(redeemCode(each, node)), 'accepted', way);
    const [ownDevice, ownCode] = [await confirmed(node), await confirmedCode(node)];
    assert.equal(await answer(redeem(node, ownDevice)), 'accepted');
    assert.equal(await answer(redeemCode(ownCode, node)), 'accepted');
  }
});

test('a removed integration can be imported again without --update', async (t) => {
  const { node } = await onSqlite(t);
  const ports = { ...node, by: OPERATOR };
  await removeIntegration(CLIENT, { isConfirmed: true, everyNodeKnows: nothing }, ports);
  const imported = await importIntegrations({ text: `{"id":"${CLIENT}","scope":"orders:read"}`, update: false }, ports);
  assert.deepEqual(imported.ok && imported.value, [{ clientId: CLIENT, isNew: true }]);
});

test('the list of keys counts live grants only', async (t) => {
  const { node } = await onSqlite(t);
  await issue(node);
  const counts = async () => (await listKeys(firstKey(), node)).map(({ grants }) => grants);
  assert.deepEqual(await counts(), [1]);
  await removeIntegration(CLIENT, { isConfirmed: true, everyNodeKnows: nothing }, { ...node, by: OPERATOR });
  assert.deepEqual(await counts(), [0]);
});
