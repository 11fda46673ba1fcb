import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formToken, isFormToken } from '../../src/pages/form-token.ts';
import { addKey, firstKey, Keyring, mintWith } from '../../src/tokens/keyring.ts';

const keys = firstKey();
const keyring = new Keyring(keys);

test('a form token is good for its owner alone', () => {
  const token = formToken({ session: 'a' }, keyring);
  assert.ok(isFormToken(token, { session: 'a' }, keyring));
  assert.ok(!isFormToken(token, { session: 'b' }, keyring));
  assert.ok(!isFormToken(token, { visitor: 'a' }, keyring));
});

test('no text is a form token by accident', () => {
  for (const text of ['', 'x', 'a'.repeat(43), '\u0000']) assert.ok(!isFormToken(text, { session: 'a' }, keyring));
});

test('a form opened before another key began to mint still works', () => {
  const token = formToken({ session: 'a' }, keyring);
  const rotated = new Keyring(mintWith(addKey(keys, 2), 2));
  assert.notEqual(formToken({ session: 'a' }, rotated), token);
  assert.ok(isFormToken(token, { session: 'a' }, rotated));
});
