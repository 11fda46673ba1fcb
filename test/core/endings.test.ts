// How registered things end, and which endings an older state has undone.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { EndingDeedOf, EndingKind } from '../../src/core/act.ts';
import type { Identity } from '../../src/core/identity.ts';
import type { Integration } from '../../src/core/integration.ts';
import { endedBy, endsBetween, isRemoved, isUndone, type RowOf } from '../../src/core/rules/endings.ts';
import { epochSeconds } from '../../src/core/time.ts';
import { ADA, anIdentity, anIntegration, aPasskey, aResourceServer, hexOf, NOW } from '../samples.ts';

const [first, second] = [1, 2].map((n) => ({ hash: hexOf(32, n), createdAt: NOW, endsAt: epochSeconds(NOW + 9) })) as [
  NonNullable<Integration['secrets']>[0],
  NonNullable<Integration['secrets']>[0],
];
const [mark1, mark2] = [first.hash.slice(0, 16), second.hash.slice(0, 16)];
const passkeys = { identityId: ADA, keys: [aPasskey('aa'), aPasskey('bb')] };
const issuer = { label: 'corp', enabled: true } as unknown as RowOf['issuer'];
const platform = { label: 'ci', issuer: 'https://ci.example', enabled: true } as unknown as RowOf['token-issuer'];
const signing = { id: 'k' } as unknown as RowOf['signing-key'];
const key = { id: 1 } as unknown as RowOf['key'];
const withSecrets = anIntegration({ secrets: [first, second] });
const server = aResourceServer({ secrets: [first, second] });

/** What is, the act, and what is then. */
const ENDINGS: readonly (readonly [EndingKind, object, object, object])[] = [
  ['identity', anIdentity({ endedAt: NOW }), { did: 'disabled' }, anIdentity({ enabled: false })],
  [
    'identity',
    anIdentity({ email: 'a@b.example' }),
    { did: 'removed', userName: 'ada' },
    { id: ADA, enabled: false, mayUseApi: false, groups: [] },
  ],
  ['passkey', passkeys, { did: 'removed', ended: ['aa'], names: [] }, { ...passkeys, keys: [passkeys.keys[1]] }],
  ['integration', withSecrets, { did: 'secret-dropped', ended: [mark1] }, { ...withSecrets, secrets: [second] }],
  ['integration', withSecrets, { did: 'disabled' }, { ...withSecrets, enabled: false }],
  ['integration', withSecrets, { did: 'removed' }, { ...anIntegration(), enabled: false, removed: true }],
  ['issuer', issuer, { did: 'withdrawn' }, { ...issuer, enabled: false }],
  ['token-issuer', platform, { did: 'removed' }, { ...platform, enabled: false }],
  ['resource-server', server, { did: 'disabled', changed: {} }, { ...server, enabled: false }],
  ['resource-server', server, { did: 'secrets-replaced', ended: [mark1, mark2] }, { ...server, secrets: [] }],
  ['resource-server', server, { did: 'secret-dropped', ended: [mark2] }, { ...server, secrets: [first] }],
  [
    'resource-server',
    { ...server, identity: ADA },
    { did: 'removed' },
    { ...aResourceServer(), enabled: false, removed: true },
  ],
  ['signing-key', signing, { did: 'removed' }, { ...signing, removedAt: NOW }],
  ['key', key, { did: 'retired' }, { ...key, retired: true }],
];
const ended = (kind: EndingKind, row: object, deed: object, at = NOW) =>
  endedBy(kind, row as never, deed as EndingDeedOf<EndingKind>, at);

for (const [kind, row, deed, expected] of ENDINGS) {
  const what = `${kind} ${(deed as { did: string }).did}`;
  test(`${what}: what is left, and whether it was undone`, () => {
    assert.deepEqual(ended(kind, row, deed), expected);
    assert.equal(isUndone(kind, row as never, deed as never, NOW), true);
    assert.equal(isUndone(kind, expected as never, deed as never, NOW), false);
  });
  if (!['secrets-replaced'].includes((deed as { did: string }).did))
    test(`${what} is found by comparing with an older row`, () => {
      const found = endsBetween(kind, expected as never, row as never, NOW) as readonly { did: string }[];
      assert.deepEqual(
        found.map(({ did }) => did),
        [(deed as { did: string }).did],
      );
      assert.deepEqual(ended(kind, row, found[0] as object), expected);
      assert.deepEqual(endsBetween(kind, row as never, row as never, NOW), []);
      assert.deepEqual(endsBetween(kind, expected as never, expected as never, NOW), []);
    });
}

suite('an ending', () => {
  test('of a secret leaves an integration without secrets as it is', () => {
    assert.deepEqual(ended('integration', anIntegration(), { did: 'secret-dropped', ended: [mark1] }), anIntegration());
  });

  test('of a signing key keeps its first time', () => {
    const removed = { ...signing, removedAt: NOW };
    assert.deepEqual(ended('signing-key', removed, { did: 'removed' }, epochSeconds(NOW + 5)), removed);
  });

  test('that is not one of its kind is a fault', () => {
    assert.throws(() => ended('key', key, { did: 'disabled' }), /disabled does not end the kind key/);
  });

  test('of a platform: its label may be that of another now', () => {
    const other = { ...platform, issuer: 'https://other.example' };
    assert.deepEqual(endsBetween('token-issuer', other, platform, NOW), [{ did: 'removed' }]);
  });
});

test('an identity of the local directory without a user name was removed', () => {
  const nameless: Identity = { id: ADA, enabled: false, mayUseApi: false, groups: [] };
  assert.equal(isRemoved(nameless), true);
  assert.equal(isRemoved(anIdentity()), false);
  assert.equal(isRemoved({ ...nameless, id: 'corp:aa' as Identity['id'] }), false);
});
