// Every row is read as it was written. Without a database: what back ends do with the values is in conformance/.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Event } from '../../src/core/event.ts';
import type { Grant } from '../../src/core/grant.ts';
import type { Identity } from '../../src/core/identity.ts';
import type { Integration } from '../../src/core/integration.ts';
import { presenter } from '../../src/core/presenter.ts';
import { epochSeconds, seconds } from '../../src/core/time.ts';
import { type AnyTable, encodeRow, hexDigits, hexKey, selectedColumns, staysNull } from '../../src/store/table.ts';
import { devices } from '../../src/store/tables/devices.ts';
import { decodeEvent, encodeEvent, readAct } from '../../src/store/tables/events.ts';
import { figures, refusalCounts, stretchKey } from '../../src/store/tables/figures.ts';
import { grants } from '../../src/store/tables/grants.ts';
import { groupsOf, identities, identityKey, pushedGroups } from '../../src/store/tables/identities.ts';
import { integrations } from '../../src/store/tables/integrations.ts';
import { keySets, revocationLists } from '../../src/store/tables/revocation-lists.ts';
import { serviceTimes } from '../../src/store/tables/service-times.ts';
import { sessions } from '../../src/store/tables/sessions.ts';
import { keyMarks, signingKeys } from '../../src/store/tables/signing-keys.ts';
import { tokenIssuers } from '../../src/store/tables/token-issuers.ts';
import { ADA, aDevice, aGrant, anIdentity, anIntegration, hexOf, NOW, scopeOf } from '../samples.ts';

const at = (offset: number) => epochSeconds(NOW + offset);

/** Unread columns are selected as NULL. */
function again(table: AnyTable, row: unknown): unknown {
  const values = encodeRow(table, row).map((value, n) => (table.columns[n]?.unread ? null : value));
  return table.decode(values, table.companion ? anIdentity() : undefined);
}

test('columns that serve joins and conditions alone are not read', () => {
  const read = selectedColumns(grants as AnyTable, (from, { name }) => `${from}.${name}`);
  for (const name of ['t.client_id', 'c.enabled']) assert.ok(read.includes(name), name);
  for (const name of ['t.holder', 'c.key', 'c.directory']) assert.ok(!read.includes(name), name);
});

const bound = [{ since: 4, thumbprint: hexOf(32, 1) }, { since: 0 }];
const mark = { certificate: hexOf(16, 1), issuerKey: hexOf(16, 2), key: hexOf(32, 3) };
const { pair } = aGrant();
const GRANTS: readonly Partial<Grant>[] = [
  {},
  { origin: { kind: 'certificate', certificate: mark } },
  { origin: { kind: 'assertion', assertion: { tokenIssuer: 'ci', subject: hexOf(16, 4) } } },
  { origin: { kind: 'client', proof: 'key' } },
  { origin: { kind: 'client', proof: 'secret' }, refreshable: false },
  { origin: { kind: 'exchange' }, terms: { parent: hexOf(16) } as never },
  { origin: { kind: 'code' } },
  { origin: { kind: 'code', proof: 'passkey' } },
  { origin: { kind: 'code', guest: 'https://client.example/x' as never } },
  { origin: { kind: 'code', guest: 'https://client.example/x' as never, withKey: true } },
  { format: 'jwt', pair: { ...pair, jwt: { audience: ['urn:a', 'urn:b'], signingKey: 'k' } } },
  { format: 'jwt', terms: { jkt: 'k' } as never, accessHash: `${'0'.repeat(62)}12` as never },
  { refreshable: false },
  { revoked: { at: NOW, reason: 'reuse' } },
  { resource: ['urn:a', 'urn:b'] as never },
  { bindings: [{ since: 0, thumbprint: hexOf(32, 1) }] },
  { bindings: bound },
  { siblings: { marks: { since: 4, at: NOW, before: { since: 2, until: at(-9) } } } },
  { siblings: { programs: [{ since: NOW, presenter: presenter('192.0.2.7', 'curl/8 "x"') }] } },
];

suite('a grant', () => {
  for (const [n, difference] of GRANTS.entries())
    test(`${n + 1}: ${JSON.stringify(difference).slice(0, 80)}`, () => {
      const grant = aGrant(difference);
      assert.deepEqual(again(grants, grant), grant);
    });

  test('without its identity is a fault', () => {
    assert.throws(() => grants.decode(encodeRow(grants, aGrant()), undefined), /identity is missing/);
  });
});

const flows = { device: true, certificate: false, code: { redirectUris: ['https://a.example/'] } };
const INTEGRATIONS: readonly Partial<Integration>[] = [
  {},
  { flows, access: { to: 'named', identities: [ADA], groups: ['x'] } },
  { binding: 'dpop', flows },
  { confidential: true },
  {
    confidential: true,
    secrets: [{ hash: hexOf(32), createdAt: NOW, endsAt: at(9) }],
    secretAddresses: ['10.0.0.0/8'],
  },
  { confidential: true, keys: { from: 'file', set: '{}' }, tokenEndpointAudience: true, publicEnterprise: true },
  { resourceServer: 'orders-api' as never, exchange: [{ integration: 'x' as never, scope: 'a' }] },
  { scope: scopeOf('api://x/.default') },
  { scope: scopeOf('orders:read;api://x/.default') },
  { enabled: false, disabledByOwner: true, removed: true, owners: ['a'] },
];

suite('an integration', () => {
  for (const [n, difference] of INTEGRATIONS.entries())
    test(`${n + 1}: ${JSON.stringify(difference).slice(0, 80)}`, () => {
      const row = anIntegration(difference);
      const { scope, ...rest } = again(integrations, row) as Integration;
      const { scope: expected, ...others } = row;
      assert.deepEqual(rest, others);
      assert.deepEqual([scope.text, scope.resources], [expected.text, expected.resources]);
    });

  test('with a malformed scope is a fault', () => {
    assert.throws(() => integrations.decode(['x', '{"scope":":","flows":{}}'], undefined), /malformed scope/);
  });
});

const rule = { conditions: [], identity: '{/sub}', identities: 'derived' } as const;
const platform = {
  ...{ label: 'ci', issuer: 'https://ci.example', keys: { from: 'discovery' }, algorithms: ['ES256'] },
  ...{ assertions: 'once', maxAssertionLifetime: seconds(60), rules: [rule], enabled: true },
};
const user = { userName: 'ada', active: true, emails: [] };
/** Every field: one without a column would be lost. */
const wholeIdentity: Required<Identity> = {
  ...{ id: ADA, enabled: true, mayUseApi: true, groups: ['staff'], userName: 'ada', email: 'a@b.example', upn: 'a@b' },
  ...{ seenAt: NOW, endedAt: at(1), pushed: user },
};
const ROWS: readonly (readonly [string, AnyTable, readonly object[]])[] = [
  ['an identity', identities, [anIdentity(), { id: ADA, enabled: false, mayUseApi: false, groups: [] }, wholeIdentity]],
  [
    'a device authorization',
    devices,
    [
      aDevice(),
      aDevice({ lastPolledAt: NOW, enteredBy: 's', resource: ['urn:a'] as never, failedSignIns: 2 }),
      ...(['confirmed', 'denied', 'redeemed'] as const).map((is) => aDevice({ decision: { is, by: ADA, at: NOW } })),
      aDevice({ decision: { is: 'confirmed', by: ADA, at: NOW, proof: 'passkey' } }),
      aDevice({ decision: { is: 'spent', at: NOW } }),
    ],
  ],
  [
    'a session',
    sessions,
    [NOW, at(5)].map((proved) => ({
      ...{ id: hexOf(32), identityId: ADA, createdAt: NOW, seenAt: at(1), endsAt: at(2) },
      proof: { by: 'passkey', at: proved },
    })),
  ],
  [
    'a token issuer',
    tokenIssuers,
    [platform, { ...platform, kind: 'enterprise' }, { ...platform, tokenEndpointAudience: true }],
  ],
  [
    'a signing key',
    signingKeys,
    [{}, { signsFrom: at(1) }, { signsFrom: at(1), removedAt: at(2) }].map((more) => ({
      ...{ id: 'k', algorithm: 'ES256', publicKey: { kty: 'EC' }, publishedAt: NOW },
      ...more,
    })),
  ],
  ['a MAC key', keyMarks, [true, false].map((retired) => ({ id: 3, fingerprint: 'ab', retired }))],
  [
    'a key set',
    keySets,
    [{}, { failure: 'away' }, { fetched: { at: at(1), text: '{}' } }].map((more) => ({
      name: 'ci',
      checkedAt: NOW,
      ...more,
    })),
  ],
  [
    'a revocation list',
    revocationLists,
    [{}, { failure: 'away', mark: 'ab' }].map((more) => ({
      ...{ url: 'http://a.example/', askedAt: NOW, checkedAt: at(1), renewAt: at(2) },
      ...more,
    })),
  ],
  [
    'service times',
    serviceTimes,
    [
      { seenAt: NOW, outages: [] },
      {
        seenAt: NOW,
        outages: [
          { silentFrom: NOW, answeringSince: at(1) },
          { silentFrom: NOW, answeringSince: at(2), of: 'g' },
        ],
      },
    ],
  ],
  ['a group', pushedGroups, [{ id: 'corp/aa', directory: 'corp', displayName: 'Staff' }]],
  ['figures', figures, [{ step: 60, at: NOW, node: 'n', version: '1', lag: 0, counts: { a: 1 }, endsAt: at(9) }]],
  [
    'a count of refusals',
    refusalCounts,
    [{ key: 'k', clientId: 'c', identityId: '', reason: 'r', count: 1, first: NOW, last: NOW, lastRequestId: '' }],
  ],
];
for (const [what, table, rows] of ROWS)
  test(`${what} is read as it was written`, () => {
    for (const row of rows) assert.deepEqual(again(table, row), row);
  });

test('keys are in the order of their times, and names of groups ignore case', () => {
  const key = (moment: number, node?: string) =>
    stretchKey({ step: 60, at: epochSeconds(moment), ...(node && { node }) });
  assert.ok(key(999) < key(1000) && key(1000) < key(1000, 'n'));
  assert.equal(groupsOf.name('corp', 'STAFF').value, groupsOf.name('corp', 'staff').value);
  const gone = encodeRow(pushedGroups, { id: 'x', directory: 'corp', displayName: 'S', isGone: true });
  assert.deepEqual(gone.slice(1, 3), [null, null]);
  assert.equal(encodeRow(refusalCounts, { last: NOW })[2], NOW + 30 * 86_400);
  assert.equal(encodeRow(identities, anIdentity())[0], identityKey(ADA));
  assert.equal(encodeRow(identities, anIdentity({ seenAt: NOW }))[8], 'local');
});

suite('an event', () => {
  const by = presenter('192.0.2.7', 'curl 8');
  const EVENTS: readonly object[] = [
    { type: 'refreshed' },
    { type: 'refreshed', requestId: 'r' },
    { type: 'refreshed', requestId: 'r', presenter: { ...by, traceId: 't' } },
    { type: 'spent', presenter: { ...by, traceId: 't' } },
    { type: 'retried', detail: { firstAddress: 'a', firstAgent: 'b', alarm: true }, requestId: 'r', presenter: by },
    { type: 'revoked', detail: { reason: 'reuse', scope: 'a:x' }, clientId: 'c', identityId: ADA, subjectId: 'aa' },
    { type: 'revoked', detail: { reason: 'by-operator', by: { as: 'command', user: 'root' } } },
    {
      type: 'administered',
      detail: { kind: 'integration', did: 'enabled', id: 'till', by: { as: 'command' } },
      clientId: 'till',
    },
  ];
  for (const event of EVENTS)
    test(JSON.stringify(event).slice(0, 100), () => {
      const values = encodeEvent({ at: NOW, ...event } as Event);
      assert.deepEqual(decodeEvent([7, ...values]), { sequence: 7, at: NOW, ...event });
    });
});

test('an act that this release does not know, or that one before 0.3 wrote, is kept as words', () => {
  const by = { as: 'command', user: 'root' } as const;
  for (const [detail, id, words] of [
    [{ kind: 'identity', id: ADA, did: 'merged', by }, ADA, 'merged'],
    [{ kind: 'policy', id: ADA, did: 'added', by }, ADA, 'added'],
    [{ did: 'issuer approved', issuer: 'corp', by: 'root' }, '', 'issuer approved'],
  ] as const)
    assert.deepEqual(readAct(detail), { kind: 'unknown', id, did: 'done', words, by });
});

test('hex digits are checked before they become bytes', () => {
  assert.deepEqual([hexKey('0aFF'), hexKey('abc'), hexKey('xy'), hexKey('')], ['0aFF', null, null, null]);
  assert.equal(hexDigits(null), null);
  assert.equal(hexDigits('ab'), 'ab');
  assert.throws(() => hexDigits('x'), /not hex digits/);
});

test('columns that stay null need not be written', () => {
  const rare = grants.columns.filter((column) => column.rare);
  assert.equal(staysNull(rare, aGrant(), aGrant()), true);
  assert.equal(staysNull(rare, undefined, aGrant()), false);
  const revoked = aGrant({ revoked: { at: NOW, reason: 'reuse' } });
  for (const [before, after] of [
    [aGrant(), revoked],
    [revoked, aGrant()],
  ] as const)
    assert.equal(staysNull(rare, before, after), false);
});
