// An authorization code is exchanged once, by whoever it was made for.
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import type { ClientDocument } from '../../src/core/client-document.ts';
import type { Person } from '../../src/core/person.ts';
import { confirmCode } from '../../src/operations/device/ask-code.ts';
import { type CodeRedemption, redeemCode } from '../../src/operations/device/redeem-device.ts';
import { FollowedRegistry } from '../../src/store/registry.ts';
import { grants } from '../../src/store/tables/grants.ts';
import { keyMarks } from '../../src/store/tables/signing-keys.ts';
import { addKey, firstKey, KeyMissing, Keyring, mintWith } from '../../src/tokens/keyring.ts';
import { accepted, ada, answer, CURL, changeIntegration, check, type Node, put } from '../node.ts';
import { anIntegration, CLIENT, NOW, scopeOf } from '../samples.ts';
import { onSqlite } from './on-sqlite.ts';

const URI = 'https://app.example/callback';
const GUEST = 'https://agent.example/client.json' as NonNullable<CodeRedemption['guest']>;
const FLOWS = { device: true, certificate: true, code: { redirectUris: [URI], public: true } } as never;
const VERIFIER = 'v'.repeat(43);

async function scene(t: TestContext) {
  const { node, clock } = await onSqlite(t);
  await changeIntegration(node, { flows: FLOWS });
  return { node, clock };
}

/** The redemption of a new code, which Ada has confirmed. */
async function confirmedCode(node: Node, { person = ada, guest }: { person?: Person; guest?: typeof GUEST } = {}) {
  const document = guest && ({ url: guest } as ClientDocument);
  const client = { integration: anIntegration({ flows: FLOWS }), redirectUri: URI, ...(document && { document }) };
  const challenge = hash('sha256', VERIFIER, 'base64url');
  const target = { scope: scopeOf('orders:read'), resource: undefined, challenge };
  const code = accepted(await confirmCode(client, target, person, CURL, node)).reveal();
  const proven = { isClientProven: true } as never;
  return {
    clientId: CLIENT,
    code,
    redirectUri: URI,
    verifier: VERIFIER,
    presenter: CURL,
    proven,
    ...(guest && { guest }),
  };
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
    { ...request, redirectUri: `${URI}2` },
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
