// The answer to a redemption is lost: at a door that takes proofs, the device code is answered once more.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Proven } from '../../src/core/rules/client.ts';
import { seconds } from '../../src/core/time.ts';
import type { TokenPair } from '../../src/operations/grant/token-pair.ts';
import { beginAnswering, keepSeen } from '../../src/operations/upkeep/timekeeper.ts';
import { grants } from '../../src/store/tables/grants.ts';
import { addKey, firstKey, Keyring, mintWith } from '../../src/tokens/keyring.ts';
import {
  accepted,
  answer,
  CURL,
  changeAda,
  changeIntegration,
  check,
  confirmed,
  type Node,
  put,
  redeem,
  refresh,
  revoke,
  textOf,
} from '../node.ts';
import { CLIENT, hexOf, scopeOf } from '../samples.ts';
import { onSqlite } from './on-sqlite.ts';

const BARE: Proven = { isAuthenticated: false, jkt: undefined };
const atOauth = (node: Node, code: Awaited<ReturnType<typeof confirmed>>, proven = BARE) =>
  redeem(node, code, CLIENT, proven);

test('a redeemed device code gets the same pair, byte for byte, until the retry window ends', async (t) => {
  const { node, clock } = await onSqlite(t);
  const code = await confirmed(node);
  const first = accepted(await atOauth(node, code));
  clock.move(60);
  const again = accepted(await atOauth(node, code));
  assert.equal(textOf(again), textOf(first));
  assert.equal(again.expiresIn, first.expiresIn - 60);
  clock.move(1);
  assert.equal(await answer(atOauth(node, code)), 'device-code-redeemed');
  assert.equal(await answer(check(node, first)), 'accepted', 'a late code ends nothing');
  const events = (await node.store.events({ after: 0, limit: 100 })).filter(({ type }) => type === 'retried');
  assert.deepEqual(
    events.map(({ presenter, requestId, detail }) => ({ address: presenter?.address, requestId, detail })),
    [
      {
        address: CURL.address,
        requestId: 'r1',
        detail: { firstAddress: CURL.address, firstAgent: CURL.agent, alarm: false },
      },
    ],
  );
});

test('at the door of the contract a device code is valid once only [contract 4.1]', async (t) => {
  const { node } = await onSqlite(t);
  const code = await confirmed(node);
  accepted(await redeem(node, code));
  assert.equal(await answer(redeem(node, code)), 'device-code-redeemed');
  assert.equal(await answer(atOauth(node, code)), 'device-code-redeemed', 'nor at another door afterwards');
});

test('once its pair was refreshed, a device code gets nothing, and the grant stands', async (t) => {
  const { node } = await onSqlite(t);
  const code = await confirmed(node);
  const second = accepted(await refresh(node, accepted(await atOauth(node, code))));
  assert.equal(await answer(atOauth(node, code)), 'device-code-redeemed');
  assert.equal(await answer(check(node, second)), 'accepted');
});

test('ten redemptions at once get one pair of one grant', async (t) => {
  const { node } = await onSqlite(t);
  const code = await confirmed(node);
  const pairs = await Promise.all(Array.from({ length: 10 }, () => atOauth(node, code)));
  assert.equal(new Set(pairs.map((pair) => textOf(accepted(pair)))).size, 1);
  assert.equal((await node.store.page(grants, { limit: 10 })).length, 1);
});

for (const [what, expected, prepare] of [
  ['revoked', 'grant-revoked', async (node, pair) => accepted(await revoke(node, pair))],
  ['of a disabled holder', 'identity-disabled', (node) => changeAda(node, { enabled: false })],
  [
    'of a narrowed integration',
    'scope-no-longer-allowed',
    (node) => changeIntegration(node, { scope: scopeOf('stock:read') }),
  ],
  [
    'of an integration without retries',
    'device-code-redeemed',
    (node) => changeIntegration(node, { overrides: { refreshRetryWindow: seconds(0) } }),
  ],
  [
    'of an older release, which drew the pair',
    'device-code-redeemed',
    async (node) => {
      const [row] = await node.store.page(grants, { limit: 1 });
      assert.ok(row);
      await put(node.store, grants, { ...row, accessHash: hexOf(32), pair: { ...row.pair, refreshHash: hexOf(32) } });
    },
  ],
] as const satisfies readonly (readonly [string, string, (node: Node, pair: TokenPair) => Promise<unknown>])[])
  test(`the grant is ${what}: its device code is refused`, async (t) => {
    const { node } = await onSqlite(t);
    const code = await confirmed(node);
    await prepare(node, accepted(await atOauth(node, code)));
    assert.equal(await answer(atOauth(node, code)), expected);
  });

test('the key of the first redemption is needed for the second, and the authentication of its integration', async (t) => {
  const { node } = await onSqlite(t);
  const [code, own] = [await confirmed(node), { isAuthenticated: false, jkt: 'own' }];
  accepted(await atOauth(node, code, own));
  const authenticated = await confirmed(node);
  accepted(await atOauth(node, authenticated, { isAuthenticated: true, jkt: undefined }));
  assert.equal(await answer(atOauth(node, authenticated)), 'device-code-redeemed');
  assert.equal(await answer(atOauth(node, code, BARE)), 'dpop-proof-missing');
  assert.equal(await answer(atOauth(node, code, { ...own, jkt: 'other' })), 'dpop-key-differs');
  await changeIntegration(node, { confidential: true });
  assert.equal(await answer(atOauth(node, code, own)), 'client-authentication-required');
});

test('a first answer is repeated after another key began to mint, and after a service that was away', async (t) => {
  const keys = mintWith(addKey(firstKey(), 2), 1);
  const { node, clock } = await onSqlite(t, { keyring: new Keyring(keys) });
  const code = await confirmed(node);
  const first = accepted(await atOauth(node, code));
  await keepSeen(node);
  clock.move(3600);
  await beginAnswering(node, async () => true);
  const rotated = { ...node, keyring: new Keyring(mintWith(keys, 2)) };
  assert.equal(textOf(accepted(await atOauth(rotated, code))), textOf(first));
});
