// A wrong clock lets no command end, retire or schedule anything.
import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { seconds } from '../../../src/core/time.ts';
import { endGrant, endGrants } from '../../../src/operations/admin/acts/work/grant.ts';
import type { AdminOutcome } from '../../../src/operations/admin/admin.ts';
import { acceptClock } from '../../../src/operations/admin/check-clock.ts';
import { addIdentity } from '../../../src/operations/admin/identities.ts';
import { addToKeyring, mintWithKey, retireKey } from '../../../src/operations/admin/mac-keys.ts';
import {
  addSigningKeyTo,
  retireSigningKey,
  rotateSigningKeys,
  signWithKey,
} from '../../../src/operations/admin/signing-keys.ts';
import { keepSeen } from '../../../src/operations/upkeep/timekeeper.ts';
import { grants } from '../../../src/store/tables/grants.ts';
import { firstKey, type StoredKey } from '../../../src/tokens/keyring.ts';
import { aGrant } from '../../samples.ts';
import { administration } from './admin-samples.ts';

const HOUR = 3600;
const DAY = 24 * HOUR;
const ROTATION = { publishedFor: seconds(DAY), every: seconds(90 * DAY) };

/**
 * A service that runs. The second of its three keys mints, and the second of its three signing keys signs; a grant is live. `acts`: what commands do
 * with them.
 */
async function installation(t: TestContext) {
  const admin = await administration(t);
  const held: { keys: readonly StoredKey[] } = { keys: firstKey() };
  const storeKeys = (keys: readonly StoredKey[]) => {
    held.keys = keys;
  };
  const ports = { ...admin, storeKeys };
  storeKeys(accepted(await addToKeyring(held.keys, admin)));
  storeKeys(accepted(await mintWithKey(held.keys, { id: 2 }, admin)));
  storeKeys(accepted(await addToKeyring(held.keys, admin)));
  const addSigning = async () => accepted(await addSigningKeyTo(held.keys, 'ES256', ports)).id;
  const [first, second] = [await addSigning(), await addSigning()];
  const sign = (id: string, force: boolean) => signWithKey({ id, publishedFor: ROTATION.publishedFor, force }, admin);
  accepted(await sign(second, true));
  const third = await addSigning();
  const holder = accepted(await addIdentity({ userName: 'ada' }, admin));
  const grant = aGrant({ identityId: holder.id });
  await admin.store.change(grants, grant.id, () => ({ outcome: undefined, next: grant }));
  await keepSeen(admin);
  const acts: Readonly<Record<string, () => Promise<AdminOutcome<unknown>>>> = {
    retire: () => retireKey(held.keys, { id: 1, accessTokenLifetime: seconds(DAY), siblingWindow: seconds(0) }, admin),
    'retire --at-once': () =>
      retireKey(
        held.keys,
        { id: 1, accessTokenLifetime: seconds(DAY), siblingWindow: seconds(0), atOnce: true },
        admin,
      ),
    'retire a signing key': () => retireSigningKey(held.keys, { id: first }, admin),
    rotate: () => rotateSigningKeys(held.keys, ROTATION, ports),
    sign: () => sign(third, false),
    'retire a signing key --at-once': () => retireSigningKey(held.keys, { id: first, atOnce: true }, admin),
    'sign --force': () => sign(third, true),
    mint: () => mintWithKey(held.keys, { id: 3 }, admin),
    'add --signing': () => addSigningKeyTo(held.keys, 'ES256', ports),
    'grant revoke': () => endGrant(grant.id, admin),
    'grant revoke --all': () => endGrants({ filter: {}, isConfirmed: true }, admin),
  };
  return { ...admin, held, acts };
}

/** Acts that are due because time has passed. */
const COUNTING = ['retire', 'retire --at-once', 'retire a signing key', 'rotate', 'sign'];

function accepted<T>(outcome: AdminOutcome<T>): T {
  assert.ok(outcome.ok, JSON.stringify(outcome));
  return outcome.value;
}

type Installation = Awaited<ReturnType<typeof installation>>;

async function refusedActs({ acts, did, held }: Installation): Promise<string[]> {
  const refused: string[] = [];
  for (const [name, act] of Object.entries(acts)) {
    const before = { did: await did(), keys: held.keys };
    const outcome = await act();
    if (outcome.ok || outcome.refusal.reason !== 'clock-implausible') continue;
    refused.push(name);
    assert.deepEqual({ did: await did(), keys: held.keys }, before, `${name} changes nothing`);
  }
  return refused;
}

suite('a wrong clock', () => {
  for (const [clock, ahead] of [
    ['100 days ahead of', 100 * DAY],
    ['two days behind', -2 * DAY],
  ] as const)
    test(`${clock} the service: no command ends, retires, schedules or notes anything`, async (t) => {
      const admin = await installation(t);
      admin.pass(ahead);
      assert.deepEqual(await refusedActs(admin), Object.keys(admin.acts));
    });

  test('two days ahead of the service: nothing is done because time has passed', async (t) => {
    const admin = await installation(t);
    admin.pass(2 * DAY);
    assert.deepEqual(await refusedActs(admin), COUNTING);
  });

  test('is right again: an hour after the service was last seen, all is decided as usual', async (t) => {
    const admin = await installation(t);
    admin.pass(HOUR);
    assert.deepEqual(await refusedActs(admin), []);
    const later = await installation(t);
    later.pass(HOUR + 1);
    assert.deepEqual(await refusedActs(later), COUNTING, 'a second later, it is not');
  });

  test('that the service or an operator accepts is accepted by commands', async (t) => {
    const admin = await installation(t);
    admin.pass(2 * DAY);
    await keepSeen(admin); // the service has started
    assert.equal((await admin.acts['retire a signing key']?.())?.ok, true);
    admin.pass(100 * DAY);
    await acceptClock(admin);
    assert.deepEqual(await refusedActs(admin), []);
  });

  test('does not fail the daily timer of an installation without JWTs', async (t) => {
    const admin = await administration(t);
    await keepSeen(admin);
    admin.pass(100 * DAY);
    const done = await rotateSigningKeys(firstKey(), ROTATION, { ...admin, storeKeys: () => undefined });
    assert.deepEqual(done, { ok: true, value: [] });
  });
});
