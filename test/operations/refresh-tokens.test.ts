import assert from 'node:assert/strict';
import { test } from 'node:test';
import { presenter } from '../../src/core/presenter.ts';
import { DEFAULT_SETTINGS } from '../../src/core/settings.ts';
import { seconds } from '../../src/core/time.ts';
import { refreshTokens } from '../../src/operations/grant/refresh-tokens.ts';
import { FollowedRegistry } from '../../src/store/registry.ts';
import { grants } from '../../src/store/tables/grants.ts';
import { addKey, firstKey, Keyring, mintWith } from '../../src/tokens/keyring.ts';
import {
  accepted,
  answer,
  CURL,
  changeAda,
  changeIntegration,
  check,
  issue,
  NOTHING_PRESENTED,
  put,
  refresh,
  textOf,
} from '../node.ts';
import { anIdentity, CLIENT } from '../samples.ts';
import { onSqlite } from './on-sqlite.ts';

const SHORT = { ...DEFAULT_SETTINGS, grantLifetime: seconds(1000), accessTokenLifetime: seconds(100) };

test('a retry returns the same pair, byte for byte, until the window ends; then it is reuse and ends the grant', async (t) => {
  const { node, clock } = await onSqlite(t);
  const first = await issue(node);
  const second = accepted(await refresh(node, first));
  for (const later of [0, 20, 40]) {
    clock.move(later === 0 ? 0 : 20);
    const again = accepted(await refresh(node, first));
    assert.equal(textOf(again), textOf(second));
    assert.equal(again.expiresIn, second.expiresIn - later, 'only expires_in counts down');
  }
  clock.move(21);
  assert.equal(await answer(refresh(node, first)), 'refresh-token-reused');
  assert.equal(await answer(refresh(node, second)), 'grant-revoked');
  assert.equal(await answer(check(node, second)), 'grant-revoked');
});

test('reuse is recognised for the whole life of the grant, with no stored history', async (t) => {
  const { node, clock } = await onSqlite(t);
  const first = await issue(node);
  let pair = first;
  for (let n = 0; n < 50; n++) pair = accepted(await refresh(node, pair));
  clock.move(300 * 86_400);
  assert.equal(await answer(refresh(node, first)), 'refresh-token-reused');
  assert.equal(await answer(refresh(node, pair)), 'grant-revoked');
  assert.equal((await node.store.page(grants, { limit: 10 })).length, 1);
});

for (const [refreshesLogged, logged] of [
  ['all', 3],
  ['changes', 1],
  ['none', 0],
] as const)
  test(`with events.refreshes: ${refreshesLogged}, ${logged} of 3 refreshes are events; a retry always is`, async (t) => {
    const { node } = await onSqlite(t, { settings: { ...DEFAULT_SETTINGS, refreshesLogged } });
    const by = presenter('198.51.100.9', 'curl/8');
    const third = accepted(await refresh(node, accepted(await refresh(node, await issue(node))), { by }));
    accepted(await refresh(node, third, { by }));
    accepted(await refresh(node, third, { by }));
    const types = (await node.store.events({ after: 0, limit: 100 })).map(({ type }) => type);
    assert.equal(types.filter((type) => type === 'refreshed').length, logged);
    assert.equal(types.filter((type) => type === 'retried').length, 1);
  });

test('with onReuse: report, reuse is reported and the grant stays valid', async (t) => {
  const { node } = await onSqlite(t);
  await changeIntegration(node, { overrides: { onReuse: 'report', refreshRetryWindow: seconds(0) } });
  const first = await issue(node);
  const second = accepted(await refresh(node, first));
  assert.equal(await answer(refresh(node, first)), 'refresh-token-reused');
  assert.equal(await answer(refresh(node, second)), 'accepted');
  const events = await node.store.events({ after: 0, limit: 100 });
  assert.deepEqual(
    events.filter(({ type }) => type === 'reused').map(({ detail, requestId }) => ({ detail, requestId })),
    [{ detail: { ended: false }, requestId: 'a request' }],
  );
});

test('a retry from another address is answered, and its event has both presenters and an alarm', async (t) => {
  const { node } = await onSqlite(t);
  const first = await issue(node);
  accepted(await refresh(node, first));
  accepted(await refresh(node, first, { by: presenter('203.0.113.9', 'other') }));
  const event = (await node.store.events({ after: 0, limit: 100 })).at(-1);
  assert.deepEqual(event?.detail, {
    firstAddress: CURL.address,
    firstAgent: CURL.agent,
    alarm: true,
  });
  assert.deepEqual([event?.type, event?.presenter?.address], ['retried', '203.0.113.9']);
});

test('a refresh works one second before refresh_until, not at it or after it (CVE-2021-32923) [contract 3]', async (t) => {
  const { node, clock } = await onSqlite(t, { settings: SHORT });
  for (const [away, expected] of [
    [-1, 'accepted'],
    [0, 'grant-expired'],
    [1, 'grant-expired'],
  ] as const) {
    const pair = await issue(node);
    clock.set(pair.refreshUntil + away);
    const outcome = await refresh(node, pair);
    assert.equal(await answer(outcome), expected);
    if (outcome.ok) assert.deepEqual([outcome.value.expiresAt, outcome.value.expiresIn], [pair.refreshUntil, 1]);
  }
});

test('refresh_until never moves, and no access token outlives it', async (t) => {
  const { node, clock } = await onSqlite(t, { settings: SHORT });
  const first = await issue(node);
  let pair = first;
  for (let n = 0; n < 9; n++) {
    clock.move(110);
    pair = accepted(await refresh(node, pair));
    assert.equal(pair.refreshUntil, first.refreshUntil);
    assert.ok(pair.expiresAt <= first.refreshUntil);
  }
  clock.set(first.refreshUntil);
  assert.equal(await answer(check(node, pair)), 'access-token-expired');
});

test('a retry after a key rotation returns the same pair, byte for byte', async (t) => {
  const keys = mintWith(addKey(firstKey(), 2), 1);
  const { node } = await onSqlite(t, { keyring: new Keyring(keys) });
  const first = await issue(node);
  const second = accepted(await refresh(node, first));
  const rotated = { ...node, keyring: new Keyring(mintWith(keys, 2)) };
  assert.equal(textOf(accepted(await refresh(rotated, first))), textOf(second));
  assert.equal(await answer(refresh(rotated, second)), 'accepted');
});

test('a clock that runs backwards extends nothing: time stands still for the grant', async (t) => {
  const { node, clock } = await onSqlite(t, { settings: SHORT });
  const first = await issue(node);
  clock.move(500);
  const second = accepted(await refresh(node, first));
  clock.move(-400);
  const third = accepted(await refresh(node, second));
  assert.ok(third.expiresAt >= second.expiresAt);
  assert.equal(third.refreshUntil, first.refreshUntil);
});

test('a holder who is due is looked for in their directory again before the tokens are renewed', async (t) => {
  const { node } = await onSqlite(t);
  const pair = await issue(node);
  let asked = 0;
  const current = async () => {
    asked++;
    await changeAda(node, { enabled: false });
    return anIdentity({ enabled: false });
  };
  const directories = { ...node.directories, isDue: () => true, isTrusted: () => true, current };
  assert.equal(await answer(refresh({ ...node, directories }, pair)), 'identity-disabled');
  assert.equal(asked, 1);
});

test('a token that is newer than the row of its grant asks once why commits were lost', async (t) => {
  const { node } = await onSqlite(t);
  const pair = await issue(node);
  const before = (await node.store.load(grants, pair.grantId)).found?.row;
  const next = accepted(await refresh(node, pair));
  if (before) await put(node.store, grants, before);
  const asked: unknown[] = [];
  const explainLoss = async ({ id }: { id: string }) => void asked.push(id);
  assert.notEqual(await answer(refresh({ ...node, explainLoss }, next)), 'accepted');
  assert.deepEqual(asked, [pair.grantId]);
});

test('an integration that this node has not seen yet is looked up, for an authentic token only', async (t) => {
  const { node } = await onSqlite(t);
  const pair = await issue(node);
  const behind = { ...node, registry: new FollowedRegistry(node.store) };
  const madeUp = { clientId: CLIENT, refreshToken: 'made up', presenter: CURL, ...NOTHING_PRESENTED };
  assert.equal(await answer(refreshTokens(madeUp, behind)), 'integration-unknown');
  assert.equal(await answer(refresh(behind, pair)), 'accepted');
});
