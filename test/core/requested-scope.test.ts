// The scope that a request gets, and who may have it.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Identity } from '../../src/core/identity.ts';
import type { Integration } from '../../src/core/integration.ts';
import { identityAccess, whyNotAllowed } from '../../src/core/rules/identity.ts';
import { checkScopeOfRefresh, requestedTarget, type WantedTarget, WHOLE_SCOPE } from '../../src/core/rules/scope.ts';
import { ADA, anIdentity, anIntegration, aResourceServer, ORDERS_AUDIENCE, scopeOf } from '../samples.ts';

const integration = anIntegration(); // orders:read,write;stock:read

function requested(scope: WantedTarget['scope'], more: Partial<WantedTarget> = {}, of: Integration = integration) {
  const outcome = requestedTarget({ scope, ...more }, of, [aResourceServer()]);
  return outcome.ok ? outcome.value.scope.text : outcome.refusal.reason;
}

suite('a request gets', () => {
  test('what it names, within the scope of the integration [contract 2.2]', () => {
    assert.equal(requested('orders:read'), 'orders:read');
    assert.equal(requested('Orders:read;stock'), 'Orders:read;stock');
    assert.equal(requested('orders:delete'), 'scope-exceeds-integration');
    assert.equal(requested('orders:'), 'scope-malformed');
    for (const missing of [undefined, ''] as const)
      assert.equal(requested(missing, { isPlain: true }), 'scope-missing');
    assert.equal(requested(undefined), 'scope-missing');
  });

  test('within a limit, if there is one', () => {
    const within = scopeOf('orders:read');
    assert.equal(requested('orders:read', { within }), 'orders:read');
    assert.equal(requested('orders:write', { within }), 'scope-exceeds-grant');
    assert.equal(requested(WHOLE_SCOPE, { within }), 'orders:read');
    assert.equal(requested(WHOLE_SCOPE, { within: scopeOf('other') }), 'scope-exceeds-grant');
  });

  test('all, where it may leave the scope out, but never administration', () => {
    assert.equal(requested(WHOLE_SCOPE), integration.scope.text);
    const administering = anIntegration({ scope: scopeOf('orders:read;tessera:manage') });
    assert.equal(requested(WHOLE_SCOPE, {}, administering), 'orders:read');
    assert.equal(requested('tessera:manage', {}, administering), 'tessera:manage');
    const only = anIntegration({ scope: scopeOf('tessera:manage') });
    assert.equal(requested(WHOLE_SCOPE, {}, only), 'scope-missing');
    const permissions = Array.from({ length: 250 }, (_, n) => `permission-${n}`);
    const long = anIntegration({ scope: scopeOf(`orders:${permissions.join()};tessera:read`) });
    assert.equal(requested(WHOLE_SCOPE, {}, long), `orders:${permissions.join()}`, 'too long item by item');
  });

  test('nothing for what OpenID Connect libraries add, unless the integration has it', () => {
    assert.equal(requested('openid;orders:read;profile'), 'orders:read');
    assert.equal(requested('openid;offline_access'), integration.scope.text);
    assert.equal(requested('openid', { isPlain: true }), 'scope-exceeds-integration');
    assert.equal(requested('email;orders', {}, anIntegration({ scope: scopeOf('email;orders') })), 'email;orders');
  });

  test('opaque items, but not by the contract', () => {
    const opaque = anIntegration({ scope: scopeOf('api://x/.default') });
    assert.equal(requested('api://x/.default', {}, opaque), 'api://x/.default');
    assert.equal(requested('api://x/.default', { isPlain: true }, opaque), 'scope-malformed');
  });

  test('what the resource servers serve that it names [RFC 8707 2]', () => {
    assert.equal(requested('orders:read;stock:read', { resource: [ORDERS_AUDIENCE] }), 'orders:read');
    assert.equal(requested('orders:read', { resource: ['urn:other'] }), 'resource-unknown');
  });
});

test('a refusal names the scope, short and escaped, but no token that was put there', () => {
  const shown = (scope: string) => {
    const outcome = requestedTarget({ scope }, integration, []);
    return outcome.ok ? undefined : outcome.refusal.claimed?.scope;
  };
  assert.equal(shown('orders:delete'), 'orders:delete');
  assert.equal(shown('a\nb'), 'a\\u{a}b');
  assert.equal(shown('x'.repeat(300)), `${'x'.repeat(200)}…`);
  for (const token of ['tsr_AbCd+/efgh==', 'tsc_0123456789', 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0.c2ln'])
    assert.equal(shown(`orders:read;${token}`), 'orders:read;(a token)');
});

test('a refresh may name a scope within that of its grant, and gets all of it [RFC 6749 6]', () => {
  const granted = scopeOf('orders:read,write');
  const check = (wanted: string) => {
    const outcome = checkScopeOfRefresh(wanted, granted, integration);
    return outcome.ok ? outcome.value.text : outcome.refusal.reason;
  };
  for (const wanted of ['orders:read', 'orders:read,write', 'openid', 'openid;orders:read'])
    assert.equal(check(wanted), 'orders:read,write');
  assert.equal(check('stock:read'), 'scope-exceeds-grant');
  assert.equal(check('orders:'), 'scope-malformed');
});

suite('an identity', () => {
  const named = (identities: string[], groups: string[]) =>
    anIntegration({ access: { to: 'named', identities, groups } as unknown as Integration['access'] });

  test('may use an integration if it is enabled, may use the API, and is named where some are', () => {
    const why = (identity: Identity | undefined, of = integration) => whyNotAllowed(identity, of);
    assert.equal(why(anIdentity()), undefined);
    assert.equal(why(undefined), 'identity-unknown');
    assert.equal(why(anIdentity({ enabled: false })), 'identity-disabled');
    assert.equal(why(anIdentity({ mayUseApi: false })), 'identity-without-api-access');
    assert.equal(why(anIdentity(), named([ADA], [])), undefined);
    assert.equal(why(anIdentity(), named([], ['x', 'staff'])), undefined);
    assert.equal(why(anIdentity(), named([], ['x'])), 'identity-without-integration-access');
  });

  test('is allowed with exceptions, or not at all', () => {
    const [open, closed] = [integration, named([], [])];
    assert.deepEqual(identityAccess(anIdentity(), [open, closed]), { isAllowed: true, except: [closed] });
    assert.deepEqual(identityAccess(anIdentity(), []), { isAllowed: true, except: [] });
    const never = { isAllowed: false, except: [] };
    assert.deepEqual(identityAccess(anIdentity({ enabled: false }), [closed, open]), never);
    assert.deepEqual(identityAccess(undefined, [open]), never);
    assert.deepEqual(identityAccess(undefined, []), never);
  });
});
