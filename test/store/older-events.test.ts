// Every act, as 0.1 and 0.2 wrote it and as it is read today.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Act, Author } from '../../src/core/act.ts';
import { readAct, readAuthor } from '../../src/store/tables/events.ts';

type Detail = Readonly<Record<string, unknown>>;

const ADA = 'local:{0a1b2c3d-0000-4000-8000-00000000ada0}';
const ROOT = 'command root';

/** The sentence, what was beside it, the columns of the event, and the act. */
const READ: readonly (readonly [did: string, beside: Detail, columns: Detail, act: Act])[] = [
  [
    'identity added',
    { userName: 'ada' },
    { identityId: ADA },
    { kind: 'identity', id: ADA, did: 'added', userName: 'ada' },
  ],
  [
    'identity derived',
    { source: 'common-name' },
    { identityId: ADA },
    { kind: 'identity', id: ADA, did: 'derived', source: 'common-name' },
  ],
  [
    'identity changed',
    { changed: 'email, groups' },
    { identityId: ADA },
    { kind: 'identity', id: ADA, did: 'changed', changed: { email: {}, groups: {} } },
  ],
  ['password set', {}, { identityId: ADA }, { kind: 'identity', id: ADA, did: 'password-set' }],
  ['identity enabled', {}, { identityId: ADA }, { kind: 'identity', id: ADA, did: 'enabled' }],
  ['identity disabled', {}, { identityId: ADA }, { kind: 'identity', id: ADA, did: 'disabled' }],
  [
    'identity removed',
    { userName: 'ada' },
    { identityId: ADA },
    { kind: 'identity', id: ADA, did: 'removed', userName: 'ada' },
  ],
  [
    'integration registered',
    { scope: 'sales:read' },
    { clientId: 'till' },
    { kind: 'integration', id: 'till', did: 'registered', scope: 'sales:read' },
  ],
  [
    'integration changed',
    { scope: 'sales:read', accessChanged: true },
    { clientId: 'till' },
    { kind: 'integration', id: 'till', did: 'changed', accessChanged: true, changed: {} },
  ],
  [
    'integration enabled',
    { scope: 'sales:read' },
    { clientId: 'till' },
    { kind: 'integration', id: 'till', did: 'enabled' },
  ],
  [
    'integration disabled',
    { scope: 'sales:read' },
    { clientId: 'till' },
    { kind: 'integration', id: 'till', did: 'disabled' },
  ],
  [
    'integration removed',
    { scope: 'sales:read' },
    { clientId: 'till' },
    { kind: 'integration', id: 'till', did: 'removed' },
  ],
  [
    'issuer approved',
    { issuer: 'corp', fingerprint: 'c9d2' },
    {},
    { kind: 'issuer', id: 'corp', did: 'approved', fingerprint: 'c9d2' },
  ],
  [
    'issuer changed',
    { issuer: 'corp', changed: 'profile' },
    {},
    { kind: 'issuer', id: 'corp', did: 'changed', changed: { profile: {} } },
  ],
  ['issuer withdrawn', { issuer: 'corp' }, {}, { kind: 'issuer', id: 'corp', did: 'withdrawn' }],
  [
    'token issuer added',
    { tokenIssuer: 'ci', issuer: 'https://ci.example', rules: 1 },
    {},
    { kind: 'token-issuer', id: 'ci', did: 'added', issuer: 'https://ci.example', rules: 1 },
  ],
  [
    'token issuer changed',
    { tokenIssuer: 'ci', issuer: 'https://ci.example', rules: 1 },
    {},
    { kind: 'token-issuer', id: 'ci', did: 'changed', changed: {} },
  ],
  [
    'token issuer removed',
    { tokenIssuer: 'ci', issuer: 'https://ci.example', rules: 1 },
    {},
    { kind: 'token-issuer', id: 'ci', did: 'removed' },
  ],
  [
    'resource server registered',
    { resourceServer: 'orders-api', audience: 'urn:orders', resources: 'orders' },
    {},
    { kind: 'resource-server', id: 'orders-api', did: 'registered', audience: 'urn:orders', resources: 'orders' },
  ],
  [
    'resource server changed',
    { resourceServer: 'orders-api', audience: 'urn:orders', resources: 'orders' },
    {},
    { kind: 'resource-server', id: 'orders-api', did: 'changed', changed: {} },
  ],
  [
    'resource server secret made',
    { resourceServer: 'orders-api', audience: 'urn:orders', resources: 'orders' },
    {},
    { kind: 'resource-server', id: 'orders-api', did: 'secret-made' },
  ],
  // Which secrets ended was not written, so these end none.
  [
    'resource server secrets replaced',
    { resourceServer: 'orders-api', audience: 'urn:orders', resources: 'orders' },
    {},
    { kind: 'resource-server', id: 'orders-api', did: 'secret-made' },
  ],
  [
    'old resource server secret dropped',
    { resourceServer: 'orders-api', audience: 'urn:orders', resources: 'orders' },
    {},
    { kind: 'resource-server', id: 'orders-api', did: 'changed', changed: {} },
  ],
  [
    'resource server removed',
    { resourceServer: 'orders-api', audience: 'urn:orders', resources: 'orders' },
    {},
    { kind: 'resource-server', id: 'orders-api', did: 'removed' },
  ],
  [
    'signing key added',
    { key: 'es256-6339', state: 'signing' },
    {},
    { kind: 'signing-key', id: 'es256-6339', did: 'added', state: 'signing' },
  ],
  ['signing key signs', { key: 'es256-6339' }, {}, { kind: 'signing-key', id: 'es256-6339', did: 'signs' }],
  ['signing key removed', { key: 'es256-6339' }, {}, { kind: 'signing-key', id: 'es256-6339', did: 'removed' }],
  ['key added', { key: 2 }, {}, { kind: 'key', id: '2', did: 'added' }],
  ['key minting', { key: 2, before: 1 }, {}, { kind: 'key', id: '2', did: 'minting', before: 1 }],
  ['key retired', { key: 1 }, {}, { kind: 'key', id: '1', did: 'retired' }],
  [
    'rollback accepted',
    { epoch: 2, seen: 99, found: 97 },
    {},
    { kind: 'store', id: '', did: 'rollback-accepted', epoch: 2, seen: 99, found: 97 },
  ],
  ['clock accepted', {}, {}, { kind: 'store', id: '', did: 'clock-accepted' }],
  ['store taken back', {}, {}, { kind: 'store', id: '', did: 'taken-back' }],
];

suite('an act of 0.1 or 0.2', () => {
  for (const [did, beside, columns, act] of READ)
    test(did, () => {
      const by: Author = { as: 'command', user: 'root' };
      assert.deepEqual(readAct({ ...beside, did, by: ROOT }, columns), { ...act, by });
    });
});

test('authors of 0.1 and 0.2', () => {
  const written: readonly [unknown, Author][] = [
    ['command root', { as: 'command', user: 'root' }],
    ['tessera init', { as: 'command' }],
    ['service', { as: 'service', why: 'start' }],
    ['quickstart', { as: 'service', why: 'quickstart' }],
    [undefined, { as: 'service', why: 'first-use' }],
    ['somebody', { as: 'command', user: 'somebody' }],
  ];
  for (const [by, author] of written) assert.deepEqual(readAuthor(by), author);
});

test('an act of this release is read as it was written', () => {
  const by: Author = { as: 'identity', id: 'local:{x}' as never, proof: 'certificate' };
  const act = { kind: 'resource-server', id: 'orders-api', did: 'secret-dropped', ended: ['aa'], by };
  assert.deepEqual(readAct(act, {}), act);
});

test('an act that this release does not know is kept as words', () => {
  const by: Author = { as: 'command', user: 'root' };
  for (const [detail, words] of [
    [{ kind: 'identity', id: ADA, did: 'merged', by }, 'merged'],
    [{ kind: 'policy', id: ADA, did: 'added', by }, 'added'],
  ] as const)
    assert.deepEqual(readAct(detail, {}), { kind: 'unknown', id: ADA, did: 'done', words, by });
});
