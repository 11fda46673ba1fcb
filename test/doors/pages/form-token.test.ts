import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formToken, isFormToken } from '../../../src/doors/pages/parts/form-token.ts';
import { addKey, firstKey, Keyring, mintWith } from '../../../src/tokens/keyring.ts';

const keys = firstKey();
const keyring = new Keyring(keys);

test('a form token is valid for its owner only', () => {
  const token = formToken({ session: 'a' }, keyring);
  assert.ok(isFormToken(token, { session: 'a' }, keyring));
  assert.ok(!isFormToken(token, { session: 'b' }, keyring));
  assert.ok(!isFormToken(token, { visitor: 'a' }, keyring));
});

test('arbitrary text is not a valid form token', () => {
  const token = formToken({ session: 'a' }, keyring);
  const alias = String.fromCharCode(...Buffer.from(token).map((code) => code)).replace(/./g, (letter) =>
    String.fromCharCode(letter.charCodeAt(0) + 256),
  );
  for (const text of ['', 'x', 'a'.repeat(43), 'a'.repeat(64), '\u0000'.repeat(64), token.slice(1), `${token}0`, alias])
    assert.ok(!isFormToken(text, { session: 'a' }, keyring), text);
});

test('a form opened before a key rotation still works', () => {
  const token = formToken({ session: 'a' }, keyring);
  const rotated = new Keyring(mintWith(addKey(keys, 2), 2));
  assert.notEqual(formToken({ session: 'a' }, rotated), token);
  assert.ok(isFormToken(token, { session: 'a' }, rotated));
});
