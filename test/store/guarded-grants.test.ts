// A rolling upgrade: what a node of 0.2 or 0.3.3 beside this one makes of rows that it does not understand.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { ClientUrl } from '../../src/core/client-document.ts';
import type { Grant, GrantId } from '../../src/core/grant.ts';
import type { Hex } from '../../src/core/hex.ts';
import type { Integration } from '../../src/core/integration.ts';
import { parseScope } from '../../src/core/scope.ts';
import type { TokenIssuer } from '../../src/core/token-issuer.ts';
import { encodeRow, type Value } from '../../src/store/table.ts';
import { grants } from '../../src/store/tables/grants.ts';
import { integrations, markedIntegrations } from '../../src/store/tables/integrations.ts';
import { tokenIssuers } from '../../src/store/tables/token-issuers.ts';
import { aTokenIssuer } from '../platform.ts';
import { aGrant, anIdentity, anIntegration, NOW, scopeOf } from '../samples.ts';

const HASH = `${'0'.repeat(63)}1` as Hex;

function valuesOf(grant: Grant): Record<string, Value> {
  const values = encodeRow(grants, grant);
  return Object.fromEntries(grants.columns.map(({ name }, index) => [name, values[index] ?? null]));
}

/** What 0.2 reads: whether an opaque or JWT access token fits the row, and whether it would refresh. */
function readBy02(grant: Grant) {
  const { format, refreshable, access_hash: hash } = valuesOf(grant);
  const read = ['opaque', 'jwt'][format as number] ?? 'opaque';
  return { accepts: read === 'jwt' || hash === grant.accessHash, refreshes: refreshable === 1 };
}

const parent = { grantId: aGrant().id as GrantId, generation: 0 };
const guarded: Readonly<Record<string, Partial<Grant>>> = {
  'bound to a key': { terms: { jkt: 'key' } },
  'of a guest': { origin: { kind: 'code', guest: 'https://agents.example.com/client.json' as ClientUrl } },
  exchanged: { origin: { kind: 'exchange' }, terms: { parent } },
  'of a client that must authenticate': { origin: { kind: 'client', proof: 'key' } },
};

suite('a node of 0.2', () => {
  for (const [name, difference] of Object.entries(guarded))
    for (const format of ['opaque', 'jwt'] as const)
      test(`accepts no ${format} token of a grant that is ${name}, and does not refresh it`, () => {
        const grant = aGrant({ ...difference, format, accessHash: HASH });
        assert.deepEqual(readBy02(grant), { accepts: false, refreshes: false });
        const values = encodeRow(grants, grant);
        assert.deepEqual(grants.decode(values, anIdentity()), grant);
      });

  test('reads every other grant as before', () => {
    for (const format of ['opaque', 'jwt'] as const)
      assert.deepEqual(readBy02(aGrant({ format, accessHash: HASH })), { accepts: true, refreshes: true });
    const client = aGrant({ origin: { kind: 'client', proof: 'secret' }, refreshable: false, accessHash: HASH });
    assert.equal(readBy02(client).accepts, true);
  });

  test('finds every flow of an integration that needs DPoP off', () => {
    const flows = { device: true, certificate: true, assertion: true };
    const integration = anIntegration({ flows, binding: 'dpop' });
    const row = encodeRow(integrations, integration);
    const stored = JSON.parse(String(row[1])) as Integration;
    assert.deepEqual(
      [stored.flows.device, stored.flows.certificate, stored.flows.assertion],
      [false, false, undefined],
    );
    assert.equal(stored.binding, 'certificate');
    assert.deepEqual(integrations.decode(row, undefined), integration);
  });

  test('finds a rule that nothing meets of a token issuer whose settings it does not know, and keeps them when it changes one', () => {
    for (const added of [{ kind: 'enterprise' }, { tokenEndpointAudience: true }] as const) {
      const tokenIssuer = aTokenIssuer(added);
      const [label = null, body] = encodeRow(tokenIssuers, tokenIssuer);
      const { issuer, keys, algorithms, assertions, rules, enabled } = JSON.parse(String(body)) as TokenIssuer;
      assert.deepEqual(
        rules.map(({ conditions }) => conditions),
        [[{ claim: '/iss', test: { oneOf: [] } }]],
      );
      assert.deepEqual(tokenIssuers.decode([label, body ?? null], undefined), tokenIssuer);
      // `token-issuer change` of 0.2 makes a new row of the members that it knows.
      const known = { issuer, keys, algorithms, assertions, rules, enabled, maxAssertionLifetime: 60 };
      const read = tokenIssuers.decode([label, JSON.stringify(known)], undefined);
      assert.deepEqual(read, { ...tokenIssuer, maxAssertionLifetime: 60 });
    }
    const [, body] = encodeRow(tokenIssuers, aTokenIssuer());
    assert.equal((JSON.parse(String(body)) as TokenIssuer).rules.length, 1);
  });

  test('reads integrations with keys, secrets and opaque scope, and keeps them when it changes one', () => {
    const added: Partial<Integration> = {
      confidential: true,
      keys: { from: 'file', set: '{"keys":[{"kid":"k1"}]}' },
      secrets: [{ hash: HASH, createdAt: NOW, endsAt: NOW }],
      exchange: [{ integration: anIntegration().clientId, scope: 'a:b' }],
    };
    for (const scope of ['orders:read;api://orders/.default', 'api://orders/.default']) {
      const integration = anIntegration({ ...added, scope: scopeOf(scope) });
      const [clientId, body] = encodeRow(integrations, integration);
      const stored = JSON.parse(String(body)) as Integration & { scope: string };
      assert.ok(!stored.scope.includes('/') && parseScope(stored.scope));
      // `integration change` of 0.2 makes a new row of the members that it knows.
      const { name, description, vendor, enabled, flows, access, binding, accessTokenFormat, overrides } = stored;
      const known = { name, description, vendor, enabled, flows, access, binding, accessTokenFormat, overrides };
      const rewritten = JSON.stringify({ ...known, scope: stored.scope, vendor: 'Other' });
      const read = integrations.decode([clientId ?? null, rewritten], undefined);
      assert.deepEqual({ ...read, vendor: integration.vendor }, { ...integration, scope: read.scope });
      assert.equal(read.scope.text, scope);
    }
  });
});

/** A row as 0.3.0 to 0.3.3 read it: what they do not know below `flows.added` is a member of it. */
interface RowOf033 {
  readonly flows: Integration['flows'];
  readonly keys?: { readonly set: string } | undefined;
  readonly secrets?: readonly { readonly endsAt: number }[] | undefined;
}

function readBy033(integration: Integration) {
  const { flows, ...rest } = JSON.parse(String(encodeRow(integrations, integration)[1]));
  const { added = {}, ...own } = flows;
  const row = { ...rest, flows: own, ...added } as RowOf033;
  return { row, isConfidential: row.keys !== undefined || (own.secret === true && (row.secrets ?? []).length > 0) };
}

function writtenBy033({ keys, secrets, flows, ...rest }: RowOf033): Integration & { readonly isMarked: boolean } {
  const body = JSON.stringify({ ...rest, flows: { ...flows, added: { keys, secrets } } });
  return markedIntegrations.decode([anIntegration().clientId, body], undefined);
}

suite('a node of 0.3.3', () => {
  const flows = { device: true, certificate: true };
  const secrets = [{ hash: HASH, createdAt: NOW, endsAt: NOW }];
  const keys = { from: 'file', set: '{"keys":[{"kid":"k1"}]}' } as const;
  const confidential = true;
  const proved: readonly Partial<Integration>[] = [
    {},
    { keys },
    { flows: { ...flows, secret: true } },
    { flows: { ...flows, secret: true }, secrets },
    { keys, secrets },
  ];

  test('is closed to the client id alone of what is confidential here', () => {
    for (const difference of proved)
      assert.equal(readBy033(anIntegration({ ...difference, confidential })).isConfidential, true);
    assert.equal(readBy033(anIntegration()).isConfidential, false);
  });

  test('opens nothing here when it removes the last key, and turns secrets off', () => {
    for (const difference of proved) {
      const { row } = readBy033(anIntegration({ ...difference, confidential }));
      const { keys: _, ...withoutKeys } = row;
      const read = writtenBy033({ ...withoutKeys, flows });
      assert.deepEqual([read.confidential, read.isMarked, read.keys], [true, true, undefined]);
    }
    assert.equal(writtenBy033(readBy033(anIntegration()).row).confidential, false);
  });

  test('shows no member that it would refuse when it is sent back', () => {
    const known = Object.keys(readBy033(anIntegration({ keys, secrets })).row);
    for (const difference of proved)
      for (const name of Object.keys(readBy033(anIntegration({ ...difference, confidential })).row))
        assert.ok(known.includes(name), name);
  });
});
