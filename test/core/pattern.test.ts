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
    fc.assert(
      fc.property(text, pattern, (claim, wanted) => {
        const expression = wanted.replace(/\*\*+|\*/g, (stars) => (stars.length > 1 ? '[^]*' : '[^:/]*'));
        assert.equal(fitsPattern(claim, wanted), new RegExp(`^${expression}$`).test(claim));
      }),
      { numRuns: 2000 },
    );
  });

  test('take time in proportion to both lengths, whatever a stranger sends', () => {
    const began = process.cpuUsage();
    assert.equal(fitsPattern('a'.repeat(1024), `${'*a'.repeat(200)}b`), false);
    assert.ok(process.cpuUsage(began).user < 5_000_000, 'a backtracking matcher would not end');
  });

  test('no pattern fits a text of more than 1024 characters', () => {
    assert.equal(fitsPattern('a'.repeat(1024), '**'), true);
    assert.equal(fitsPattern('a'.repeat(1025), '**'), false);
  });
});
