import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { countMembers } from '../../../src/doors/token/parameters.ts';
import { anyCharacter } from '../../any-character.ts';

const objects = fc.dictionary(
  fc.string({ unit: anyCharacter }),
  fc.jsonValue({ maxDepth: 4, stringUnit: anyCharacter }),
);

test('counts the members of any object, however it is indented', () => {
  fc.assert(
    fc.property(objects, fc.nat(3), (value, indent) => {
      assert.equal(countMembers(JSON.stringify(value, null, indent)), Object.keys(value).length);
    }),
  );
});

test('counts repeated keys as often as they occur', () => {
  fc.assert(
    fc.property(objects, objects, (first, second) => {
      const [one, other] = [JSON.stringify(first).slice(1, -1), JSON.stringify(second).slice(1, -1)];
      const both = [one, other].filter((text) => text !== '').join(',');
      assert.equal(countMembers(`{${both}}`), Object.keys(first).length + Object.keys(second).length);
    }),
  );
});

test('a long run of escapes costs no more than its length', () => {
  const text = `{"a":"${'\\\\'.repeat(30_000)}\\"${'\\"'.repeat(30_000)}"}`;
  assert.equal(countMembers(text), 1);
});
