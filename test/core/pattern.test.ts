import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { fitsPattern } from '../../src/core/pattern.ts';

suite('patterns of claims', () => {
  const cases: readonly (readonly [pattern: string, text: string, fits: boolean])[] = [
    ['acme/app', 'acme/app', true],
    ['acme/app', 'acme/apps', false],
    ['acme/*', 'acme/app', true],
    ['acme/*', 'acme/', true],
    ['acme/*', 'acme/app/deep', false],
    ['acme/**', 'acme/app/deep', true],
    ['repo:acme/*:ref:refs/heads/main', 'repo:acme/app:ref:refs/heads/main', true],
    ['repo:acme/*:ref:refs/heads/main', 'repo:acme/app:pull_request:ref:refs/heads/main', false],
    ['repo:acme/*:ref:refs/heads/main', 'repo:acme/evil/repo:ref:refs/heads/main', false],
    ['repo:acme/*', 'repo:acme/app:ref:refs/heads/main', false],
    ['repo:acme/**', 'repo:acme/app:ref:refs/heads/main', true],
    ['repo:acme/*', 'xrepo:acme/app', false],
    ['release-*-final', 'release-1.2-final', true],
    ['release-*-final', 'release-1/2-final', false],
    ['a.c', 'abc', false],
    ['a*', 'a\nb', true],
    ['*', '', true],
    ['', '', true],
    ['', 'a', false],
    ['***', 'a/b:c', true],
    ['caf\u00e9/*', 'caf\u00e9/\u{1f600}', true],
    ['Acme/*', 'acme/app', false],
  ];
  for (const [pattern, text, fits] of cases) {
    test(`${JSON.stringify(pattern)} ${fits ? 'fits' : 'does not fit'} ${JSON.stringify(text)}`, () => {
      assert.equal(fitsPattern(text, pattern), fits);
    });
  }

  test('agree with the same pattern as a regular expression', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', ':', '/'), maxLength: 12 });
    const pattern = fc.string({ unit: fc.constantFrom('a', 'b', ':', '/', '*'), maxLength: 8 });
    // Positions are kept in words of 32: also with a beginning that ends near a border.
    const beginning = fc.oneof(fc.constant(0), fc.integer({ min: 24, max: 68 })).map((length) => 'b'.repeat(length));
    fc.assert(
      fc.property(text, pattern, beginning, (end, wanted, begins) => {
        for (const whole of [begins + wanted, `*${begins}${wanted}`]) {
          const expression = whole.replace(/\*\*+|\*/g, (stars) => (stars.length > 1 ? '[^]*' : '[^:/]*'));
          assert.equal(fitsPattern(begins + end, whole), new RegExp(`^${expression}$`).test(begins + end), whole);
        }
      }),
      { numRuns: 4000 },
    );
  });

  test('cost little, whatever a stranger sends', () => {
    const began = process.cpuUsage();
    for (const pattern of [`${'*a'.repeat(200)}b`, `**${'a'.repeat(509)}b`, `${'a**'.repeat(170)}b`])
      for (let n = 0; n < 50; n++) assert.equal(fitsPattern('a'.repeat(1024), pattern), false);
    assert.ok(process.cpuUsage(began).user < 1_500_000, 'a twentieth of this is usual');
  });

  test('no pattern fits a text of more than 1024 characters', () => {
    assert.equal(fitsPattern('a'.repeat(1024), '**'), true);
    assert.equal(fitsPattern('a'.repeat(1025), '**'), false);
  });
});
