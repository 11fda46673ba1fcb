import assert from 'node:assert/strict';
import { test } from 'node:test';
import { permissionLines } from '../../../src/doors/pages/device/permissions.ts';
import { de } from '../../../src/doors/pages/parts/texts/de.ts';
import { en } from '../../../src/doors/pages/parts/texts/en.ts';

test('a scope becomes one line per permission, in plain words', () => {
  const words = permissionLines('Orders:read,delete;stock', en).map((line) => line.words);
  assert.deepEqual(words, ['Read “orders”', 'Delete “orders”', 'Basic access to “stock”']);
});

test('and in German', () => {
  const words = permissionLines('orders:read;stock:approve', de).map((line) => line.words);
  assert.deepEqual(words, ['„orders“ lesen', '„stock“ freigeben']);
});

test('what destroys or gives power away is marked', () => {
  const marked = permissionLines('orders:read,delete,admin', en).map((line) => line.isFarReaching);
  assert.deepEqual(marked, [false, true, true]);
});

test('a permission nobody has words for is named, even one named like something every object has', () => {
  const [line] = permissionLines('orders:constructor', en);
  assert.equal(line?.words, 'Use “constructor” of “orders”');
});
