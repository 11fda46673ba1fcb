// Keys that an integration authenticates with: which key an act names, also if another one has the same kid.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { keyMarks } from '../../../src/core/integration.ts';
import { endsBetween } from '../../../src/core/rules/endings.ts';
import { addIntegrationKeys, removeIntegrationKey } from '../../../src/operations/admin/integration-keys.ts';
import { integrations } from '../../../src/store/tables/integrations.ts';
import { act, changeIntegration, registerIntegration } from '../../administer.ts';
import { keySetOf, platformKey } from '../../platform.ts';
import { NOW } from '../../samples.ts';
import { administration } from './admin-samples.ts';

const [first, second] = [await platformKey('k1'), await platformKey('k1')];

suite('keys of an integration', () => {
  test('another key with the same kid is refused until the first is removed', async (t) => {
    const admin = await administration(t);
    await registerIntegration('robot', { scope: 'orders:read' }, admin);
    const add = (key: typeof first) => addIntegrationKeys('robot', { file: keySetOf(key) }, admin);
    assert.ok((await add(first)).ok);
    const refused = await add(second);
    assert.equal(refused.ok ? '' : refused.refusal.reason, 'public-key-unusable');
    assert.ok((await add(first)).ok);
    assert.ok((await removeIntegrationKey('robot', 'k1', admin)).ok);
    assert.ok((await add(second)).ok);
  });

  test('a removed key stays removed after a restore, also if its successor has the same kid', async (t) => {
    const admin = await administration(t);
    await registerIntegration('robot', { scope: 'orders:read' }, admin);
    const older = await addIntegrationKeys('robot', { file: keySetOf(first) }, admin);
    await removeIntegrationKey('robot', 'k1', admin);
    const newer = await addIntegrationKeys('robot', { file: keySetOf(second) }, admin);
    assert.ok(older.ok && newer.ok);
    const [ended] = endsBetween('integration', newer.value, older.value, NOW);
    assert.equal(ended?.did, 'key-removed');
  });

  test('an integration has ten keys at most, and a file that adds some has one at least', async (t) => {
    const admin = await administration(t);
    await registerIntegration('robot', { scope: 'orders:read' }, admin);
    const keys = await Promise.all(Array.from({ length: 11 }, (_, n) => platformKey(`k${n}`)));
    assert.ok((await addIntegrationKeys('robot', { file: keySetOf(...keys.slice(0, 10)) }, admin)).ok);
    for (const [more, reason] of [
      [keys.slice(10), 'public-keys-too-many'],
      [[], 'public-key-unusable'],
    ] as const) {
      const refused = await addIntegrationKeys('robot', { file: keySetOf(...more) }, admin);
      assert.equal(refused.ok ? '' : refused.refusal.reason, reason);
    }
  });

  test('a key that is added keeps its algorithm, the log names it alone, and the answer is the integration', async (t) => {
    const admin = await administration(t);
    await registerIntegration('robot', { scope: 'orders:read' }, admin);
    const add = (key: typeof first) =>
      act('integration-key-add', { id: 'robot', body: { file: keySetOf(key) } }, admin);
    await add(first);
    const answered = await add(await platformKey('k2', 'ES384'));
    assert.equal(answered.ok && (answered.value.value as { clientId: string }).clientId, 'robot');
    const { keys } = (await admin.store.load(integrations, 'robot')).found?.row ?? {};
    const [known, added, ...others] = keys?.from === 'file' ? JSON.parse(keys.set).keys : [];
    assert.deepEqual([known.alg, added.alg, others], ['ES256', 'ES384', []]);
    const { detail } = (await admin.store.events({ after: 0, limit: 9 })).at(-1) ?? {};
    assert.partialDeepStrictEqual(detail, { did: 'key-added', key: added.thumbprint });
  });

  test('an address replaces the keys, and the log says which ended', async (t) => {
    const admin = await administration(t);
    await registerIntegration('robot', { scope: 'orders:read' }, admin);
    await addIntegrationKeys('robot', { file: keySetOf(first) }, admin);
    await addIntegrationKeys('robot', { url: 'https://robot.example/jwks' }, admin);
    assert.deepEqual((await admin.did()).slice(2), ['integration key removed', 'integration key added']);
  });

  test('the log says which keys a replaced integration lost and got, and whether others may use it', async (t) => {
    const admin = await administration(t);
    const setOf = (key: typeof first) => ({ from: 'file', set: keySetOf(key) }) as const;
    await registerIntegration('robot', { scope: 'orders:read', publicKeys: setOf(first) }, admin);
    const marks = keyMarks((await admin.store.load(integrations, 'robot')).found?.row.keys);
    const changes: [change: Parameters<typeof changeIntegration>[1], acts: readonly string[]][] = [
      [{ name: 'Robot' }, ['integration changed']],
      [{ publicKeys: setOf(second) }, ['integration key removed', 'integration key added']],
      [{ enabled: false }, ['integration disabled']],
      [{ enabled: true, name: 'robot' }, ['integration enabled', 'integration changed']],
      [{ access: { to: 'named', groups: ['ops'], identities: [] } }, ['integration changed']],
    ];
    for (const [change, acts] of changes) {
      const { length } = await admin.did();
      assert.ok((await changeIntegration('robot', change, admin)).ok);
      assert.deepEqual((await admin.did()).slice(length), acts);
    }
    const details = (await admin.store.events({ after: 0, limit: 20 })).map(({ detail }) => detail);
    const [, plain, removed, added] = details;
    const now = keyMarks((await admin.store.load(integrations, 'robot')).found?.row.keys);
    assert.deepEqual(
      [plain, details.at(-1)].map((detail) => detail && 'accessChanged' in detail),
      [false, true],
    );
    assert.partialDeepStrictEqual([removed, added], [{ ended: marks }, { key: now.join(' ') }]);
  });
});
