import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Identity, IdentityId } from '../../../src/core/identity.ts';
import { accept } from '../../../src/core/outcome.ts';
import { seconds } from '../../../src/core/time.ts';
import { explainCaller, explainScope, explainToken } from '../../../src/operations/admin/explain.ts';
import { type CodeRedemption, redeemCode } from '../../../src/operations/device/redeem-device.ts';
import { mapCaller } from '../../../src/operations/grant/identify-caller.ts';
import { grants } from '../../../src/store/tables/grants.ts';
import { identities } from '../../../src/store/tables/identities.ts';
import {
  accepted,
  answer,
  changeIntegration,
  check,
  confirmedCode,
  ISSUER,
  issue,
  MARK,
  NO_DIRECTORY,
  refresh,
  revoke,
  start,
  THUMBPRINT,
  WITH_CODE,
} from '../../node.ts';
import { NOW } from '../../samples.ts';
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

test('the dry run of a guest’s refresh token has the key that its grant needs', async (t) => {
  const { node } = await onSqlite(t);
  await changeIntegration(node, { flows: WITH_CODE });
  const guest = 'https://agent.example/client.json' as NonNullable<CodeRedemption['guest']>;
  const proven = { isAuthenticated: true, jkt: undefined };
  const pair = accepted(await redeemCode({ ...(await confirmedCode(node, { guest })), proven }, node));
  const text = pair.refreshToken?.reveal() ?? '';
  assert.equal((await explainToken(text, node)).refusal, undefined);
});

test('the dry run of an earlier refresh token names it as such, and says whether a sibling gets a pair for it', async (t) => {
  const { node, clock } = await onSqlite(t);
  const first = await issue(node);
  const text = first.refreshToken?.reveal() ?? '';
  const explained = async (refreshSiblingWindow: number) => {
    await changeIntegration(node, { overrides: { refreshSiblingWindow: seconds(refreshSiblingWindow) } });
    const { refusal, facts } = await explainToken(text, node);
    assert.match(String(facts['standing']), /spent by an earlier refresh; a program that shares the login/);
    return refusal;
  };
  await changeIntegration(node, { overrides: { refreshSiblingWindow: seconds(3600) } });
  accepted(await refresh(node, accepted(await refresh(node, first))));
  clock.move(61);
  assert.deepEqual([await explained(3600), await explained(0)], [undefined, 'refresh-token-reused']);
  const { row } = (await node.store.load(grants, first.grantId)).found ?? {};
  assert.deepEqual([row?.pair.generation, row?.siblings?.programs], [2, undefined], 'nothing is written');
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

test('the dry run of a certificate names its identity, and keeps no row of it', async (t) => {
  const { node } = await onSqlite(t);
  const seen: Identity = { id: 'corp:1' as IdentityId, enabled: true, mayUseApi: true, groups: [], userName: 'nina' };
  const corp = { ...NO_DIRECTORY, label: 'corp', byUserName: async () => [seen] };
  const directories = { ...node.directories, get: () => corp };
  const ports = { ...node, directories };
  const name = { source: 'common-name', name: 'nina' } as const;
  for (const kind of ['derived', 'directory'] as const) {
    const issuer = { ...ISSUER, identities: kind, directories: ['corp'] };
    const certificate = { issuer, name, mark: MARK, thumbprint: THUMBPRINT, until: NOW };
    const verdict = { outcome: accept(certificate), steps: [], issuer };
    const state = async () => [
      await node.store.stamp(identities),
      (await node.store.eventProgress()).drawn,
      (await node.store.page(identities, { limit: 100 })).length,
    ];
    const before = await state();
    const { identityId } = await explainCaller([], NOW, { ...ports, judge: async () => verdict });
    assert.deepEqual(await state(), before, `${kind}: nothing is written`);
    const { identity } = accepted(await mapCaller(certificate, ports));
    assert.equal(identityId, identity.id, `${kind}: the identity that a request gets`);
    assert.notDeepEqual(await state(), before, `${kind}: a request keeps it`);
  }
});

test('the dry run of a scope says what the integration has of it', async (t) => {
  const { node } = await onSqlite(t);
  const explained = (scope: string, clientId = 'orders-sync') => explainScope(clientId, scope, node.registry);
  const scope = 'orders:read,write;stock:read';
  const has = (item: string) => ({ item, has: true });
  const lacks = (item: string) => ({ item, has: false });
  assert.deepEqual(explained('orders:read;stock'), { scope, items: [has('orders:read'), has('stock')] });
  const refusal = 'scope-exceeds-integration';
  const items = [lacks('orders:delete'), has('orders:read'), lacks('prices')];
  assert.deepEqual(explained('orders:read,delete;prices'), { scope, items, refusal });
  assert.deepEqual(explained('a b'), { scope, items: [], refusal: 'scope-malformed' });
  assert.deepEqual(explained('orders', 'nobody'), { items: [], refusal: 'integration-unknown' });
  await changeIntegration(node, { enabled: false });
  assert.deepEqual(explained('orders'), { scope, items: [has('orders')], refusal: 'integration-disabled' });
});
