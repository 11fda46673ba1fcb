// test/oauth-rfcs.md names a test for each clause and each attack. The test must exist.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { ROOT, read, tableOf } from './sources.ts';

const PAGE = read('test/oauth-rfcs.md');
const RFCS = ['6749', '6750', '7009', '7521', '7523', '7662', '8414', '8628', '8705', '8707', '9068'];

interface Claim {
  readonly what: string;
  readonly file: string;
  readonly name: string;
}

function claimsOf(header: readonly string[]): Claim[] {
  return tableOf(PAGE, header).map((cells) => {
    const [, file = '', name = ''] = /^`([^`]+)` (.+)$/.exec(cells.at(-1) ?? '') ?? [];
    return { what: cells[0] ?? '', file: fileOf(file), name };
  });
}

/** The page writes `e2e/jwt` for test/e2e/jwt.test.ts, and other files in full. */
function fileOf(shown: string): string {
  return shown.endsWith('.ts') ? shown : `test/${shown}.test.ts`;
}

/** Names of tests: the first text of a test, a suite or a claim, and the rows of which such names are made. */
function namesIn(file: string): string[] {
  const text = read(file).replaceAll("\\'", "'");
  return [...text.matchAll(/(?:\b(?:test|suite|claim)\(|^ *\[)\s*(['`])(.+?)\1,/gm)].map((match) => match[2] ?? '');
}

/** The page shows the part of a test's name that no other test of the file has. */
function isNamed({ file, name }: Claim): boolean {
  return existsSync(join(ROOT, file)) && namesIn(file).filter((known) => known.includes(name)).length === 1;
}

suite('test/oauth-rfcs.md', () => {
  const clauses = claimsOf(['Clause', 'Test']);
  const attacks = claimsOf(['Attack', 'Test']);

  test('names a test for each clause, and it exists', () => {
    assert.ok(clauses.length >= 60, `${clauses.length} clauses`);
    assert.deepEqual(
      clauses.filter((claim) => !isNamed(claim)),
      [],
    );
  });

  test('names a test for each attack, and it exists', () => {
    assert.ok(attacks.length >= 25, `${attacks.length} attacks`);
    assert.deepEqual(
      attacks.filter((claim) => !isNamed(claim)),
      [],
    );
  });

  test('has clauses of every RFC that binds the door', () => {
    const missing = RFCS.filter((rfc) => !clauses.some(({ what }) => what.includes(`RFC ${rfc} `)));
    assert.deepEqual(missing, []);
  });

  test('says why for each thing that was declined', () => {
    const declined = tableOf(PAGE, ['Clause', 'Allows', 'Why not']);
    assert.ok(declined.length >= 15);
    assert.deepEqual(
      declined.filter(([clause = '', what, why]) => !/^RFC \d{4} /.test(clause) || !what || !why),
      [],
    );
  });
});
