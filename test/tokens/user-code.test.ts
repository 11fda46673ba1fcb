import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { addKey, firstKey, Keyring, mintWith } from '../../src/tokens/keyring.ts';
import { drawUserCode, normalizeUserCode, userCodeHash, userCodeHashes } from '../../src/tokens/user-code.ts';

test('a user code is 8 unambiguous letters in two groups; case, spaces and dashes are ignored [RFC 8628 6.1]', () => {
  for (let i = 0; i < 200; i++) {
    const code = drawUserCode(randomBytes);
    assert.match(code, /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
    const letters = code.replace('-', '');
    for (const typed of [
      code,
      letters,
      code.toLowerCase(),
      ` ${code} `,
      code.replace('-', ' – '),
      letters.replaceAll(/\B/g, ' '),
    ])
      assert.equal(normalizeUserCode(typed), letters);
  }
  for (const typed of ['', 'BCDF', 'BCDFBCDFB', 'AAAAAAAA', 'BCDF-BCD1', 'BCDF_BCDF', 'ſBCDFBCDF'])
    assert.equal(normalizeUserCode(typed), undefined, typed);
});

test('user codes are drawn without bias: bytes past the last whole multiple of 20 are not used', () => {
  const drawn = (...draws: number[][]) => drawUserCode(() => Buffer.from(draws.shift() ?? []));
  assert.equal(drawn([0, 19, 20, 239, 1, 2, 3, 4]), 'BZBZ-CDFG');
  assert.equal(drawn([240, 255, 0, 0, 0, 0, 0, 0, 0, 0]), 'BBBB-BBBB', 'bytes from 240 on are not used');
  assert.equal(drawn([240, 0, 0, 0, 0, 0, 0, 0], [1, 1, 1, 1, 1, 1, 1, 1]), 'CCCC-CCCC', 'too few: drawn again');
});

test('a user code is found after a key rotation', () => {
  const keys = firstKey();
  const stored = userCodeHash('BCDFGHJK', new Keyring(keys).minting);
  const rotated = new Keyring(mintWith(addKey(keys, 2), 2));
  assert.match(stored, /^[0-9a-f]{32}$/);
  assert.ok(userCodeHashes('BCDFGHJK', rotated).includes(stored));
  assert.ok(!userCodeHashes('BCDFGHJL', rotated).includes(stored));
});
