import assert from 'node:assert/strict';
import { test } from 'node:test';
import { permissionLines } from '../../../src/doors/pages/device/request-page.ts';
import { de } from '../../../src/doors/pages/parts/texts/de.ts';
import { en } from '../../../src/doors/pages/parts/texts/en.ts';

test('a scope is described as one line per permission', () => {
  const words = permissionLines('Orders:read,delete;stock', en).map((line) => line.words);
  assert.deepEqual(words, ['Read “orders”', 'Delete “orders”', 'Basic access to “stock”']);
});

test('a scope is described in German', () => {
  const words = permissionLines('orders:read;stock:approve', de).map((line) => line.words);
  assert.deepEqual(words, ['„orders“ lesen', '„stock“ freigeben']);
});

test('permissions that delete or delegate are marked', () => {
  const marked = permissionLines('orders:read,delete,admin', en).map((line) => line.isFarReaching);
  assert.deepEqual(marked, [false, true, true]);
});

test('an unknown permission is shown by name, even "constructor"', () => {
  const [line] = permissionLines('orders:constructor', en);
  assert.equal(line?.words, 'Use “constructor” of “orders”');
});
