// Every case by a handshake and by a header: both must give its verdict, as the dry run does in verdicts.test.ts.
// Only in test:all: long property runs
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { Case } from './case.ts';
import { CORPUS } from './corpus.ts';
import { type Doors, openDoors } from './doors.ts';

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

async function assertOneVerdict(tried: Case): Promise<void> {
  const { verdict, noHandshake } = tried;
  const handshake = noHandshake ? refusedByTls(tried) : doors.handshake(tried);
  assert.deepEqual([await doors.header(tried), await handshake], [verdict, verdict]);
}

/** If the handshake fails or carries no certificate, the caller is refused: the case must expect a refusal. */
async function refusedByTls(tried: Case): Promise<string> {
  assert.doesNotMatch(tried.verdict, /^accepted/);
  const said = await doors.handshake(tried).catch(() => 'certificate-missing');
  assert.equal(said, 'certificate-missing', `TLS should not carry this certificate: ${tried.noHandshake}`);
  return tried.verdict;
}
