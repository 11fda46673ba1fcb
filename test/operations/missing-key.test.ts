// Tokens of a key that this node does not have: they may be authentic if the key is in use.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { failIfKeyMissing, missingKeys } from '../../src/operations/grant/missing-key.ts';
import type { Store } from '../../src/store/store.ts';
import { keyMarks, signingKeys } from '../../src/store/tables/signing-keys.ts';
import { addKey, addSigningKey, firstKey, KeyMissing, Keyring, mintWith } from '../../src/tokens/keyring.ts';
import { publicMembers } from '../../src/tokens/signing-key.ts';
import { anotherNode, changeIntegration, issue, put } from '../node.ts';
import { NOW } from '../samples.ts';
import { onSqlite } from './on-sqlite.ts';

/** A token of key 2, and a node that has key 1 alone. */
async function scene(t: TestContext) {
  const { node, clock } = await onSqlite(t);
  const first = firstKey();
  const keyring = new Keyring(mintWith(addKey(first, 2), 2));
  const { accessToken } = await issue({ ...node, keyring });
  const fingerprint = keyring.key(2)?.fingerprint ?? '';
  const behind = { ...node, keyring: new Keyring(first) };
  const fails = async (ports: Parameters<typeof failIfKeyMissing>[1] = behind, text = accessToken.reveal()) => {
    try {
      await failIfKeyMissing(text, ports);
      return false;
    } catch (fault) {
      return fault instanceof KeyMissing ? 'key missing' : 'fault';
    }
  };
  return { node, clock, behind, fails, mark: { id: 2, fingerprint, retired: false }, whole: { ...node, keyring } };
}

test('a token of a key that is in use fails, and is not refused, unless the key is here or retired', async (t) => {
  const { node, fails, mark, whole, behind, clock } = await scene(t);
  assert.equal(await fails(), false, 'anybody can name a key');
  await put(node.store, keyMarks, mark);
  clock.move(1);
  assert.equal(await fails(), 'key missing');
  assert.equal(await fails(whole), false);
  assert.equal(await fails(behind, 'no token'), false);
  await put(node.store, keyMarks, { ...mark, retired: true });
  clock.move(1);
  assert.equal(await fails(), false);
});

test('the store is asked once a second for each key, unless it failed', async (t) => {
  const { node, fails, mark, behind, clock } = await scene(t);
  let loads = 0;
  let isAway = true;
  const load = (async (...given: Parameters<Store['load']>) => {
    loads++;
    if (isAway) throw new Error('away');
    return node.store.load(...given);
  }) as Store['load'];
  const ports = { ...behind, store: { ...node.store, load } };
  assert.equal(await fails(ports), 'fault');
  isAway = false;
  assert.equal(await fails(ports), false);
  await put(node.store, keyMarks, mark);
  let milliseconds = clock.milliseconds();
  const at = { ...ports, clock: { now: clock.now, running: clock.running, milliseconds: () => milliseconds } };
  milliseconds += 999;
  assert.deepEqual([await fails(at), loads], [false, 2]);
  milliseconds += 1;
  assert.deepEqual([await fails(at), await fails(at), loads], ['key missing', 'key missing', 3]);
  milliseconds -= 1000;
  assert.deepEqual([await fails(at), loads], ['key missing', 4], 'the clock was set back');
});

test('a node says which keys it lacks, or has with another fingerprint', async (t) => {
  const { node, behind, mark, whole } = await scene(t);
  assert.deepEqual(await missingKeys(behind), []);
  await put(node.store, keyMarks, mark);
  assert.deepEqual(await missingKeys(behind), [2]);
  assert.deepEqual(await missingKeys(whole), []);
  await put(node.store, keyMarks, { id: 1, fingerprint: 'other', retired: false });
  await put(node.store, keyMarks, { id: 3, fingerprint: 'other', retired: true });
  assert.deepEqual(await missingKeys(whole), [1]);
});

test('the key that signs is missing if an integration needs it', async (t) => {
  const { node } = await onSqlite(t);
  const { keys, id } = addSigningKey(firstKey(), 'ES256');
  const having = { ...node, keyring: new Keyring(keys) };
  await changeIntegration(node, { accessTokenFormat: 'jwt' });
  assert.deepEqual(await missingKeys(node), ['for JWTs']);
  const key = having.keyring.signingKey(id);
  assert.ok(key);
  const { algorithm, publicKey } = key;
  const row = { id, algorithm, publicKey: publicMembers(publicKey), publishedAt: NOW, signsFrom: NOW };
  await put(node.store, signingKeys, row);
  await node.registry.refresh();
  assert.deepEqual([await missingKeys(node), await missingKeys(having)], [[id], []]);
  const token = (await issue(having)).accessToken.reveal();
  await assert.rejects(failIfKeyMissing(token, node), KeyMissing);
  await failIfKeyMissing(token, having);
  await changeIntegration(node, {});
  assert.deepEqual(await missingKeys(await anotherNode(node.store)), []);
});
