// Every case judged in a dry run. How handshakes and headers carry it: corpus.test.ts.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { RULES } from '../../../src/pki/path/rules.ts';
import { CORPUS } from './corpus.ts';
import { dryRun, explain } from './doors.ts';

const ALL = Object.values(CORPUS).flat();

for (const [theme, cases] of Object.entries(CORPUS))
  suite(`verdicts: ${theme}`, () => {
    for (const tried of cases)
      test(`${tried.what} [${tried.clause}]`, () => assert.equal(dryRun(tried), tried.verdict));
  });

test('the corpus has at least 400 cases with distinct names', () => {
  const names = Object.entries(CORPUS).flatMap(([theme, cases]) => cases.map(({ what }) => `${theme}: ${what}`));
  assert.ok(names.length >= 400, `${names.length} cases`);
  assert.equal(new Set(names).size, names.length);
});

test('the corpus has a case that breaks each rule', () => {
  const broken = new Set(
    ALL.flatMap((tried) => explain(tried).steps.flatMap(({ passed, rule }) => (passed ? [] : rule))),
  );
  const unbroken = RULES.map(({ rule }) => rule).filter((rule) => !broken.has(rule));
  assert.deepEqual(unbroken, []);
});

test('every refusal names its rule and the setting that decides', () => {
  const unnamed = ALL.flatMap((tried) => {
    const failed = explain(tried).steps.find(({ passed }) => !passed);
    return failed && !failed.setting ? [`${tried.what}: ${failed.rule}`] : [];
  });
  assert.deepEqual(unnamed, []);
});
