// What is remembered of DPoP proofs, for how long, and who is refused if they are too many. The clock is the test's own.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { ProofMemory } from '../../src/operations/grant/proof-memory.ts';
import { Seeded } from '../seeded.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
let made = 0;

/** Proofs of a key, each valid until then: how many of them are accepted. */
function accepted(
  memory: ProofMemory,
  key: string,
  count: number,
  { now, until }: { now: number; until?: number } = { now: 0 },
): number {
  const outcomes = Array.from({ length: count }, () =>
    memory.remember({ key, id: `${++made}`, until: until ?? now + 60 }, now),
  );
  return outcomes.filter((outcome) => typeof outcome === 'object').length;
}

test('[RFC 9449 11.1] a proof is remembered while it is valid, also if the clock is set back a little; half a minute later it is not', () => {
  const chance = new Seeded(1);
  const memory = new ProofMemory(1_000_000);
  const known: { key: string; id: string; until: number }[] = [];
  for (let now = 1_000_000, round = 0; round < 500; round++, now += chance.below(4)) {
    const setBack = chance.below(11);
    for (const proof of known) {
      if (proof.until < now - setBack) continue;
      assert.equal(memory.remember(proof, now - setBack), 'repeated', `${proof.until} at ${now} - ${setBack}`);
    }
    const proof = { key: `key ${chance.below(3)}`, id: `${round}`, until: now + chance.below(131) };
    assert.equal(typeof memory.remember(proof, now), 'object');
    known.push(proof);
    if (known.length > 50) known.splice(0, 1);
  }
  const last = Math.max(...known.map(({ until }) => until));
  assert.equal(memory.load(last + 30).used, 0);
});

test('two keys may use the same id; what is forgotten may be sent again', () => {
  const memory = new ProofMemory();
  const proof = { key: 'a', id: '1', until: 60 };
  const first = memory.remember(proof, 0);
  assert.equal(typeof memory.remember({ ...proof, key: 'b' }, 0), 'object');
  assert.equal(memory.remember(proof, 0), 'repeated');
  assert.ok(typeof first === 'object');
  first.forget();
  first.forget();
  assert.deepEqual(memory.load(0), { used: 1, most: 2 ** 18 });
  assert.equal(typeof memory.remember(proof, 0), 'object');
});

test('[threats: Keys, secrets, exchange, DPoP] a key that overflows is refused, and nobody else, until its proofs end', () => {
  const memory = new ProofMemory(10_000);
  assert.equal(accepted(memory, 'hog', 20_000), 8_000, 'four fifths');
  for (let n = 0; n < 100; n++) {
    assert.equal(accepted(memory, `other ${n}`, 10), 10);
    assert.equal(accepted(memory, 'hog', 1_000), 0);
  }
  assert.equal(accepted(memory, 'hog', 1, { now: 60 }), 0);
  assert.equal(accepted(memory, 'hog', 20_000, { now: 90 }), 8_000);
});

test('[threats: Keys, secrets, exchange, DPoP] nobody is refused while a fifth is free, and never who has less than another that is not', () => {
  const chance = new Seeded(2);
  const memory = new ProofMemory(2_000);
  const held = new Map<string, number>();
  let refused = 0;
  for (let round = 0; round < 8_000; round++) {
    const key = `key ${Math.min(chance.below(40), chance.below(40))}`;
    const { used, most } = memory.load(0);
    const isAccepted = accepted(memory, key, 1) === 1;
    const own = held.get(key) ?? 0;
    const more = [...held].filter(([, count]) => count > own).map(([other]) => other);
    if (isAccepted) held.set(key, own + 1);
    else {
      refused += 1;
      assert.ok(used >= (most * 4) / 5);
      for (const other of more) assert.equal(accepted(memory, other, 1), 0);
    }
  }
  assert.ok(refused > 0);
});

test('[threats: Keys, secrets, exchange, DPoP] a refused request leaves nothing in memory, not even its key', () => {
  const memory = new ProofMemory();
  const heapAfter = (requests: number): number => {
    for (let n = 0; n < requests; n++) {
      const taken = memory.remember({ key: `${n}`.padEnd(1000), id: '1', until: 60 }, 0);
      if (typeof taken === 'object') taken.forget();
    }
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  const [before, after] = [heapAfter(100), heapAfter(20_000)];
  assert.ok(after - before < 5_000_000, `${after - before} bytes of 20,000 keys with 1,000 each`);
});

test('500 proofs a second, of one key or of many, are never refused, and memory does not grow with time', () => {
  for (const keys of [1, 30_000]) {
    const memory = new ProofMemory();
    for (let now = 0, n = 0; now < 120; now++) {
      for (let one = 0; one < 500; one++)
        assert.equal(accepted(memory, `key ${n++ % keys}`, 1, { now, until: now + 65 }), 1);
      assert.ok(memory.load(now).used <= 500 * 86, `${memory.load(now).used} after ${now} s`);
    }
  }
});
