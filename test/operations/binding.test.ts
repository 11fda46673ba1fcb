import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClientId } from '../../src/core/integration.ts';
import { integrations } from '../../src/store/tables/integrations.ts';
import { answer, check, confirmed, issue, put, redeem, refresh, start } from '../node.ts';
import { anIntegration, CLIENT } from '../samples.ts';
import { onSqlite } from './on-sqlite.ts';

const OTHERS = ['other', CLIENT.toUpperCase(), `${CLIENT} `, `${CLIENT}\0`, '', 'unknown', "' OR 1=1 --"];

test('every credential × another client_id is refused, spends nothing and revokes nothing (CVE-2026-55672, CVE-2023-2585)', async (t) => {
  const { node } = await onSqlite(t);
  await put(node.store, integrations, anIntegration({ clientId: 'other' as ClientId }));
  await put(node.store, integrations, anIntegration({ clientId: CLIENT.toUpperCase() as ClientId }));
  await node.registry.refresh();
  const [pair, pending, ready] = [await issue(node), await start(node), await confirmed(node)];
  for (const clientId of OTHERS) {
    const known = node.registry.integration(clientId) !== undefined;
    assert.equal(
      await answer(refresh(node, pair, { clientId })),
      known ? 'refresh-token-of-another-integration' : 'integration-unknown',
    );
    for (const device of [pending, ready]) {
      assert.equal(
        await answer(redeem(node, device, clientId)),
        known ? 'device-code-of-another-integration' : 'integration-unknown',
      );
    }
  }
  assert.equal(await answer(check(node, pair)), 'accepted');
  assert.equal(await answer(refresh(node, pair)), 'accepted');
  assert.equal(await answer(redeem(node, ready)), 'accepted');
  assert.equal(await answer(redeem(node, pending)), 'authorization-pending');
});

test('a spent refresh token under another client_id does not end the grant: a wrong client_id never revokes', async (t) => {
  const { node } = await onSqlite(t);
  await put(node.store, integrations, anIntegration({ clientId: 'other' as ClientId }));
  await node.registry.refresh();
  const first = await issue(node);
  const second = await refresh(node, first);
  const third = second.ok ? await refresh(node, second.value) : undefined;
  assert.equal(await answer(refresh(node, first, { clientId: 'other' })), 'refresh-token-of-another-integration');
  assert.ok(third?.ok);
  assert.equal(await answer(refresh(node, third.value)), 'accepted');
});
