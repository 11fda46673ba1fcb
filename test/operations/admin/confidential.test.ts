// That an integration is confidential: what makes it so, and who makes it public again.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { isLocked } from '../../../src/core/rules/client.ts';
import { weakeningsOf } from '../../../src/core/rules/weakening.ts';
import { seconds } from '../../../src/core/time.ts';
import { dropIntegrationSecrets, makeIntegrationSecret } from '../../../src/operations/admin/secrets.ts';
import { markConfidential } from '../../../src/operations/upkeep/mark-confidential.ts';
import { registeredTable } from '../../../src/store/table.ts';
import { integrations, markedIntegrations } from '../../../src/store/tables/integrations.ts';
import { act, applyObjects, changeIntegration, type IntegrationDraft, registerIntegration } from '../../administer.ts';
import { keySetOf, platformKey } from '../../platform.ts';
import { administration } from './admin-samples.ts';

const publicKeys = { from: 'file', set: keySetOf(await platformKey()) } as const;
const byAddress = { from: 'url', url: 'https://orders.example/jwks' } as const;
const none = { from: 'file', set: '{"keys":[]}' } as const;
const secret = { flows: { secret: true } };
const off = { flows: { secret: false } };

type Admin = Awaited<ReturnType<typeof administration>>;

async function isConfidential({ store }: Admin, id = 'a'): Promise<boolean | undefined> {
  return (await store.load(integrations, id)).found?.row.confidential;
}

suite('an integration is confidential [threats: Keys, secrets, exchange, DPoP]', () => {
  const drafts: readonly (readonly [IntegrationDraft, boolean | 'public-with-proofs'])[] = [
    [{}, false],
    [{ confidential: false }, false],
    [{ confidential: true }, true],
    [{ publicKeys }, true],
    [{ publicKeys: byAddress }, true],
    [{ publicKeys: none }, false],
    [secret, true],
    [{ publicKeys, confidential: false }, 'public-with-proofs'],
    [{ publicKeys: byAddress, confidential: false }, 'public-with-proofs'],
    [{ ...secret, confidential: false }, 'public-with-proofs'],
  ];
  for (const [draft, expected] of drafts)
    test(`from its registration: ${JSON.stringify(draft).replace(/"set":"[^n]+"/, '"set"')}: ${expected}`, async (t) => {
      const admin = await administration(t);
      const made = await registerIntegration('a', { scope: 'a', ...draft }, admin);
      assert.equal(made.ok ? made.value.confidential : made.refusal.reason, expected);
    });

  const gains: Readonly<Record<string, (admin: Admin) => Promise<unknown>>> = {
    'keys in a change': (admin) => changeIntegration('a', { publicKeys }, admin),
    'added keys': (admin) => act('integration-key-add', { id: 'a', body: { file: publicKeys.set } }, admin),
    'an address of keys': (admin) => act('integration-key-add', { id: 'a', body: { url: byAddress.url } }, admin),
    'secrets that are turned on': (admin) => changeIntegration('a', secret, admin),
  };
  for (const [what, gain] of Object.entries(gains))
    test(`by ${what}, and it stays when they are gone`, async (t) => {
      const admin = await administration(t);
      await registerIntegration('a', { scope: 'a' }, admin);
      await gain(admin);
      assert.equal(await isConfidential(admin), true);
      await changeIntegration('a', { publicKeys: none, ...off }, admin);
      assert.equal(await isConfidential(admin), true);
    });

  test('until it is made public, which is refused while there is a key or secret, even one that has ended', async (t) => {
    const admin = await administration(t);
    await registerIntegration('a', { scope: 'a', publicKeys, ...secret }, admin);
    await makeIntegrationSecret('a', seconds(1), admin);
    admin.pass(1);
    const open = async (more: IntegrationDraft = {}) => {
      const changed = await changeIntegration('a', { confidential: false, ...more }, admin);
      return changed.ok ? changed.value.confidential : changed.refusal.reason;
    };
    assert.equal(await open(), 'public-with-proofs');
    assert.equal(await open({ publicKeys: none }), 'public-with-proofs');
    assert.equal(await open({ publicKeys: none, ...off }), 'public-with-proofs');
    await dropIntegrationSecrets('a', { all: true }, admin);
    assert.equal(await open({ publicKeys: none }), 'public-with-proofs');
    assert.equal(await open(off), 'public-with-proofs');
    assert.equal(await open({ publicKeys: none, ...off }), false);
    const [event] = await admin.store.newestEvents({ count: 1 });
    assert.partialDeepStrictEqual(event?.detail, { changed: { confidential: { before: true, after: false } } });
  });

  test('to its end: registered again, it is as the new registration says', async (t) => {
    const admin = await administration(t);
    await registerIntegration('a', { scope: 'a', publicKeys }, admin);
    await act('integration-remove', { id: 'a', query: { confirmed: true } }, admin);
    await registerIntegration('a', { scope: 'a' }, admin);
    assert.equal(await isConfidential(admin), false);
  });

  test('in an exported document too, and another installation without its keys has it', async (t) => {
    const [admin, elsewhere] = [await administration(t), await administration(t)];
    await registerIntegration('a', { scope: 'a', ...secret }, admin);
    await changeIntegration('a', off, admin);
    await registerIntegration('b', { scope: 'a' }, admin);
    const exported = await act('object-export', {}, admin);
    assert.ok(exported.ok);
    const applied = await applyObjects(exported.value.value as object, elsewhere);
    assert.ok(applied.ok);
    assert.deepEqual([await isConfidential(elsewhere), await isConfidential(elsewhere, 'b')], [true, false]);
  });
});

test('that an integration becomes public is said before it is done', () => {
  const [before, after] = [true, false];
  const says = ['It will be public: its client id alone will be enough, without a key or secret.'];
  assert.deepEqual(weakeningsOf([['confidential', { before, after }]]), says);
  assert.deepEqual(weakeningsOf([['confidential', { before }]]), says, 'what is false is not written');
  assert.deepEqual(weakeningsOf([['confidential', { before: after, after: before }]]), []);
  assert.deepEqual(weakeningsOf([['flows', { before: secret.flows, after: off.flows }]]), []);
});

test('a confidential integration is locked without a key or a live secret that it may use', () => {
  const [confidential, createdAt, now] = [true, '2026-11-18T00:00:00Z', Date.parse('2026-11-19T00:00:00Z')];
  const until = (endsAt: string) => [{ createdAt, endsAt }];
  const [live, ended] = [until('2026-11-20T00:00:00Z'), until('2026-11-19T00:00:00Z')];
  const [on, off] = [{ flows: { secret: true } }, { flows: { secret: false } }];
  for (const [integration, locked] of [
    [{ confidential }, true],
    [{ confidential, keys: ['some'] }, false],
    [{ confidential, ...on, secrets: live }, false],
    [{ confidential, ...on, secrets: ended }, true],
    [{ confidential, ...off, secrets: live }, true],
    [off, false],
  ] as const)
    assert.equal(isLocked(integration, now), locked, JSON.stringify(integration));
});

test('rows of earlier releases are marked once, so that those releases keep that they are confidential', async (t) => {
  const admin = await administration(t);
  const { store } = admin;
  const stored = registeredTable<{ readonly clientId: string; readonly flows: object }>('integrations', [
    'clientId',
    'client_id',
  ]);
  for (const id of ['a', 'b']) await registerIntegration(id, { scope: 'a' }, admin);
  await store.change(stored, 'a', (found) => {
    assert.ok(found);
    return { outcome: undefined, next: { ...found.row, flows: { ...found.row.flows, secret: true } } };
  });
  const seen = async (id: string) => (await store.load(markedIntegrations, id)).found ?? assert.fail();
  const other = await seen('b');
  assert.partialDeepStrictEqual((await seen('a')).row, { confidential: true, isMarked: false });
  await markConfidential(admin);
  const marked = await seen('a');
  assert.partialDeepStrictEqual(marked.row, { confidential: true, isMarked: true });
  await markConfidential(admin);
  assert.deepEqual([await seen('a'), await seen('b')], [marked, other], 'nothing is written again');
});
