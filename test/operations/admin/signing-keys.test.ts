// The commands that add, use and remove signing keys.
import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { livesOf } from '../../../src/core/rules/signing-keys.ts';
import { after, seconds } from '../../../src/core/time.ts';
import {
  allPublishedKeys,
  listSigningKeys,
  publishKeys,
  retireSigningKey,
  rotateSigningKeys,
  signWithKey,
} from '../../../src/operations/admin/signing-keys.ts';
import { nodes } from '../../../src/store/tables/leases.ts';
import { addSigningKey, firstKey, type StoredKey } from '../../../src/tokens/keyring.ts';
import { registerIntegration } from '../../administer.ts';
import { NOW } from '../../samples.ts';
import { administration } from './admin-samples.ts';

const DAY = 86_400;
const PUBLISHED_FOR = seconds(DAY);
const TIMES = { publishedFor: PUBLISHED_FOR, every: seconds(90 * DAY) };

async function installation(t: TestContext) {
  const admin = await administration(t);
  const { keys, id } = addSigningKey(firstKey(), 'ES256');
  await publishKeys(keys, admin);
  const states = async () =>
    livesOf(await allPublishedKeys(admin.store)).map(({ id: key, state }) => [key, state] as const);
  return { ...admin, first: id, keys: keys as readonly StoredKey[], states };
}

type Installation = Awaited<ReturnType<typeof installation>>;

async function withSecond(t: TestContext) {
  const admin = await installation(t);
  const { keys, id } = addSigningKey(admin.keys, 'EdDSA');
  await publishKeys(keys, admin);
  return { ...admin, keys: keys as readonly StoredKey[], second: id };
}

/** A running node that has these keys. */
async function running(
  { store }: Pick<Installation, 'store'>,
  name: string,
  keys: readonly string[],
  until = 400 * DAY,
): Promise<void> {
  const row = { name, keys, endsAt: after(NOW, seconds(until)) };
  await store.change(nodes, name, () => ({ outcome: undefined, next: row }));
}

const reasonOf = (outcome: { ok: boolean; refusal?: { reason: string } }) => outcome.ok || outcome.refusal?.reason;

suite('the life of a signing key', () => {
  test('the first signs at once, the next is published, signs when due, and the first retires and goes', async (t) => {
    const admin = await withSecond(t);
    const { first, second, states, pass } = admin;
    assert.deepEqual(
      new Map(await states()),
      new Map([
        [first, 'signing'],
        [second, 'published'],
      ]),
    );
    const sign = () => signWithKey({ id: second, publishedFor: PUBLISHED_FOR }, admin);
    pass(DAY - 1);
    assert.equal(reasonOf(await sign()), 'signing-key-too-recent');
    pass(1);
    assert.equal((await sign()).ok, true);
    assert.deepEqual(
      new Map(await states()),
      new Map([
        [first, 'retiring'],
        [second, 'signing'],
      ]),
    );
    assert.equal(reasonOf(await sign()), 'signing-key-signs-already');
    assert.equal(
      reasonOf(await signWithKey({ id: first, publishedFor: PUBLISHED_FOR }, admin)),
      'signing-key-retiring',
    );
    pass(86_699);
    const retireFirst = () => retireSigningKey(admin.keys, { id: first }, admin);
    assert.equal(reasonOf(await retireFirst()), 'key-tokens-alive');
    pass(1);
    const left = await retireFirst();
    assert.deepEqual(left.ok && left.value.map(({ kind, id }) => `${kind} ${id}`), [
      'mac 1',
      `signing ${second}`,
      `retired ${first}`,
    ]);
    assert.deepEqual(await states(), [[second, 'signing']]);
    assert.deepEqual(await admin.did(), [
      'signing key added',
      'signing key added',
      'signing key signs',
      'signing key removed',
    ]);
  });

  test('the key that signs is not retired, an unknown one neither signs nor retires', async (t) => {
    const admin = await installation(t);
    assert.equal(
      reasonOf(await retireSigningKey(admin.keys, { id: admin.first, atOnce: true }, admin)),
      'signing-key-signs',
    );
    assert.equal(reasonOf(await retireSigningKey(admin.keys, { id: 'x' }, admin)), 'key-unknown');
    assert.equal(reasonOf(await signWithKey({ id: 'x', publishedFor: PUBLISHED_FOR }, admin)), 'key-unknown');
  });

  test('a key that leaked: the next signs by force, and it is retired at once', async (t) => {
    const admin = await withSecond(t);
    const forced = await signWithKey({ id: admin.second, publishedFor: PUBLISHED_FOR, force: true }, admin);
    assert.equal(forced.ok, true);
    const left = await retireSigningKey(admin.keys, { id: admin.first, atOnce: true }, admin);
    assert.equal(left.ok, true);
    assert.deepEqual(await admin.states(), [[admin.second, 'signing']]);
  });

  test('a removed key is never published again, even by a keyring that still has it', async (t) => {
    const admin = await withSecond(t);
    await retireSigningKey(admin.keys, { id: admin.second }, admin);
    assert.deepEqual(await publishKeys(admin.keys, admin), []);
    assert.deepEqual(await admin.states(), [[admin.first, 'signing']]);
    const left = await retireSigningKey(admin.keys, { id: admin.second }, admin);
    const kept = left.ok ? left.value.filter(({ kind }) => kind !== 'retired').map(({ id }) => id) : [];
    assert.deepEqual(kept, [1, admin.first], 'and leaves that keyring too');
  });

  test('no key signs while a running node lacks it', async (t) => {
    const admin = await withSecond(t);
    await running(admin, 'a', [admin.first, admin.second]);
    admin.pass(DAY);
    await running(admin, 'b', [admin.first], DAY + 85);
    const refused = await signWithKey({ id: admin.second, publishedFor: PUBLISHED_FOR }, admin);
    assert.deepEqual(refused.ok || refused.refusal, {
      reason: 'key-not-everywhere',
      about: 'b (last reported 95 s ago, counts for 85 s more)',
    });
  });

  test('the list says which keys this keyring has', async (t) => {
    const admin = await withSecond(t);
    const listed = await listSigningKeys(admin.keys.slice(0, 2), admin);
    assert.deepEqual(
      new Map(listed.map(({ id, isHere }) => [id, isHere])),
      new Map([
        [admin.first, true],
        [admin.second, false],
      ]),
    );
  });
});

suite('rotate takes every step that is due', () => {
  /** A keyring in a variable instead of a file. */
  async function rotating(t: TestContext) {
    const admin = await installation(t);
    const held = { keys: admin.keys };
    const storeKeys = (keys: readonly StoredKey[]) => {
      held.keys = keys;
    };
    const rotate = async () => {
      const results = await rotateSigningKeys(held.keys, TIMES, { ...admin, storeKeys });
      assert.ok(results.ok);
      return results.value.map(({ did }) => did);
    };
    return { ...admin, held, rotate };
  }

  test('run daily, one key follows the other, and nothing else happens in between', async (t) => {
    const admin = await rotating(t);
    const story: [day: number, did: string][] = [];
    for (let day = 0; day <= 360; day++) {
      for (const did of await admin.rotate()) story.push([day, did]);
      assert.deepEqual(await admin.rotate(), [], 'a second run on the same day has nothing to do');
      admin.pass(DAY);
    }
    assert.deepEqual(story.slice(0, 6), [
      [90, 'added'],
      [91, 'signs'],
      [93, 'removed'],
      [181, 'added'],
      [182, 'signs'],
      [184, 'removed'],
    ]);
    assert.equal(admin.held.keys.filter(({ kind }) => kind === 'signing').length, 1);
  });

  test('a key waits for the nodes that lack it, and the command does not fail', async (t) => {
    const admin = await rotating(t);
    admin.pass(90 * DAY);
    await admin.rotate();
    await running(admin, 'b', [admin.first]);
    admin.pass(DAY);
    assert.deepEqual(await admin.rotate(), ['waits']);
    await running(admin, 'b', [admin.first, ...admin.held.keys.map(({ id }) => String(id))]);
    assert.deepEqual(await admin.rotate(), ['signs']);
  });

  test('a key that an interrupted command left in the keyring is published', async (t) => {
    const admin = await rotating(t);
    admin.held.keys = addSigningKey(admin.held.keys, 'ES256').keys;
    await admin.rotate();
    assert.equal((await admin.states()).length, 2);
  });

  test('an installation without signing keys has nothing to rotate: a daily timer does not fail', async (t) => {
    const admin = await administration(t);
    const done = await rotateSigningKeys(firstKey(), TIMES, { ...admin, storeKeys: () => undefined });
    assert.deepEqual(done, { ok: true, value: [] });
  });
});

test('an integration gets JWTs only if every running node has the key that signs', async (t) => {
  const admin = await installation(t);
  await running(admin, 'b', []);
  const draft = { scope: 'orders:read', accessTokenFormat: 'jwt' } as const;
  assert.equal(reasonOf(await registerIntegration('web', draft, admin)), 'key-not-everywhere');
  await running(admin, 'b', [admin.first]);
  const registered = await registerIntegration('web', draft, admin);
  assert.equal(registered.ok && registered.value.accessTokenFormat, 'jwt');
});
