// When a node fetches a list that certificates name, and what it tells the others.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { TAG } from '../../src/pki/der/der.ts';
import { write } from '../../src/pki/der/der-write.ts';
import { EXTENSION } from '../../src/pki/x509/extensions.ts';
import { makeAuthority } from '../authority.ts';
import { extension } from '../signed-der.ts';
import { at, HOUR, listOf, markOf, scene, seconds, URL } from './fetching-node.ts';

suite('a list that a node fetches', () => {
  test('is shared with its contents, mark and next renewal', async () => {
    const { state, shared, said, lists, numbers } = scene();
    const list = listOf(1);
    state.serve = () => list;
    await lists.need(URL, 'TEST');
    assert.deepEqual([numbers(), said.named, state.allowed, state.changes], [[1], [URL], ['10.0.0.0/8'], 1]);
    assert.deepEqual([shared[0]?.mark, shared[0]?.octets, shared[0]?.failure], [markOf(list), list.length, undefined]);
    assert.deepEqual(seconds(shared[0]), [0, 8 * HOUR]);
  });

  test('may contact the allowed addresses only of issuers that use it', async () => {
    const { state, lists } = scene();
    state.serve = () => listOf(1);
    await lists.need(URL, 'OTHER');
    assert.deepEqual(state.allowed, []);
  });

  test('beside a complete or valid one is not put in its place in the store', async () => {
    const delta = { extensions: [extension(EXTENSION.deltaCrlIndicator, write(TAG.integer, Uint8Array.of(1)), true)] };
    for (const options of [delta, { thisUpdate: at(20 * HOUR), nextUpdate: at(30 * HOUR) }]) {
      const { state, shared, lists, renewAt } = scene();
      await lists.need(URL, 'TEST');
      state.serve = () => listOf(2, options);
      await renewAt(8 * HOUR);
      assert.deepEqual([shared.length, shared[1]?.mark, shared[1]?.octets], [2, undefined, undefined]);
      const alone = scene();
      alone.state.serve = () => listOf(2, options);
      await alone.lists.need(URL, 'TEST');
      assert.notEqual(alone.shared[0]?.mark, undefined, 'but it is better than none');
    }
  });

  test('that fails is tried again after growing delays; the reason is logged once', async () => {
    const { state, shared, said, lists, renewAt } = scene();
    state.serve = () => undefined;
    await lists.need(URL, 'TEST');
    for (const after of [59, 74, 75, 194, 210]) await renewAt(after);
    assert.deepEqual(shared.map(seconds), [
      [0, 60],
      [75, 195],
      [210, 450],
    ]);
    assert.deepEqual(said.refused, ['the response is HTTP 503']);
    assert.equal(shared[0]?.failure, 'the response is HTTP 503');
    state.serve = () => listOf(1);
    await renewAt(465);
    state.serve = () => undefined;
    await renewAt(8 * HOUR + 465);
    assert.equal(said.refused.length, 2, 'a new failure is logged');
    assert.deepEqual(
      seconds(shared.at(-1))?.map((each) => each - 8 * HOUR - 465),
      [0, 60],
    );
  });

  test('that is not trusted or has expired is tried again later', async () => {
    for (const [list, delay, failure] of [
      [() => new Uint8Array(makeAuthority({ name: 'Root' }).crl()), 600, 'the CRL is not signed by the issuer'],
      [() => new Uint8Array(Buffer.from('junk')), 600, 'there is no CRL in PEM or DER'],
      [() => Uint8Array.of(TAG.sequence, 0), 600, 'the CRL cannot be read: a field is missing'],
      [() => listOf(1, { thisUpdate: at(-9), nextUpdate: at(0) }), 60],
      [() => listOf(1, { nextUpdate: null }), 60],
      [() => listOf(1, { thisUpdate: at(301) }), 60],
      [() => listOf(1, { thisUpdate: at(300) }), 300 + 0.8 * (10 * HOUR - 300)],
    ] as const) {
      const { state, shared, lists } = scene();
      state.serve = list;
      await lists.need(URL, 'TEST');
      assert.deepEqual(seconds(shared[0]), [0, delay]);
      assert.equal(shared[0]?.failure, failure);
    }
  });

  test('that is not trusted is kept for its reason, until one that is arrives', async () => {
    const { state, lists, numbers, renewAt } = scene();
    const forged = new Uint8Array(makeAuthority({ name: 'Root' }).crl({ number: 7 }));
    state.serve = () => forged;
    await lists.need(URL, 'TEST');
    assert.deepEqual(numbers(), [7]);
    state.serve = () => listOf(1);
    await renewAt(615);
    assert.deepEqual(numbers(), [1]);
    state.serve = () => forged;
    await renewAt(9 * HOUR);
    assert.deepEqual(numbers(), [1]);
  });

  test('again, unchanged, is shared again', async () => {
    const { state, shared, lists, numbers, renewAt } = scene();
    const list = listOf(1);
    state.serve = () => list;
    await lists.need(URL, 'TEST');
    await renewAt(8 * HOUR);
    assert.deepEqual([numbers(), state.changes], [[1], 1]);
    assert.deepEqual([shared.length, shared[1]?.mark, shared[1]?.octets], [2, markOf(list), list.length]);
    assert.deepEqual(seconds(shared[1]), [8 * HOUR, 8 * HOUR + 60]);
  });

  test('is not shared if it was forgotten in the meantime', async () => {
    const { state, shared, lists, numbers } = scene();
    state.serve = () => {
      state.isWanted = false;
      void lists.renew();
      return listOf(1);
    };
    await lists.need(URL, 'TEST');
    assert.deepEqual([numbers(), shared.length, state.changes], [[], 0, 0], 'no verdict is made anew');
  });

  test('has as many octets as the limit at most', async () => {
    const list = listOf(1);
    for (const [listBytes, failure] of [
      [list.length, undefined],
      [list.length - 1, `it has more than ${list.length - 1} octets`],
    ] as const) {
      const { state, shared, lists } = scene({ listBytes });
      state.serve = () => list;
      await lists.need(URL, 'TEST');
      assert.equal(shared[0]?.failure, failure);
    }
  });
});
