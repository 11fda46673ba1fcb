import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  dueSteps,
  findKeyConflict,
  type SigningKeyLife,
  type SigningKeyState,
  signWith,
  stateOfNewKey,
  whyNotRemove,
  whyNotSign,
} from '../../src/core/rules/signing-keys.ts';
import { epochSeconds, seconds } from '../../src/core/time.ts';
import { NOW } from '../samples.ts';

const TIMES = { publishedFor: seconds(100), tokenLifetime: seconds(50) };
const later = (by: number) => epochSeconds(NOW + by);
const aKey = (id: string, state: SigningKeyState, since = NOW): SigningKeyLife => ({ id, state, since });

test('the first key signs at once, a later one is published first', () => {
  assert.equal(stateOfNewKey([]), 'signing');
  assert.equal(stateOfNewKey([aKey('a', 'signing')]), 'published');
});

test('a key signs once it was published for long enough, to the second', () => {
  const key = aKey('b', 'published');
  assert.equal(whyNotSign(key, TIMES, later(99)), 'published-too-recently');
  assert.equal(whyNotSign(key, TIMES, later(100)), undefined);
  assert.equal(whyNotSign(aKey('a', 'signing'), TIMES, later(100)), 'signs-already');
  assert.equal(whyNotSign(aKey('a', 'retiring'), TIMES, later(100)), 'retiring');
});

test('when a key begins to sign, the one before it retires at that moment and others stay', () => {
  const keys = [aKey('a', 'retiring'), aKey('b', 'signing'), aKey('c', 'published'), aKey('d', 'published')];
  assert.deepEqual(signWith(keys, 'c', later(7)), [
    aKey('a', 'retiring'),
    aKey('b', 'retiring', later(7)),
    aKey('c', 'signing', later(7)),
    aKey('d', 'published'),
  ]);
});

test('a key stays published until the last token that it signed has expired', () => {
  assert.equal(whyNotRemove(aKey('a', 'signing'), TIMES, later(1000)), 'signs');
  assert.equal(whyNotRemove(aKey('a', 'retiring'), TIMES, later(49)), 'tokens-alive');
  assert.equal(whyNotRemove(aKey('a', 'retiring'), TIMES, later(50)), undefined);
  assert.equal(whyNotRemove(aKey('a', 'published'), TIMES, NOW), undefined, 'it has signed nothing');
});

test('what is due: the key published first signs, keys whose tokens have expired are removed', () => {
  const keys = [
    aKey('a', 'retiring'),
    aKey('b', 'signing'),
    aKey('c', 'published', later(10)),
    aKey('d', 'published', later(5)),
  ];
  assert.deepEqual(dueSteps(keys, TIMES, later(40)), []);
  assert.deepEqual(dueSteps(keys, TIMES, later(105)), [
    { do: 'sign', id: 'd' },
    { do: 'remove', id: 'a' },
  ]);
});

test('two keys of one id, none that signs, and two that sign are conflicts', () => {
  assert.equal(findKeyConflict([]), undefined);
  assert.equal(findKeyConflict([aKey('a', 'signing'), aKey('a', 'published')]), 'same-id');
  assert.equal(findKeyConflict([aKey('a', 'published')]), 'not-one-signing');
  assert.equal(findKeyConflict([aKey('a', 'signing'), aKey('b', 'signing')]), 'not-one-signing');
});

test('whatever is added and whenever the due steps are taken: one key signs, published in time, removed in time', () => {
  const days = fc.array(fc.record({ wait: fc.nat(120), add: fc.boolean() }), { maxLength: 40 });
  fc.assert(
    fc.property(days, (moves) => {
      let [keys, now, count]: [SigningKeyLife[], number, number] = [[], NOW, 0];
      for (const { wait, add } of moves) {
        now += wait;
        if (add) keys = [...keys, aKey(`k${count++}`, stateOfNewKey(keys), epochSeconds(now))];
        for (const step of dueSteps(keys, TIMES, epochSeconds(now))) {
          const before = keys.find(({ id }) => id === step.id) as SigningKeyLife;
          if (step.do === 'sign') assert.ok(before.state === 'published' && now - before.since >= 100);
          else assert.ok(before.state === 'retiring' && now - before.since >= 50);
          keys =
            step.do === 'sign' ? signWith(keys, step.id, epochSeconds(now)) : keys.filter(({ id }) => id !== step.id);
        }
        assert.equal(findKeyConflict(keys), undefined);
      }
    }),
  );
});
