// Every case in all three ways: the dry run, the handshake and the header must give the verdict of the case.
// Only in test:all: long property runs
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { RULES } from '../../../src/pki/path/rules.ts';
import type { Case } from './case.ts';
import { CORPUS } from './corpus.ts';
import { type Doors, dryRun, explain, openDoors } from './doors.ts';

const ALL = Object.values(CORPUS).flat();
let doors: Doors;

before(async () => {
  doors = await openDoors(ALL);
});
after(() => doors.close());

for (const [theme, cases] of Object.entries(CORPUS)) {
  suite(`corpus: ${theme}`, { concurrency: 4 }, () => {
    for (const tried of cases) test(`${tried.what} [${tried.clause}]`, () => assertOneVerdict(tried));
  });
}

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

async function assertOneVerdict(tried: Case): Promise<void> {
  const { verdict, noHandshake } = tried;
  const handshake = noHandshake ? refusedByTls(tried) : doors.handshake(tried);
  const verdicts = { 'dry run': dryRun(tried), header: await doors.header(tried), handshake: await handshake };
  assert.deepEqual(verdicts, { 'dry run': verdict, header: verdict, handshake: verdict });
}

/** If the handshake fails or carries no certificate, the caller is refused: the case must expect a refusal. */
async function refusedByTls(tried: Case): Promise<string> {
  assert.doesNotMatch(tried.verdict, /^accepted/);
  const said = await doors.handshake(tried).catch(() => 'certificate-missing');
  assert.equal(said, 'certificate-missing', `TLS should not carry this certificate: ${tried.noHandshake}`);
  return tried.verdict;
}
