// What a test expects must not come from the code that it tests: it would agree with every flaw of it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ALLOWED, mayTake } from '../../lab/oracles/allowed.ts';
import { takenIn } from '../../lab/oracles/assertions.ts';
import { sourcesIn } from './sources.ts';

const taken = sourcesIn('test', '.ts').flatMap(({ path }) => takenIn(path).map((name) => [path, name] as const));

test('tests take no constant from the code under test, and expect nothing that it computes, unless test/oracles.md says why', () => {
  const without = taken.filter(([path, name]) => !mayTake(path, name)).map((each) => each.join(' '));
  assert.deepEqual(without, [], 'write what you expect by hand');
});

test('every entry of test/oracles.md is in use', () => {
  const isUsed = ([where, name]: readonly [string, string]) =>
    taken.some(([path, each]) => each === name && (where === path || where === 'anywhere'));
  const unused = ALLOWED.filter((each) => !isUsed(each)).map((each) => each.join(' '));
  assert.deepEqual(unused, []);
});
