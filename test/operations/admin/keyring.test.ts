import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { GrantId } from '../../../src/core/grant.ts';
import { epochSeconds, seconds } from '../../../src/core/time.ts';
import { addIdentity } from '../../../src/operations/admin/identities.ts';
import {
  addToKeyring,
  checkKeyring,
  markMinting,
  mintWithKey,
  retireKey,
} from '../../../src/operations/admin/mac-keys.ts';
import { alignWithKeyring } from '../../../src/operations/admin/signing-keys.ts';
import { grants } from '../../../src/store/tables/grants.ts';
import { integrations } from '../../../src/store/tables/integrations.ts';
import { firstKey, Keyring, KeyringFault, mintWith, type StoredKey } from '../../../src/tokens/keyring.ts';
import { registerIntegration } from '../../administer.ts';
import { put } from '../../node.ts';
import { aGrant, anIntegration, NOW } from '../../samples.ts';
import { administration } from './admin-samples.ts';

type Admin = Awaited<ReturnType<typeof administration>>;
const DAY = 86_400;

/** An installation whose first key mints. */
async function installed(admin: Admin): Promise<readonly StoredKey[]> {
  const keys = firstKey();
  await markMinting(new Keyring(keys).minting, undefined, admin);
  return keys;
}

/** An installation whose second key mints. */
async function rotated(admin: Admin): Promise<readonly StoredKey[]> {
  const added = await addToKeyring(await installed(admin), admin);
  assert.ok(added.ok);
  const minting = await mintWithKey(added.value, { id: 2 }, admin);
  assert.ok(minting.ok);
  return minting.value;
}

async function grantUnder(keyId: number, admin: Admin): Promise<void> {
  const holder = await addIdentity({ userName: 'ada' }, admin);
  assert.ok(holder.ok);
  const { pair } = aGrant();
  const difference = {
    identityId: holder.value.id,
    refreshUntil: epochSeconds(NOW + 10 * DAY),
    pair: { ...pair, keyId },
  };
  const grant = aGrant({ id: '018f00000000000000000000000000bb' as GrantId, ...difference });
  await admin.store.change(grants, grant.id, () => ({ outcome: undefined, next: grant }));
}

const retireFirst = (keys: readonly StoredKey[], admin: Admin, atOnce = false) =>
  retireKey(keys, { id: 1, accessTokenLifetime: seconds(90 * DAY), siblingWindow: seconds(0), atOnce }, admin);

suite('the life of a key', () => {
  test('a key is added for checking, then mints, and the previous key retires', async (t) => {
    const admin = await administration(t);
    const keys = await rotated(admin);
    assert.deepEqual(
      new Keyring(keys).keys.map(({ id, state }) => [id, state]),
      [
        [1, 'retiring'],
        [2, 'minting'],
      ],
    );
    assert.deepEqual(await admin.did(), ['key minting', 'key added', 'key minting']);
  });

  test('a key is not retired while a live grant uses it', async (t) => {
    const admin = await administration(t);
    const keys = await rotated(admin);
    await grantUnder(1, admin);
    const refused = await retireFirst(keys, admin, true);
    assert.deepEqual(refused.ok || refused.refusal, { reason: 'key-in-use', about: '1' });
  });

  test('a key is not retired while an access token it minted may work, unless forced [contract 1.2]', async (t) => {
    const admin = await administration(t);
    const keys = await rotated(admin);
    const refused = await retireFirst(keys, admin);
    assert.equal(refused.ok || refused.refusal.reason, 'key-tokens-alive');
    admin.pass(90 * DAY - 1);
    assert.equal((await retireFirst(keys, admin)).ok, false);
    admin.pass(1);
    assert.equal((await retireFirst(keys, admin)).ok, true);
  });

  test('nor on a store that was put back to a time before the rotation', async (t) => {
    const keys = await rotated(await administration(t));
    const restored = await administration(t);
    await installed(restored);
    await alignWithKeyring(keys, restored);
    const refused = await retireFirst(keys, restored);
    assert.equal(refused.ok || refused.refusal.reason, 'key-tokens-alive');
    restored.pass(90 * DAY);
    assert.equal((await retireFirst(keys, restored)).ok, true);
  });

  test('nor while a program that shares a login may come with a refresh token that it minted', async (t) => {
    const admin = await administration(t);
    const keys = await rotated(admin);
    const retire = (siblingWindow: number) =>
      retireKey(keys, { id: 1, accessTokenLifetime: seconds(60), siblingWindow: seconds(siblingWindow) }, admin);
    admin.pass(DAY);
    const refused = await retire(2 * DAY);
    assert.equal(refused.ok || refused.refusal.reason, 'key-tokens-alive');
    const ofIntegration = anIntegration({ overrides: { refreshSiblingWindow: seconds(2 * DAY) } });
    await put(admin.store, integrations, ofIntegration);
    assert.equal((await retire(0)).ok, false);
    admin.pass(DAY);
    assert.equal((await retire(2 * DAY)).ok, true);
  });

  test('a key that never minted is retired at once', async (t) => {
    const admin = await administration(t);
    const added = await addToKeyring(await installed(admin), admin);
    assert.ok(added.ok);
    assert.ok(
      (
        await retireKey(
          added.value,
          { id: 2, accessTokenLifetime: seconds(90 * DAY), siblingWindow: seconds(0) },
          admin,
        )
      ).ok,
    );
  });

  test('an integration with longer access tokens holds a key back for as long', async (t) => {
    const admin = await administration(t);
    const overrides = { accessTokenLifetime: seconds(91 * DAY), siblingWindow: seconds(0) };
    await registerIntegration('long', { scope: 'orders:read', overrides }, admin);
    const keys = await rotated(admin);
    admin.pass(90 * DAY);
    assert.equal((await retireFirst(keys, admin)).ok, false);
    admin.pass(DAY);
    assert.equal((await retireFirst(keys, admin)).ok, true);
  });

  test('ended grants do not keep a key from retiring', async (t) => {
    const admin = await administration(t);
    const keys = await rotated(admin);
    await grantUnder(1, admin);
    admin.pass(100 * DAY);
    const retired = await retireFirst(keys, admin);
    assert.deepEqual(retired.ok && retired.value.map(({ kind, id }) => [kind, id]), [
      ['mac', 2],
      ['retired', 1],
    ]);
  });

  test('the id of a retired key is never reused', async (t) => {
    const admin = await administration(t);
    const keys = await rotated(admin);
    const third = await addToKeyring(keys, admin);
    assert.ok(third.ok);
    const minting = await mintWithKey(third.value, { id: 3 }, admin);
    assert.ok(minting.ok);
    const onlyFirst = minting.value.filter(({ id }) => id === 1);
    const next = await addToKeyring(onlyFirst, admin);
    assert.equal(next.ok && next.value.at(-1)?.id, 4);
  });

  test('adding a key fails when all 255 key ids are used', async (t) => {
    const admin = await administration(t);
    const [first] = firstKey();
    const keys = [{ ...first, id: 255 } as StoredKey];
    const refused = await addToKeyring(keys, admin);
    assert.deepEqual(refused.ok || refused.refusal, { reason: 'key-ids-exhausted', about: '255' });
  });

  test('the minting key cannot be retired, and an unknown key can neither mint nor retire', async (t) => {
    const admin = await administration(t);
    const keys = await installed(admin);
    const outcomes = [
      await retireFirst(keys, admin),
      await mintWithKey(keys, { id: 1 }, admin),
      await mintWithKey(keys, { id: 9 }, admin),
      await retireKey(keys, { id: 9, accessTokenLifetime: seconds(1), siblingWindow: seconds(0) }, admin),
    ];
    const reasons = outcomes.map((outcome) => outcome.ok || outcome.refusal.reason);
    assert.deepEqual(reasons, ['key-mints', 'key-mints-already', 'key-unknown', 'key-unknown']);
  });
});

suite('a service starts only with the keys recorded in its store', () => {
  test('the same keyring is accepted, and recording it again changes nothing', async (t) => {
    const admin = await administration(t);
    const keyring = new Keyring(await installed(admin));
    assert.equal(await checkKeyring(keyring, admin.store), keyring);
    assert.equal(await markMinting(keyring.minting, undefined, admin), false);
    assert.deepEqual(await admin.did(), ['key minting']);
  });

  test('a missing keyring is a fault, never a new key', async (t) => {
    const admin = await administration(t);
    await assert.rejects(checkKeyring(undefined, admin.store), /no keyring yet.*tessera init/);
    await installed(admin);
    await assert.rejects(checkKeyring(undefined, admin.store), /missing.*restore/);
  });

  test('another key under the same id is refused', async (t) => {
    const admin = await administration(t);
    await installed(admin);
    await assert.rejects(checkKeyring(new Keyring(firstKey()), admin.store), KeyringFault);
    await assert.rejects(markMinting(new Keyring(firstKey()).minting, undefined, admin), KeyringFault);
  });

  test('a node that lacks a key in use is refused', async (t) => {
    const admin = await administration(t);
    const keys = await rotated(admin);
    const onlySecond = new Keyring(keys.filter(({ id }) => id === 2));
    await assert.rejects(checkKeyring(onlySecond, admin.store), /lacks key 1/);
  });

  test('a retired key may be missing, but must not mint', async (t) => {
    const admin = await administration(t);
    const keys = await rotated(admin);
    const retired = await retireFirst(keys, admin, true);
    assert.ok(retired.ok);
    assert.ok(await checkKeyring(new Keyring(retired.value), admin.store));
    const stale = mintWith(keys, 1);
    await assert.rejects(checkKeyring(new Keyring(stale), admin.store), /retired, yet/);
  });
});
