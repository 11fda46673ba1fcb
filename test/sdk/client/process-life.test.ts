// Whether the owner of a lock still lives. The clock is the test's own.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { isDead, newOwner, parseOwner } from '../../../sdk/client/src/store/process-life.ts';

const NOW = 1_800_000_000_000;

test('an owner of this machine lives as long as its process; another one as long as it touches its lock', (t: TestContext) => {
  t.mock.method(Date, 'now', () => NOW);
  for (const [difference, touchedAt, expected] of [
    [{}, 0, false],
    [{ pid: 2 ** 22 + 1 }, NOW, true],
    [{ start: '1' }, NOW, true], // its number belongs to another process now
    [{ world: 'another' }, NOW - 30_000, false],
    [{ world: 'another' }, NOW - 30_001, true],
  ] as const)
    assert.equal(isDead({ ...newOwner(), ...difference }, touchedAt), expected, JSON.stringify(difference));
});

test('what names no owner is none', () => {
  for (const text of ['', '{', '{}', '{"id":1,"pid":1}', '{"id":"a"}', '{"id":"a","pid":"1"}'])
    assert.equal(parseOwner(text), undefined, text);
  assert.partialDeepStrictEqual(parseOwner('{"id":"a","pid":1}'), { id: 'a', pid: 1 });
});
