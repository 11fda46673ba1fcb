// What a request needs by the rules of a file, and which requests are refused unread.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { readSegments } from '../../../../sdk/verify/src/guard/path.ts';
import { Rules } from '../../../../sdk/verify/src/guard/rules.ts';

const audience = 'https://orders.example';
const RULES = new Rules([
  { host: 'Orders.example', path: '/orders', methods: ['GET', 'HEAD'], audience, scope: 'orders:read' },
  { host: 'orders.example', path: '/orders', methods: ['POST'], open: ['OPTIONS'], audience, scope: 'orders:write' },
  { host: 'orders.example', path: '/orders/all', audience, scope: 'orders:admin orders:read' },
  { host: 'orders.example', path: '/health', open: ['GET'], methods: ['POST'], audience, scope: '' },
  { host: 'orders.example', path: '/', methods: ['GET'], audience, scope: 'orders:any' },
  { path: '/stock', audience, scope: 'stock:read' },
  { host: 'bills.example', path: '/bills', audience, scope: 'bills:read' },
]);

/** The rule and what it needs, or the status of the refusal. */
function matched(method: string, url: string): string {
  const [, host = '', target = ''] = /^([^/?]*)(.*)$/.exec(url) ?? [];
  const found = RULES.match({ method, host, target });
  if ('why' in found) return String(found.status);
  return `${found.rule}${found.isOpen ? ' open' : ''} ${found.scope.join(' ')}`.trim();
}

suite('a request needs what the first rule says: by host, then the longest path, then the method', () => {
  const TABLE: readonly (readonly [method: string, url: string, expected: string])[] = [
    ['GET', 'orders.example/orders', '1 orders:read'],
    ['GET', 'orders.example/orders/', '1 orders:read'],
    ['GET', 'orders.example/orders/7?a=/orders/all', '1 orders:read'],
    ['GET', 'orders.example/%6frders', '1 orders:read'],
    ['GET', 'orders.example/ordersx', '5 orders:any'],
    // Some servers take it for the path that a rule names.
    ['GET', 'orders.example/Orders', '400'],
    ['GET', 'orders.example/orders/ALL', '400'],
    ['GET', 'orders.example/orders/all%20', '400'],
    ['GET', 'orders.example/orders/all.', '400'],
    ['GET', 'orders.example/orders/X', '1 orders:read'],
    ['POST', 'orders.example/orders', '2 orders:write'],
    ['OPTIONS', 'orders.example/orders', '2 open orders:write'],
    // A path with rules for some methods refuses all others: the rule of a shorter path is not used.
    ['DELETE', 'orders.example/orders', '403'],
    ['get', 'orders.example/orders', '403'],
    ['DELETE', 'orders.example/orders/all', '3 orders:admin orders:read'],
    ['GET', 'orders.example/orders/a%6Cl/x', '3 orders:admin orders:read'],
    ['GET', 'orders.example/orders/allx', '1 orders:read'],
    ['GET', 'orders.example/health', '4 open'],
    ['POST', 'orders.example/health', '4'],
    ['GET', 'orders.example/', '5 orders:any'],
    // A host with rules of its own has no others.
    ['POST', 'orders.example/stock', '403'],
    ['GET', 'bills.example/stock', '403'],
    ['POST', 'other.example/stock', '6 stock:read'],
    ['GET', 'other.example/orders', '403'],
    // Parameters of segments that no rule names.
    ['GET', 'orders.example/orders/7;v=1', '1 orders:read'],
  ];
  for (const [method, url, expected] of TABLE)
    test(`${method} ${url}: ${expected}`, () => assert.equal(matched(method, url), expected));
});

suite('what a proxy or an API could read in another way is refused with 400', () => {
  const HOSTILE = [
    ...[
      '',
      'orders',
      '*',
      'http://orders.example/orders',
      '/orders#/x',
      '/ordérs',
      '/orders /x',
      '/orders\t',
      '/\\orders',
    ],
    ...['//orders', '/orders//all', '/orders//', '/./orders', '/orders/.', '/x/../orders', '/orders/..', '/orders/../'],
    ...['/%2e/orders', '/%2E%2e/orders', '/.%2e/orders', '/x/%2e%2e/orders', '/orders/%2e'],
    ...['/orders%2fall', '/orders%2Fall', '/orders%5call', '/%2forders', '/orders/%5C..', '/orders/%00', '/orders%0a'],
    ...[
      '/orders%252fall',
      '/%256frders',
      '/orders/%25',
      '/orders/50%25',
      '/%',
      '/%4',
      '/%zz',
      '/%c0%ae',
      '/%ff',
      '/%C2%85',
    ],
    ...['/..;/orders', '/;/orders', '/.;x/orders', '/x/..;a=b/orders', '/%2e%2e;/orders', '/%3b/orders', '/orders/;'],
    ...['/orders;x=1', '/orders;/all', '/orders%3bx/all', '/orders/all;x', `/${'x'.repeat(8192)}`],
  ];
  for (const target of HOSTILE)
    test(target.slice(0, 30) || 'an empty target', () =>
      assert.equal(matched('GET', `orders.example${target}`), '400'),
    );
});

test('whatever is accepted decodes once, to segments that no server takes for others', () => {
  const piece = fc.constantFrom(...'/ . .. %2e %2f %5c ; %3b %25 %252e a orders all ? # \\ é %c3%a9 %00'.split(' '));
  const target = fc.array(piece, { maxLength: 8 }).map((pieces) => `/${pieces.join('')}`);
  fc.assert(
    fc.property(target, (given) => {
      const segments = readSegments(given);
      if (typeof segments === 'string') return;
      const [path = ''] = given.split('?');
      assert.equal(segments.map((segment) => `/${segment}`).join(''), decodeURIComponent(path).replace(/\/$/, ''));
      // A standard parser of addresses, which removes dot segments and turns backslashes, leaves it as it is.
      assert.equal(new URL(path, 'http://orders.example').pathname, path);
      for (const segment of segments) assert.doesNotMatch(segment, /^\.{0,2}(;|$)|[/\\%]/);
    }),
    { numRuns: 2000 },
  );
});
