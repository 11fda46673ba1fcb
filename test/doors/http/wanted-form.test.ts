// What a caller wants to see, by its Accept header (RFC 9110 12.5.1).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wantedForm } from '../../../src/doors/http/wanted-form.ts';

const WANTED: Readonly<Record<string, 'page' | 'json' | undefined>> = {
  '': undefined,
  '*/*': undefined,
  constructor: undefined,
  'text/html': 'page',
  'Application/XHTML+XML': 'page',
  'application/json': 'json',
  'text/html, application/json': 'page',
  'application/json;q=1, text/html': 'json',
  'text/html;q=0.5, application/json': 'json',
  'application/json;q=0.2, text/html; level=1 ; q=0.3, */*': 'page',
  'application/json;q=0, text/html;q=0.1': 'page',
  'text/html;q=0': undefined,
  'text/html;q=much': undefined,
};

for (const [accept, form] of Object.entries(WANTED))
  test(`Accept: ${accept} is ${form ?? 'anything'}`, () => assert.equal(wantedForm({ accept }), form));

test('a program that sends no Accept wants anything; of a long one, 500 characters are read', () => {
  assert.equal(wantedForm({}), undefined);
  const after = (length: number) => wantedForm({ accept: `${'x'.repeat(length - 1)},text/html` });
  assert.deepEqual([after(491), after(492)], ['page', undefined]);
});
