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
  assert.equal(narrow(scopeOf('a:x'), scopeOf('b:x')), undefined);
  assert.equal(
    narrow(scopeOf('a:x'), scopeOf('a:y')),
    undefined,
    'losing every permission is not the same as a bare resource',
  );
});

test('a bare resource is within the resource with permissions, never the reverse', () => {
  assert.ok(isWithin(scopeOf('a'), scopeOf('a:x')));
  assert.ok(!isWithin(scopeOf('a:x'), scopeOf('a')));
});

test('the resource is case-insensitive: both forms of contract 2.2 are one resource', () => {
  assert.ok(isWithin(scopeOf('Certificate:delete'), scopeOf('certificate:delete,manage')));
});

test('duplicate resources merge', () => {
  assert.ok(isWithin(scopeOf('a:x,y'), scopeOf('a:x;A:y')));
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
