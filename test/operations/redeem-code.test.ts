// An authorization code is exchanged once, by whoever it was made for.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Person } from '../../src/core/person.ts';
import { type CodeRedemption, redeemCode } from '../../src/operations/device/redeem-device.ts';
import { FollowedRegistry } from '../../src/store/registry.ts';
import { grants } from '../../src/store/tables/grants.ts';
import { keyMarks } from '../../src/store/tables/signing-keys.ts';
import { addKey, firstKey, KeyMissing, Keyring, mintWith } from '../../src/tokens/keyring.ts';
import { accepted, ada, answer, changeIntegration, check, confirmedCode, put, WITH_CODE } from '../node.ts';
import { NOW } from '../samples.ts';
import { onSqlite } from './on-sqlite.ts';

const GUEST = 'https://agent.example/client.json' as NonNullable<CodeRedemption['guest']>;

async function scene(t: TestContext) {
  const { node, clock } = await onSqlite(t);
  await changeIntegration(node, { flows: WITH_CODE });
  return { node, clock };
}

test('a code gives one grant; whoever presents it again, with its proof, ends the grant', async (t) => {
  const { node } = await scene(t);
  const request = await confirmedCode(node);
  const pair = accepted(await redeemCode(request, node));
  assert.equal(await answer(redeemCode({ ...request, verifier: 'w'.repeat(43) }, node)), 'code-not-authentic');
  assert.equal(await answer(check(node, pair)), 'accepted', 'a stolen code alone ends nothing');
  assert.equal(await answer(redeemCode(request, node)), 'code-redeemed');
  assert.equal(await answer(check(node, pair)), 'grant-revoked');
  const { found } = await node.store.load(grants, pair.grantId);
  assert.equal(found?.row.revoked?.reason, 'reuse');
});

test('a code is bound to its client, its redirect URI and its verifier, and ends', async (t) => {
  const { node, clock } = await scene(t);
  const request = await confirmedCode(node);
  const guests = await confirmedCode(node, { guest: GUEST });
  const { guest: _, ...ofClient } = guests;
  const others = [
    { ...request, redirectUri: 'https://app.example/other' },
    { ...request, guest: GUEST },
    { ...request, code: 'made up' },
    { ...request, verifier: 'short' },
    ofClient,
  ];
  for (const other of others) assert.equal(await answer(redeemCode(other, node)), 'code-not-authentic');
  const limited = { ...request, overLimit: () => ({ reason: 'rate-limited' }) as const };
  assert.equal(await answer(redeemCode(limited, node)), 'rate-limited');
  assert.equal(await answer(redeemCode(guests, node)), 'accepted');
  clock.move(600);
  assert.equal(await answer(redeemCode(request, node)), 'code-expired');
});

test('the grant says how its person has signed in, if that was strong, or which guest has it', async (t) => {
  const { node } = await scene(t);
  const strong = { ...ada, proof: { by: 'passkey', at: NOW } } as Person;
  const originOf = async (options: Parameters<typeof confirmedCode>[1]) => {
    const { grantId } = accepted(await redeemCode(await confirmedCode(node, options), node));
    return (await node.store.load(grants, grantId)).found?.row.origin;
  };
  assert.deepEqual(await originOf({}), { kind: 'code' });
  assert.deepEqual(await originOf({ person: strong }), { kind: 'code', proof: 'passkey' });
  assert.deepEqual(await originOf({ person: strong, guest: GUEST }), { kind: 'code', guest: GUEST });
});

test('an integration that this node has not seen yet is looked up, for an authentic code only', async (t) => {
  const { node } = await scene(t);
  const request = await confirmedCode(node);
  const behind = { ...node, registry: new FollowedRegistry(node.store) };
  assert.equal(await answer(redeemCode({ ...request, code: 'made up' }, behind)), 'integration-unknown');
  assert.equal(await answer(redeemCode(request, behind)), 'accepted');
});

test('a code of a key that this node lacks is not refused', async (t) => {
  const { node } = await scene(t);
  const first = firstKey();
  const keyring = new Keyring(mintWith(addKey(first, 2), 2));
  const request = await confirmedCode({ ...node, keyring });
  await put(node.store, keyMarks, { id: 2, fingerprint: keyring.key(2)?.fingerprint ?? '', retired: false });
  await assert.rejects(redeemCode(request, { ...node, keyring: new Keyring(first) }), KeyMissing);
  const short = { ...request, verifier: 'short' };
  assert.equal(await answer(redeemCode(short, { ...node, keyring })), 'code-not-authentic');
});
