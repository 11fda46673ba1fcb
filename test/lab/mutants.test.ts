import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mutantsOf } from '../../lab/mutants/mutations.ts';
import { relatedTests } from '../../lab/mutants/related-tests.ts';

test('conditions, operators, literals and calls are changed; types and imports are not', () => {
  const text = `import { a } from './a.ts';
type T = 1 | 2;
export function f(x: number, y?: T): boolean {
  a(x);
  if (!y) return false;
  return x < 3 && x !== y && x < 500;
}
`;
  assert.deepEqual(
    mutantsOf('f.ts', text).map(({ line, from, to }) => `${line} ${from} → ${to}`),
    [
      '4 a(x); → ;',
      '5 !y → false',
      '5 !y → true',
      '5 !y → y',
      '5 false → true',
      '6 && → ||',
      '6 && → ||',
      '6 < → <=',
      '6 3 → 4',
      '6 !== → ===',
      '6 < → <=',
      '6 500 → 1000',
    ],
  );
});

test('the nearest tests of a file begin with the test of its name', () => {
  assert.equal(relatedTests('src/assertions/assertion-judge.ts', 1)[0], 'test/assertions/assertion-judge.test.ts');
  assert.ok(relatedTests('src/core/rules/claims.ts', 3).includes('test/core/assertion.test.ts'));
  const near = [...relatedTests('sdk/verify/src/jwt.ts', 5), ...relatedTests('sdk/verify/src/feed.ts', 5)];
  assert.deepEqual(
    near.filter((test) => !test.startsWith('test/sdk/verify/')),
    [],
  );
});
