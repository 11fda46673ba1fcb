import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explainToken } from '../../../src/operations/admin/explain.ts';
import { grants } from '../../../src/store/tables/grants.ts';
import { accepted, answer, check, issue, refresh, revoke, start } from '../../node.ts';
import { onSqlite } from '../on-sqlite.ts';

test('the dry run of a refresh token says what a refresh would, and spends nothing', async (t) => {
  const { node, clock } = await onSqlite(t);
  const first = await issue(node);
  const text = first.refreshToken?.reveal() ?? '';
  const explained = await explainToken(text, node);
  assert.equal(explained.refusal, undefined);
  assert.match(String(explained.facts['standing']), /current/);
  const second = accepted(await refresh(node, first));
  assert.match(String((await explainToken(text, node)).facts['standing']), /spent by the last refresh/);
  clock.move(61);
  assert.equal((await explainToken(text, node)).refusal, 'refresh-token-reused');
  assert.equal(await answer(check(node, second)), 'accepted', 'a dry run ends no grant');
  assert.equal((await node.store.load(grants, first.grantId)).found?.row.pair.generation, 1);
});

test('the dry runs of access tokens and device codes, accepted and refused', async (t) => {
  const { node } = await onSqlite(t);
  const pair = await issue(node);
  const access = pair.accessToken.reveal();
  const { refusal, facts } = await explainToken(access, node);
  assert.deepEqual([refusal, facts['state'], facts['grant']], [undefined, 'live', pair.grantId]);
  accepted(await revoke(node, pair));
  assert.equal((await explainToken(access, node)).refusal, 'grant-revoked');
  assert.equal((await explainToken(`${access.slice(0, -5)}AAA==`, node)).refusal, 'access-token-not-authentic');
  const device = (await start(node)).deviceCode.reveal();
  assert.equal((await explainToken(device, node)).refusal, 'authorization-pending');
});

test('an explanation contains no part of the token', async (t) => {
  const { node } = await onSqlite(t);
  const pair = await issue(node);
  for (const secret of [pair.accessToken.reveal(), pair.refreshToken?.reveal() ?? '']) {
    const printed = JSON.stringify(await explainToken(secret, node));
    assert.ok(!printed.includes(secret.slice(30, 60)));
  }
});
