// Third-party cases from a folder beside the project; they are not part of it.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import {
  DEFAULT_IS_LENIENT,
  isWrong,
  readApplicableCases,
  runCase,
  STRICTER_THAN_LIMBO,
} from '../../lab/conformance/limbo.ts';

const FOLDER = join(import.meta.dirname, '../../../shared/x509-limbo');
const skip = existsSync(join(FOLDER, 'cases.json')) ? false : 'the x509-limbo cases are not at ../shared/x509-limbo';

suite('x509-limbo, the cases that apply to client certificates', { skip }, () => {
  test('profile strict has no false accept and two explained false rejects', () => {
    const cases = readApplicableCases(FOLDER);
    assert.equal(cases.length, 163);
    const wrong = cases.map((limbo) => runCase(limbo, 'strict')).filter(isWrong);
    assert.deepEqual(
      wrong.filter(({ expected }) => !expected),
      [],
    );
    assert.deepEqual(
      wrong.map(({ id }) => id),
      Object.keys(STRICTER_THAN_LIMBO),
    );
  });

  test('profile rfc5280 has only intended false accepts and no false reject', () => {
    const wrong = readApplicableCases(FOLDER)
      .map((limbo) => runCase(limbo, 'rfc5280'))
      .filter(isWrong);
    assert.deepEqual(
      wrong.filter(({ expected }) => expected),
      [],
    );
    const accepted = wrong.filter(({ expected }) => !expected).map(({ id }) => id);
    assert.deepEqual(
      accepted.filter((id) => !id.startsWith('webpki::')).toSorted(),
      Object.keys(DEFAULT_IS_LENIENT).toSorted(),
    );
  });
});
