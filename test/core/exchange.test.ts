// Token exchange (RFC 8693): who may exchange which token, and for what.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Hex } from '../../src/core/hex.ts';
import type { IdentityId } from '../../src/core/identity.ts';
import type { ClientId, Integration } from '../../src/core/integration.ts';
import type { Audience, ResourceServerId } from '../../src/core/resource-server.ts';
import type { CheckedAccess } from '../../src/core/rules/access.ts';
import { decideExchange, type ExchangeFacts, scopeOfExchanged } from '../../src/core/rules/exchange.ts';
import { WHOLE_SCOPE } from '../../src/core/rules/scope.ts';
import { aGrant, anIdentity, anIntegration, aResourceServer, CLIENT, ORDERS_AUDIENCE, scopeOf } from '../samples.ts';
import { assertOrder } from './ladder.ts';

const API = 'orders-backend' as ClientId;
const STOCK_AUDIENCE = 'https://stock.example' as Audience;
const servers = [
  aResourceServer(),
  aResourceServer({ id: 'stock-api' as ResourceServerId, audience: STOCK_AUDIENCE, resources: ['stock'] }),
];
/** The integration of the API that received the token. */
const ours = (difference: Partial<Integration> = {}) =>
  anIntegration({ clientId: API, resourceServer: 'orders-api' as ResourceServerId, ...difference });
const api = anIdentity({ id: 'integration:api' as IdentityId });
const exchange = [{ integration: API, scope: 'stock:read;orders:read' }];

/** A token for the orders API, of a person. */
const subjectOf = (difference: Partial<CheckedAccess> = {}): CheckedAccess => ({
  ...{ grant: aGrant({ scope: 'orders:read;stock:read' }), integration: anIntegration({ exchange }) },
  ...{ holder: anIdentity(), binding: {} as CheckedAccess['binding'], scope: scopeOf('orders:read;stock:read') },
  ...difference,
});

function decide(difference: Partial<ExchangeFacts> = {}, caller: Partial<ExchangeFacts['caller']> = {}) {
  const outcome = decideExchange({
    ...{ subject: subjectOf(), audience: undefined, wanted: { scope: WHOLE_SCOPE }, resourceServers: servers },
    caller: { integration: ours(), identity: api, ...caller },
    ...difference,
  });
  return outcome.ok ? outcome.value.scope.text : outcome.refusal.reason;
}

const grantWith = (resource: readonly Audience[]) => aGrant({ resource, scope: 'orders:read;stock:read' });

suite('an API exchanges a token', () => {
  test('that it received, for one within it and within what its integration lets the API have', () => {
    assert.equal(decide(), 'orders:read;stock:read');
    assert.equal(decide({ wanted: { scope: 'stock:read' } }), 'stock:read');
    assert.equal(decide({ wanted: { scope: 'stock:write' } }), 'scope-exceeds-integration');
    const narrow = anIntegration({ exchange: [{ integration: API, scope: 'stock:read' }] });
    const subject = subjectOf({ integration: narrow });
    assert.equal(decide({ subject, wanted: { scope: 'orders:read' } }), 'scope-exceeds-grant');
    assert.equal(decide({ subject: subjectOf({ scope: scopeOf('orders:read') }) }), 'orders:read');
  });

  test('only after checks in their order', () => {
    const barred = { integration: ours(), identity: anIdentity({ enabled: false }) };
    const unlisted = subjectOf({ integration: anIntegration() });
    assertOrder('exchange', decide, [
      ['identity-disabled', { caller: barred }],
      ['resource-unknown', { wanted: { scope: WHOLE_SCOPE, resource: ['https://unknown.example'] } }],
      ['scope-exceeds-integration', { wanted: { scope: 'stock:write', resource: ['https://unknown.example'] } }],
      ['exchange-not-allowed', { subject: unlisted }],
      ['subject-token-invalid', { subject: { ...unlisted, scope: scopeOf('stock:read') } }],
    ]);
  });

  test('only if the API has a resource server, which the token is for', () => {
    for (const resourceServer of [undefined, 'other' as ResourceServerId])
      assert.equal(decide({}, { integration: { ...ours(), resourceServer } as Integration }), 'exchange-not-allowed');
    assert.equal(decide({ subject: subjectOf({ scope: scopeOf('stock:read') }) }), 'subject-token-invalid');
  });

  test('only if the token names the API where it names any: in itself, or else by its grant', () => {
    const ofGrant = (...resource: Audience[]) => subjectOf({ grant: grantWith(resource) });
    assert.equal(decide({ subject: ofGrant(ORDERS_AUDIENCE) }), 'orders:read;stock:read');
    assert.equal(decide({ subject: ofGrant(STOCK_AUDIENCE) }), 'subject-token-invalid');
    assert.equal(decide({ audience: [STOCK_AUDIENCE] }), 'subject-token-invalid');
    assert.equal(decide({ audience: [ORDERS_AUDIENCE], subject: ofGrant(STOCK_AUDIENCE) }), 'orders:read;stock:read');
    assert.equal(decide({ audience: [STOCK_AUDIENCE], subject: ofGrant(ORDERS_AUDIENCE) }), 'subject-token-invalid');
  });

  test('only if the integration of the token lets this API do so', () => {
    const other = [{ integration: CLIENT, scope: 'orders:read' }];
    for (const entries of [[], other])
      assert.equal(
        decide({ subject: subjectOf({ integration: anIntegration({ exchange: entries }) }) }),
        'exchange-not-allowed',
      );
    assert.equal(decide({ subject: subjectOf({ integration: anIntegration() }) }), 'exchange-not-allowed');
    const nothing = anIntegration({ exchange: [{ integration: API, scope: 'other:read' }] });
    assert.equal(decide({ subject: subjectOf({ integration: nothing }) }), 'scope-exceeds-grant');
  });

  test('only while the API and the person may use its integration', () => {
    assert.equal(decide({}, { identity: anIdentity({ enabled: false }) }), 'identity-disabled');
    assert.equal(decide({ subject: subjectOf({ holder: anIdentity({ enabled: false }) }) }), 'identity-disabled');
    const access = { to: 'named', identities: [api.id], groups: [] } as unknown as Integration['access'];
    assert.equal(decide({}, { integration: ours({ access }) }), 'identity-without-integration-access');
  });

  test('and the new one names who acts, four APIs in a row at most', () => {
    const chain = (length: number): object | undefined =>
      length === 0 ? undefined : { identityId: api.id, clientId: API, actor: chain(length - 1) };
    const of = (length: number) =>
      subjectOf({ grant: aGrant({ terms: { actor: chain(length) } as never, scope: 'orders:read' }) });
    assert.equal(decide({ subject: of(3) }), 'orders:read;stock:read');
    assert.equal(decide({ subject: of(4) }), 'exchange-not-allowed');
    const facts = { audience: undefined, wanted: { scope: WHOLE_SCOPE }, resourceServers: servers } as const;
    const made = decideExchange({ ...facts, subject: of(1), caller: { integration: ours(), identity: api } });
    assert.deepEqual(made.ok && made.value.actor, { identityId: api.id, clientId: API, actor: chain(1) });
    const first = decideExchange({ ...facts, subject: subjectOf(), caller: { integration: ours(), identity: api } });
    assert.deepEqual(first.ok && first.value.actor, { identityId: api.id, clientId: API });
  });

  test('that is bound only for one that is bound to the API', () => {
    const byCertificate = subjectOf({ binding: { thumbprint: 'aa' } as never });
    const byKey = subjectOf({ grant: aGrant({ terms: { jkt: 'k' } as never, scope: 'orders:read' }) });
    for (const subject of [byCertificate, byKey]) {
      assert.equal(decide({ subject }), 'exchange-unbound');
      assert.equal(decide({ subject }, { jkt: 'ours' }), 'orders:read;stock:read');
      assert.equal(decide({ subject }, { thumbprint: 'bb' as Hex }), 'orders:read;stock:read');
    }
    assert.equal(decide({}, { integration: ours({ binding: 'dpop' }) }), 'dpop-proof-missing');
  });
});

suite('an exchanged token allows', () => {
  const child = subjectOf({ integration: ours(), scope: scopeOf('orders:read;stock:read') });
  const allows = (subject: CheckedAccess, actor = api, of = child) => {
    const outcome = scopeOfExchanged(of, subject, actor, servers);
    return outcome.ok ? outcome.value.text : outcome.refusal.reason;
  };

  test('no more than its parent does now', () => {
    assert.equal(allows(subjectOf()), 'orders:read;stock:read');
    assert.equal(allows(subjectOf({ scope: scopeOf('orders:read') })), 'orders:read');
    const narrowed = anIntegration({ exchange: [{ integration: API, scope: 'stock:read' }] });
    assert.equal(allows(subjectOf({ integration: narrowed })), 'stock:read');
  });

  test('nothing once the parent is not for the API any more, or may not be exchanged', () => {
    const gone = 'scope-no-longer-allowed';
    assert.equal(allows(subjectOf({ scope: scopeOf('stock:read') })), gone);
    assert.equal(allows(subjectOf({ grant: grantWith([STOCK_AUDIENCE]) })), gone);
    assert.equal(allows(subjectOf({ integration: anIntegration() })), gone);
    assert.equal(allows(subjectOf(), api, { ...child, integration: anIntegration() }), gone);
    assert.equal(allows(subjectOf(), anIdentity({ enabled: false })), 'identity-disabled');
  });
});
