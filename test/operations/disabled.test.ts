// [threats: Refresh, revoke, device] disabled users and integrations still got tokens; scope removed, refresh still worked.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { confirmDevice, enterUserCode } from '../../src/operations/device/decide-device.ts';
import { startDevice } from '../../src/operations/device/start-device.ts';
import {
  accepted,
  ada,
  answer,
  CURL,
  changeAda,
  changeIntegration,
  check,
  confirmed,
  issue,
  type Node,
  redeem,
  refresh,
  start,
} from '../node.ts';
import { CLIENT, scopeOf } from '../samples.ts';
import { onSqlite } from './on-sqlite.ts';

/** What an operator can withdraw, and the refusal at refresh, check and redemption. */
const TAKEN: readonly [string, (node: Node) => Promise<void>, string][] = [
  ['the identity is disabled', (node) => changeAda(node, { enabled: false }), 'identity-disabled'],
  ['the identity loses the web API', (node) => changeAda(node, { mayUseApi: false }), 'identity-without-api-access'],
  ['the integration is disabled', (node) => changeIntegration(node, { enabled: false }), 'integration-disabled'],
  [
    'the identity loses the integration',
    (node) => changeIntegration(node, { access: { to: 'named', identities: [], groups: ['others'] } }),
    'identity-without-integration-access',
  ],
  [
    'the scope is removed from the integration',
    (node) => changeIntegration(node, { scope: scopeOf('stock:read') }),
    'scope-no-longer-allowed',
  ],
];

for (const [what, takeAway, reason] of TAKEN) {
  test(`${what} between issue and refresh: refused, nothing is spent, and the refresh works once restored`, async (t) => {
    const { node } = await onSqlite(t);
    const pair = await issue(node);
    await takeAway(node);
    assert.equal(await answer(refresh(node, pair)), reason);
    assert.equal(await answer(check(node, pair)), reason);
    await giveBack(node);
    assert.equal(await answer(check(node, pair)), 'accepted');
    assert.equal(await answer(refresh(node, pair)), 'accepted');
  });

  test(`${what} between refresh and retry: refused`, async (t) => {
    const { node } = await onSqlite(t);
    const pair = await issue(node);
    accepted(await refresh(node, pair));
    await takeAway(node);
    assert.equal(await answer(refresh(node, pair)), reason);
  });

  test(`${what} between confirmation and redemption: refused, and the code is not spent`, async (t) => {
    const { node } = await onSqlite(t);
    const device = await confirmed(node);
    await takeAway(node);
    assert.equal(await answer(redeem(node, device)), reason);
    await giveBack(node);
    assert.equal(await answer(redeem(node, device)), 'accepted');
  });
}

test('a refused refresh says whose it was, for the operator who looks for the reason', async (t) => {
  const { node } = await onSqlite(t);
  const pair = await issue(node);
  await changeAda(node, { enabled: false });
  const refusal = { reason: 'identity-disabled', identityId: ada.identity.id };
  assert.deepEqual(await refresh(node, pair), { ok: false, refusal });
});

async function giveBack(node: Node): Promise<void> {
  await changeAda(node, {});
  await changeIntegration(node, {});
}

test('an integration disabled before start, entry or confirmation yields no token', async (t) => {
  const { node } = await onSqlite(t);
  const device = await start(node);
  const { device: row } = accepted(await enterUserCode(device.userCode, ada, node));
  await changeIntegration(node, { enabled: false });
  const request = { clientId: CLIENT, scope: 'orders:read', presenter: CURL };
  assert.equal(await answer(startDevice(request, node)), 'integration-disabled');
  assert.equal(await answer(confirmDevice(row.id, ada, node)), 'integration-disabled');
  assert.equal(await answer(redeem(node, device)), 'integration-disabled');
  await changeIntegration(node, { flows: { device: false, certificate: true } });
  assert.equal(await answer(confirmDevice(row.id, ada, node)), 'device-flow-disabled');
  assert.equal(await answer(redeem(node, device)), 'device-flow-disabled');
});

test('an identity disabled between entry and confirmation cannot confirm with its open session', async (t) => {
  const { node } = await onSqlite(t);
  const device = await start(node);
  const { device: row } = accepted(await enterUserCode(device.userCode, ada, node));
  const disabled = { ...ada, identity: { ...ada.identity, enabled: false } };
  assert.equal(await answer(confirmDevice(row.id, disabled, node)), 'identity-disabled');
  assert.equal(await answer(redeem(node, device)), 'authorization-pending');
});

test('redemption reads the current state of an identity, not that of its session', async (t) => {
  const { node } = await onSqlite(t);
  const device = await start(node);
  const { device: row } = accepted(await enterUserCode(device.userCode, ada, node));
  await changeAda(node, { enabled: false });
  accepted(await confirmDevice(row.id, ada, node));
  assert.equal(await answer(redeem(node, device)), 'identity-disabled');
});
