// A rolling upgrade: rows that 0.3.0 to 0.3.4 wrote, and what a node of 0.3.3 beside this one makes of ours.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { ClientUrl } from '../../src/core/client-document.ts';
import type { Grant } from '../../src/core/grant.ts';
import type { Hex } from '../../src/core/hex.ts';
import type { Integration } from '../../src/core/integration.ts';
import { encodeRow, type Value } from '../../src/store/table.ts';
import { grants } from '../../src/store/tables/grants.ts';
import { integrations, markedIntegrations } from '../../src/store/tables/integrations.ts';
import { tokenIssuers } from '../../src/store/tables/token-issuers.ts';
import { aTokenIssuer } from '../platform.ts';
import { aGrant, anIdentity, anIntegration, aResourceServer, NOW, scopeOf } from '../samples.ts';

const HASH = `${'0'.repeat(63)}1` as Hex;

suite('of a row that 0.3.0 to 0.3.4 wrote for releases before them, this one reads', () => {
  const guarded: readonly Partial<Grant>[] = [
    { terms: { jkt: 'key' } },
    { origin: { kind: 'code', guest: 'https://agents.example.com/client.json' as ClientUrl } },
  ];
  for (const difference of guarded)
    for (const [code, format] of ['opaque', 'jwt'].entries())
      test(`a grant with ${Object.keys(difference)} and ${format} tokens`, () => {
        const grant = aGrant({ ...difference, format: format as Grant['format'], accessHash: HASH });
        const written: Record<string, Value> = { format: code + 2, refreshable: 2, access_hash: `1${'0'.repeat(63)}` };
        const plain = encodeRow(grants, grant);
        const values = grants.columns.map(({ name }, index) => written[name] ?? plain[index] ?? null);
        assert.notDeepEqual(values, plain);
        for (const each of [values, plain]) assert.deepEqual(grants.decode(each, anIdentity()), grant);
      });

  const flows = { device: true, certificate: true, assertion: true };
  const off = { device: false, certificate: false };
  const resourceServer = aResourceServer().id;
  const opaqueScope = ['api://orders/.default'];
  const changed: readonly [Partial<Integration>, object][] = [
    [
      { binding: 'dpop', flows },
      { binding: 'certificate', flows: { ...off, added: { binding: 'dpop', flows } } },
    ],
    [
      { flows, scope: scopeOf('orders:read;api://orders/.default') },
      { flows: { ...flows, added: { opaqueScope } }, scope: 'orders:read' },
    ],
    [
      { flows, scope: scopeOf('api://orders/.default'), resourceServer },
      { flows: { ...flows, added: { opaqueScope, resourceServer } }, scope: 'opaque' },
    ],
  ];
  for (const [difference, written] of changed)
    test(`an integration with ${Object.keys(difference)}`, () => {
      const integration = anIntegration(difference);
      const [clientId = null, body] = encodeRow(integrations, integration);
      const row = { ...JSON.parse(String(body)), resourceServer: undefined, ...written };
      assert.deepEqual(integrations.decode([clientId, JSON.stringify(row)], undefined), integration);
      assert.deepEqual(integrations.decode([clientId, body ?? null], undefined), integration);
    });

  for (const added of [{ kind: 'enterprise' }, { tokenEndpointAudience: true }] as const)
    test(`a token issuer with ${Object.keys(added)}`, () => {
      const tokenIssuer = aTokenIssuer(added);
      const [label = null, body] = encodeRow(tokenIssuers, tokenIssuer);
      const unmet = { conditions: [{ claim: '/iss', test: { oneOf: [] } }], identity: '{/sub}', identities: 'derived' };
      const { kind: _, tokenEndpointAudience: __, rules, ...known } = JSON.parse(String(body));
      const row = JSON.stringify({ ...known, rules: [{ ...unmet, added: { ...added, rules } }] });
      for (const each of [row, String(body)])
        assert.deepEqual(tokenIssuers.decode([label, each], undefined), tokenIssuer);
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
