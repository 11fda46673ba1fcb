import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { executedIn, isReached } from '../../lab/mutants/baselines.ts';
import { diffOf, mutantsOf } from '../../lab/mutants/mutations.ts';
import { relatedTests } from '../../lab/mutants/related-tests.ts';
import { Results } from '../../lab/mutants/results.ts';
import { runTest } from '../../lab/mutants/test-run.ts';
import { temporaryFolder } from '../temporary-folder.ts';

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
  assert.ok(relatedTests('src/core/rules/claims.ts', 4).includes('test/core/assertion.test.ts'));
  assert.ok(
    relatedTests('src/store/tables/token-issuers.ts', 8).includes('test/store/rows.test.ts'),
    'imports it itself',
  );
  assert.equal(relatedTests('src/doors/scim/patch.ts', 1)[0], 'test/doors/scim/messages.test.ts', 'of its folder');
  const near = [...relatedTests('sdk/verify/src/jwt.ts', 5), ...relatedTests('sdk/verify/src/feed.ts', 5)];
  assert.deepEqual(
    near.filter((test) => !test.startsWith('test/sdk/verify/')),
    [],
  );
});

test('a change is shown by its lines before and after', () => {
  const text = 'f(1); // one\ng(\n  a,\n  b,\n  c,\n  d,\n  e,\n);\n';
  assert.deepEqual(
    mutantsOf('f.ts', text).map((mutant) => diffOf(mutant, text)),
    [
      'f.ts:1\n- f(1); // one\n+ ; // one\n',
      'f.ts:1\n- f(1); // one\n+ f(2); // one\n',
      'f.ts:2\n- g(\n-   a,\n-   b,\n-   c,\n-   d,\n-   e,\n…\n+ ;\n',
    ],
  );
});

test('a test reaches what it executes, also in a process that it starts, and what may be in one that was killed', async () => {
  const folder = temporaryFolder('mutant');
  const coverage = temporaryFolder('coverage');
  mkdirSync(join(folder, 'src'));
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  const text = 'export const f = (x) => (x ? 1 : 2);\nexport const g = () => 3;\nexport const h = () => 4;\n';
  write('src/f.mjs', text);
  write('src/child.mjs', "import { g } from './f.mjs';\ng();\n");
  write(
    'x.test.mjs',
    `import { execFileSync } from 'node:child_process';
import { f } from './src/f.mjs';
f(true);
execFileSync(process.execPath, ['src/child.mjs'], { env: {} });
`,
  );
  assert.equal((await runTest('x.test.mjs', folder, 60_000, coverage)).result, 'passed');
  const executed = executedIn(coverage, folder);
  const baseline = { test: 'x.test.mjs', milliseconds: 1, executed };
  const reached = mutantsOf('src/f.mjs', text).filter((mutant) => isReached(mutant, baseline));
  assert.deepEqual(
    reached.map(({ from, to }) => `${from} → ${to}`),
    ['x → false', 'x → true', '1 → 2', '3 → 4'],
  );
  assert.ok(mutantsOf('src/killed.mjs', text).every((mutant) => isReached(mutant, baseline)));
});

test('a test that does not end is not counted as one that fails', async () => {
  const folder = temporaryFolder('mutant');
  const resultOf = async (name: string, body: string, limit: number) => {
    writeFileSync(join(folder, name), `import { test } from 'node:test';\ntest('x', async () => {${body}});\n`);
    return (await runTest(name, folder, limit)).result;
  };
  assert.equal(await resultOf('passes.test.mjs', '', 60_000), 'passed');
  assert.equal(await resultOf('fails.test.mjs', 'throw new Error();', 60_000), 'failed');
  assert.equal(await resultOf('hangs.test.mjs', 'for (;;);', 500), 'timed out');
});

test('results are kept for a later run, until the source or a test that counts has changed', () => {
  const folder = temporaryFolder('mutant');
  const path = join(folder, 'results.jsonl');
  const [mutant] = mutantsOf('f.ts', 'export const f = 1;');
  assert.ok(mutant);
  for (const file of ['f.ts', 'a.test.ts', 'b.test.ts']) writeFileSync(join(folder, file), file);
  const tests = ['a.test.ts', 'b.test.ts'];
  const found = (now = tests) => new Results({ path, isResumed: true }).find(mutant, now, folder)?.end;
  const add = (...fate: Parameters<Results['add']>) => new Results({ path, isResumed: true }).add(...fate);
  assert.equal(found(), undefined);
  add(mutant, { end: 'survived', tests }, folder);
  assert.equal(found(), 'survived');
  assert.equal(found(['a.test.ts']), undefined, 'other tests would be run');
  writeFileSync(join(folder, 'b.test.ts'), 'changed');
  assert.equal(found(), undefined, 'a test has changed');
  add(mutant, { end: 'noticed', tests: ['a.test.ts'] }, folder);
  writeFileSync(join(folder, 'b.test.ts'), 'changed again');
  assert.equal(found(), 'noticed', 'the test that noticed it is the same');
  writeFileSync(join(folder, 'f.ts'), 'changed');
  assert.equal(found(), undefined, 'the source has changed');
  new Results({ path, isResumed: false });
  assert.equal(found(), undefined, 'a run that is not resumed begins anew');
});
