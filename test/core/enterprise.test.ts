// Assertions of an enterprise (ID-JAG): they limit the grant. And what any assertion may be used for.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { AcceptedAssertion } from '../../src/core/assertion.ts';
import type { ClientId } from '../../src/core/integration.ts';
import { checkAssertionUse, checkEnterprise, servedIntegration } from '../../src/core/rules/assertion.ts';
import type { WantedTarget } from '../../src/core/rules/scope.ts';
import { anIntegration, aResourceServer, CLIENT, ORDERS_AUDIENCE } from '../samples.ts';
import { assertOrder } from './ladder.ts';

type Enterprise = NonNullable<AcceptedAssertion['enterprise']>;
const enterprise = (difference: Partial<Enterprise> = {}) => ({ clientId: CLIENT, ...difference }) as Enterprise;
const ruleFor = (...integrations: string[]) => ({ integrations }) as unknown as AcceptedAssertion['rule'];
const rule = {} as AcceptedAssertion['rule'];

suite('an assertion of an enterprise', () => {
  function check(
    given: Enterprise | undefined,
    wanted: Partial<WantedTarget> = {},
    isAuthenticated = true,
    difference = {},
  ) {
    const asked: WantedTarget = { scope: 'orders:read', ...wanted };
    const outcome = checkEnterprise({ enterprise: given } as never, anIntegration(difference), isAuthenticated, asked);
    if (!outcome.ok) return outcome.refusal.reason;
    const { resource, within } = outcome.value;
    return [resource, within?.text];
  }

  test('is for the integration that it names, which authenticates unless the operator said otherwise', () => {
    const reasonOf = ({ by = enterprise({ resource: [ORDERS_AUDIENCE] }), isProven = true }) =>
      String(check(by, { resource: ['https://unknown.example'] }, isProven));
    assertOrder<Parameters<typeof reasonOf>[0]>('authorize-assertion', reasonOf, [
      ['resource-differs-from-grant', {}],
      ['client-authentication-required', { isProven: false }],
      ['assertion-of-another-integration', { by: enterprise({ clientId: 'other' as ClientId }) }],
    ]);
    assert.deepEqual(check(enterprise(), {}, false, { publicEnterprise: true }), [undefined, undefined]);
    assert.deepEqual(check(undefined, {}, false), [undefined, undefined], 'others limit nothing');
  });

  test('limits the resource servers', () => {
    const limited = enterprise({ resource: [ORDERS_AUDIENCE] as never });
    assert.deepEqual(check(limited), [[ORDERS_AUDIENCE], undefined]);
    assert.deepEqual(check(limited, { resource: [ORDERS_AUDIENCE] }), [[ORDERS_AUDIENCE], undefined]);
    const withSlash = [`${ORDERS_AUDIENCE}/`];
    assert.deepEqual(check(limited, { resource: withSlash }), [withSlash, undefined], 'RFC 3986 6.2.3');
    assert.equal(check(limited, { resource: [ORDERS_AUDIENCE, 'urn:other'] }), 'resource-differs-from-grant');
    assert.deepEqual(check(enterprise(), { resource: ['urn:any'] }), [['urn:any'], undefined]);
  });

  test('limits the scope to what can be one here', () => {
    assert.deepEqual(check(enterprise({ scope: 'orders:read : stock' })), [undefined, 'orders:read;stock']);
    assert.equal(check(enterprise({ scope: ':' })), 'scope-exceeds-grant');
  });
});

suite('an assertion', () => {
  test('without a client id is for the only integration of its rule', () => {
    const served = (...integrations: string[]) => {
      const outcome = servedIntegration({ rule: ruleFor(...integrations) });
      return outcome.ok ? outcome.value : outcome.refusal.reason;
    };
    assert.equal(served('a'), 'a');
    assert.equal(served('a', 'b'), 'client-id-missing');
    assert.equal(served(), 'client-id-missing');
  });

  test('is used for integrations of its rule, and for what exists', () => {
    const use = (given: Partial<AcceptedAssertion>, wanted: Partial<WantedTarget> = {}) => {
      const asked: WantedTarget = { scope: 'orders:read', ...wanted };
      const outcome = checkAssertionUse({ rule, ...given }, anIntegration(), asked, [aResourceServer()]);
      return outcome.ok ? outcome.value.scope.text : outcome.refusal.reason;
    };
    assert.equal(use({}), 'orders:read');
    assert.equal(use({ rule: ruleFor(CLIENT) }), 'orders:read');
    assert.equal(use({ rule: ruleFor('other') }), 'token-issuer-not-for-integration');
    assert.equal(use({}, { resource: ['urn:none'] }), 'resource-unknown');
    assert.equal(use({ enterprise: enterprise() }, { resource: ['urn:none'] }), 'assertion-audience-wrong', 'ID-JAG 5');
    assert.equal(use({ enterprise: enterprise() }, { scope: 'other' }), 'scope-exceeds-integration');
    assert.equal(use({ enterprise: enterprise() }), 'orders:read');
  });
});
