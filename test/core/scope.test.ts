import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isWithin, narrow, parseScope } from '../../src/core/scope.ts';
import { scopeOf } from '../samples.ts';

const LETTERS = 'abcdefghijklmnopqrstuvwxyz'.split('');
const word = fc.string({ unit: fc.constantFrom(...LETTERS, '0', '-', '_', '.'), minLength: 0, maxLength: 6 });
const permission = fc.tuple(fc.constantFrom(...LETTERS), word).map((parts) => parts.join(''));
const resource = fc
  .tuple(fc.constantFrom('a', 'B', 'c', 'Orders', 'orders', 'x'), fc.constantFrom('', '1', '-z'))
  .map((p) => p.join(''));
const entry = fc
  .tuple(resource, fc.array(permission, { maxLength: 4 }))
  .map(([name, permissions]) => (permissions.length > 0 ? `${name}:${permissions.join(',')}` : name));
const scopeText = fc
  .tuple(fc.array(entry, { minLength: 1, maxLength: 5 }), fc.boolean())
  .map(([entries, trailing]) => entries.join(';') + (trailing ? ';' : ''));
const scope = scopeText.map(scopeOf);

test('a scope keeps the requested text unchanged [contract 2.1]', () => {
  fc.assert(fc.property(scopeText, (text) => parseScope(text)?.text === text));
});

test('a formatted scope parses to the same scope', () => {
  fc.assert(
    fc.property(scope, (original) => {
      const entries = [...original.resources].map(([name, permissions]) =>
        permissions.size > 0 ? `${name}:${[...permissions].join(',')}` : name,
      );
      const again = scopeOf(entries.join(';'));
      assert.deepEqual(again.resources, original.resources);
    }),
  );
});

test('isWithin is a partial order: reflexive, antisymmetric, transitive', () => {
  fc.assert(fc.property(scope, (a) => isWithin(a, a)));
  fc.assert(
    fc.property(scope, scope, (a, b) => {
      if (isWithin(a, b) && isWithin(b, a)) assert.deepEqual(asSets(a), asSets(b));
    }),
  );
  fc.assert(
    fc.property(scope, scope, scope, (a, b, c) => !(isWithin(a, b) && isWithin(b, c)) || isWithin(a, c)),
    { numRuns: 2000 },
  );
  fc.assert(fc.property(scope, scope, (a, b) => isWithin(a, scopeOf(`${a.text.replace(/;$/, '')};${b.text}`))));
});

test('a narrowed scope is within both the scope and the limit', () => {
  fc.assert(
    fc.property(scope, scope, (a, b) => {
      const narrowed = narrow(a, b);
      if (!narrowed) return;
      assert.ok(isWithin(narrowed, a) && isWithin(narrowed, b));
    }),
  );
});

test('a scope within another, and what remains of it there [contract 2.2]', () => {
  for (const [scope, limit, remains] of [
    ['orders:read', 'orders:read,write;stock', 'orders:read'],
    ['orders:read,write', 'orders:write,delete', 'orders:write'],
    ['orders', 'orders:read', 'orders'], // bare: within the resource with permissions, never the reverse
    ['orders:read', 'orders', undefined],
    ['orders:read', 'orders:write', undefined],
    ['orders:read', 'order:read', undefined],
    ['Orders:read', 'orders:read', 'Orders:read'], // both forms are one resource
    ['orders:read,write', 'orders:read;ORDERS:write', 'orders:read,write'],
    ['a:x;b:y,z;c', 'c:z;b:y', 'b:y;c'],
    ['api://x/.default;a', 'api://x/.default', 'api://x/.default'],
    ['api://x/.default', 'api://X/.default', undefined],
  ] as const) {
    assert.equal(narrow(scopeOf(scope), scopeOf(limit))?.text, remains, `${scope} in ${limit}`);
    assert.equal(isWithin(scopeOf(scope), scopeOf(limit)), scope === remains, `${scope} in ${limit}`);
  }
});

test('malformed scopes are refused', () => {
  const malformed = [
    '',
    ';',
    ';;',
    'a;;',
    'a;;b',
    ':',
    'a:',
    'a:,',
    'a:x,',
    'a:x,,y',
    'a:X',
    'a: x',
    ' a',
    'a ',
    'a b',
    'a:x y',
    '1a',
    'a:1',
    'ä',
    'a:x:y',
    'a\n',
    '-a',
    `a:${'x'.repeat(4095)}`,
  ];
  for (const text of malformed) assert.equal(parseScope(text), undefined, JSON.stringify(text));
  assert.ok(parseScope(`a:${'x'.repeat(4094)}`), '4,096 characters');
});

function asSets(value: { resources: ReadonlyMap<string, ReadonlySet<string>> }): unknown {
  return new Map([...value.resources].map(([name, permissions]) => [name, new Set(permissions)]));
}
