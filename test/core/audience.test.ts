import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  type Audience,
  parseAudience,
  parseResourceServerId,
  type ResourceServer,
} from '../../src/core/resource-server.ts';
import { audiencesOf, isSameTarget, redeemedTarget, scopeSeenBy, targetOf } from '../../src/core/rules/audience.ts';
import { spokenForBy } from '../../src/core/rules/identity.ts';
import { isWithin, scopeItems } from '../../src/core/scope.ts';
import { anIdentity, aResourceServer, ORDERS_AUDIENCE, scopeOf } from '../samples.ts';

const ISSUER = 'https://tokens.example';
const [ORDERS, STOCK, BOTH] = [
  ORDERS_AUDIENCE,
  'urn:example:stock' as Audience,
  'https://both.example/api' as Audience,
];
const orders = aResourceServer();
const stock = server('stock-api', STOCK, ['stock']);
const both = server('both-api', BOTH, ['orders', 'stock']);

function server(id: string, audience: Audience, resources: string[], difference: Partial<ResourceServer> = {}) {
  return aResourceServer({ id: id as ResourceServer['id'], audience, resources, ...difference });
}

test('aud names the resource servers that serve the scope, and the issuer if nobody serves a part [RFC 9068 2.2]', () => {
  const wanted: [string, readonly ResourceServer[], readonly string[]][] = [
    ['orders:read', [orders, stock], [ORDERS]],
    ['Orders:read;stock', [orders, stock], [ORDERS, STOCK]],
    ['orders:read;stock:read', [orders, both], [BOTH, ORDERS]],
    ['orders:read;invoices:read', [orders], [ORDERS, ISSUER]],
    ['orders:read', [], [ISSUER]],
    ['tessera:admin', [orders], [ISSUER]],
    ['orders:read', [{ ...orders, enabled: false }], [ISSUER]],
  ];
  for (const [scope, servers, audiences] of wanted) {
    assert.deepEqual(audiencesOf(scopeOf(scope), servers, ISSUER), [...audiences].sort());
  }
});

test('a grant that is limited by resource has exactly those audiences, whatever is registered later', () => {
  assert.deepEqual(audiencesOf(scopeOf('orders:read'), [both, orders], ISSUER, [ORDERS]), [ORDERS]);
  assert.deepEqual(audiencesOf(scopeOf('orders:read'), [], ISSUER, [ORDERS]), [ORDERS]);
});

test('resource limits the scope to what the named resource servers serve [RFC 8707 2]', () => {
  const scope = scopeOf('orders:read,write;stock:read;invoices:read');
  const one = targetOf(scope, [ORDERS], [orders, stock]);
  assert.ok(one.ok);
  assert.deepEqual([scopeItems(one.value.scope), one.value.resource], [['orders:read', 'orders:write'], [ORDERS]]);
  const two = targetOf(scope, [STOCK, ORDERS, STOCK], [orders, stock]);
  assert.ok(two.ok);
  assert.deepEqual(two.value.resource, [ORDERS, STOCK].sort());
  assert.deepEqual(scopeItems(two.value.scope), ['orders:read', 'orders:write', 'stock:read']);
  const none = targetOf(scope, undefined, [orders]);
  assert.deepEqual(none, { ok: true, value: { scope, resource: undefined } });
});

test('a resource that is unknown, disabled or serves nothing of the scope is refused [RFC 8707 2]', () => {
  const reasonOf = (scope: string, wanted: string[], servers = [orders, stock]) => {
    const target = targetOf(scopeOf(scope), wanted, servers);
    return target.ok ? 'accepted' : target.refusal.reason;
  };
  assert.equal(reasonOf('orders:read', ['https://unknown.example']), 'resource-unknown');
  assert.equal(reasonOf('orders:read', [`${ORDERS}/v1`]), 'resource-unknown', 'audiences compare as text');
  assert.equal(reasonOf('orders:read', [orders.id]), 'resource-unknown', 'an id is not an audience');
  assert.equal(reasonOf('orders:read', [ISSUER]), 'resource-unknown');
  assert.equal(reasonOf('orders:read', [ORDERS], [{ ...orders, enabled: false }]), 'resource-unknown');
  assert.equal(reasonOf('orders:read', [STOCK]), 'resource-outside-scope');
  assert.equal(reasonOf('orders:read', [ORDERS, STOCK]), 'resource-outside-scope', 'each must serve something');
});

test('an audience without a path equals the one with /, and counts once [RFC 3986 6.2.3]', () => {
  const both = targetOf(scopeOf('orders:read'), [ORDERS, `${ORDERS}/`], [orders]);
  assert.deepEqual(both.ok && both.value.resource, [ORDERS]);
  assert.ok(isSameTarget([`${ORDERS}/`], [ORDERS]));
  assert.ok(!isSameTarget([`${ORDERS}/v1`], [`${ORDERS}/v1/`]), 'with a path, text is compared');
});

test('a limited scope is within the scope, and every audience sees its part of it', () => {
  const items = ['orders:read', 'orders:write', 'stock:read', 'invoices', 'tessera:admin'];
  const scopes = fc.uniqueArray(fc.constantFrom(...items), { minLength: 1 }).map((some) => scopeOf(some.join(';')));
  const servers = [orders, stock, both];
  const wanted = fc.uniqueArray(fc.constantFrom(...servers.map(({ audience }) => audience)), { minLength: 1 });
  fc.assert(
    fc.property(scopes, wanted, (scope, resource) => {
      const target = targetOf(scope, resource, servers);
      if (!target.ok) return;
      assert.ok(isWithin(target.value.scope, scope));
      for (const each of servers) {
        const seen = scopeSeenBy(each, target.value.scope, target.value.resource);
        assert.equal(seen !== undefined, resource.includes(each.audience));
        if (seen) assert.ok([...seen.resources.keys()].every((name) => each.resources.includes(name)));
      }
    }),
  );
});

test('a redemption may name fewer resource servers than were confirmed, never others [RFC 8707 2.2]', () => {
  const confirmed = { scope: scopeOf('orders:read;stock:read'), resource: [ORDERS, STOCK].sort() };
  const redeem = (wanted: string[] | undefined, from = confirmed) => {
    const target = redeemedTarget(from as never, wanted, [orders, stock, both]);
    return target.ok ? target.value.resource : target.refusal.reason;
  };
  assert.deepEqual(redeem(undefined), confirmed.resource);
  assert.deepEqual(redeem([STOCK, ORDERS]), confirmed.resource);
  assert.deepEqual(redeem([STOCK]), [STOCK]);
  assert.equal(redeem([BOTH]), 'resource-differs-from-grant');
  assert.equal(redeem([STOCK, BOTH]), 'resource-differs-from-grant');
  assert.deepEqual(redeem([BOTH], { ...confirmed, resource: undefined as never }), [BOTH]);
});

test('a refresh repeats the resource servers of the grant, in any order, or names none [RFC 8707 2.2]', () => {
  assert.ok(isSameTarget(undefined, undefined));
  assert.ok(isSameTarget(undefined, [ORDERS]));
  assert.ok(isSameTarget([STOCK, ORDERS, STOCK], [ORDERS, STOCK]));
  assert.ok(!isSameTarget([ORDERS], [ORDERS, STOCK]));
  assert.ok(!isSameTarget([ORDERS], undefined));
  assert.ok(!isSameTarget([ORDERS, STOCK], [ORDERS]));
});

test('a resource server sees its own resources, of tokens that are for it alone', () => {
  const scope = scopeOf('orders:read;stock:read');
  assert.equal(scopeSeenBy(orders, scope, undefined)?.text, 'orders:read');
  assert.equal(scopeSeenBy(orders, scope, [ORDERS, STOCK])?.text, 'orders:read');
  assert.equal(scopeSeenBy(orders, scope, [STOCK]), undefined);
  assert.equal(scopeSeenBy(orders, scopeOf('stock:read'), undefined), undefined);
  assert.equal(scopeSeenBy(orders, scopeOf('stock:read'), [ORDERS]), undefined, 'it no longer serves any of it');
  assert.equal(scopeSeenBy({ ...orders, enabled: false }, scope, undefined), undefined);
});

test('an identity speaks for the resource servers that name it; if they are several, the request must name one', () => {
  const ada = anIdentity();
  const [one, two] = [
    server('one', ORDERS, ['orders'], { identity: ada.id }),
    server('two', STOCK, ['stock'], { identity: ada.id }),
  ];
  assert.equal(spokenForBy(ada, undefined, [orders, one]), one);
  assert.equal(spokenForBy(ada, undefined, [one, two]), undefined);
  assert.equal(spokenForBy(ada, 'two', [one, two]), two);
  assert.equal(spokenForBy(ada, 'orders-api', [orders, one]), undefined, 'that one names no identity');
  assert.equal(spokenForBy({ ...ada, enabled: false }, undefined, [one]), undefined);
  assert.equal(spokenForBy({ ...ada, mayUseApi: false }, undefined, [one]), undefined);
  assert.equal(spokenForBy(ada, undefined, [{ ...one, enabled: false }]), undefined);
});

test('an audience is an absolute URI without a fragment [RFC 8707 2]; an id needs no encoding in HTTP Basic', () => {
  for (const text of ['https://a.example', 'https://a.example/x?y=1', 'urn:example:a', 'api://0a1b']) {
    assert.equal(parseAudience(text), text);
  }
  for (const text of [
    '',
    'a',
    '/path',
    '//a.example',
    'https://',
    'https://a b',
    'https://a#b',
    'urn:',
    'https://ä.example',
  ]) {
    assert.equal(parseAudience(text), undefined, text);
  }
  assert.equal(parseAudience(`urn:${'a'.repeat(600)}`), undefined);
  assert.equal(parseResourceServerId('orders-api_1.2~x'), 'orders-api_1.2~x');
  for (const text of ['', 'a:b', 'a b', 'a+b', 'a%b', 'ä', 'a'.repeat(129)]) {
    assert.equal(parseResourceServerId(text), undefined, text);
  }
});
