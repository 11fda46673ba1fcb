// Which lists that other nodes fetched a node uses, and which lists it forgets.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { SharedList } from '../../src/core/shared-download.ts';
import { epochSeconds } from '../../src/core/time.ts';
import { readCertificate } from '../../src/pki/x509/certificate.ts';
import { makeAuthority } from '../authority.ts';
import { NOW } from './approved.ts';
import { at, authority, HOUR, issuer, listOf, markOf, scene, seconds, URL } from './fetching-node.ts';

suite('a list that another node fetched', () => {
  const list = listOf(3);
  const stored = (more: Partial<SharedList> = {}): SharedList => ({
    ...{ url: URL, askedAt: NOW, checkedAt: NOW, renewAt: epochSeconds(NOW + 8 * HOUR), mark: markOf(list) },
    ...more,
  });

  test('is loaded instead of fetched, and renewed when it is due', async () => {
    const { state, shared, lists, numbers, renewAt } = scene();
    Object.assign(state, { stored: stored(), contents: list });
    await lists.need(URL, 'TEST');
    assert.deepEqual([numbers(), state.requests, shared.length], [[3], 0, 0]);
    await renewAt(8 * HOUR - 1);
    assert.equal(state.requests, 0);
    state.serve = () => listOf(4);
    await renewAt(8 * HOUR);
    assert.deepEqual([numbers(), state.requests], [[4], 1]);
  });

  test('is loaded before a caller of this node needs it, but not if it was refused', async () => {
    const { state, said, lists, numbers } = scene();
    Object.assign(state, { stored: stored(), contents: listOf(5) });
    state.authorities = [];
    await lists.follow(false);
    assert.deepEqual([numbers(), said.refused], [[], []], 'nobody here needs it: nothing is logged');
    state.authorities = [{ authority, issuer }];
    await lists.follow(false);
    assert.deepEqual(numbers(), [], 'refused before');
    await lists.follow(true);
    assert.deepEqual(numbers(), [5]);
  });

  test('is not loaded for which there is no room, until this node needs it', async () => {
    const { state, said, lists, numbers } = scene({ totalBytes: list.length });
    Object.assign(state, { stored: stored(), contents: list });
    await lists.follow(true);
    assert.deepEqual([numbers(), said.limits, state.changes], [[], [], 0]);
    const release = lists.hold([URL]);
    await lists.need(URL, 'TEST');
    assert.deepEqual([numbers(), state.requests], [[3], 0]);
    release();
  });

  test('is not loaded if it has more octets than this node takes', async () => {
    for (const [listBytes, found, refused] of [
      [list.length, [3], []],
      [list.length - 1, [], [`in the store: it has more than ${list.length - 1} octets`]],
    ] as const) {
      const { state, said, lists, numbers } = scene({ listBytes });
      Object.assign(state, { stored: stored(), contents: list, serve: () => undefined });
      await lists.need(URL, 'TEST');
      assert.deepEqual([numbers(), said.refused.slice(0, 1)], [found, refused]);
    }
  });

  test('is not renewed later than this node would, whatever the store says', async () => {
    const { state, lists, renewAt } = scene();
    Object.assign(state, { stored: stored({ renewAt: epochSeconds(NOW + 99 * HOUR) }), contents: list });
    await lists.follow(true);
    state.stored = undefined;
    await renewAt(8 * HOUR - 1);
    assert.equal(state.requests, 0);
    await renewAt(8 * HOUR);
    assert.equal(state.requests, 1);
  });

  test('that is not trusted does not postpone what this node does', async () => {
    const { state, lists, renewAt } = scene();
    state.serve = () => undefined;
    await lists.need(URL, 'TEST');
    const forged = new Uint8Array(
      makeAuthority({ name: 'Root' }).crl({ thisUpdate: at(0), nextUpdate: at(10 * HOUR) }),
    );
    Object.assign(state, { stored: stored({ mark: markOf(forged) }), contents: forged });
    await lists.follow(false);
    state.stored = undefined;
    await renewAt(74);
    assert.equal(state.requests, 1);
    await renewAt(75);
    assert.equal(state.requests, 2);
  });

  test('that could not be fetched is left for as long as that node says, 16 minutes at most', async () => {
    for (const [delay, due] of [
      [300, 300],
      [99 * HOUR, 960],
    ] as const) {
      const { state, shared, lists, renewAt } = scene();
      state.serve = () => undefined;
      await lists.need(URL, 'TEST');
      const { mark: _, ...failed } = stored({ failure: 'away', renewAt: epochSeconds(NOW + delay) });
      state.stored = failed;
      await lists.follow(false);
      state.stored = undefined;
      await renewAt(due - 1);
      assert.equal(state.requests, 1);
      await renewAt(due);
      assert.equal(state.requests, 2);
      assert.equal((seconds(shared.at(-1))?.[1] ?? 0) - due, Math.min(960, 2 * delay), 'its delay counts as ours');
    }
  });
});

suite('a list is forgotten', () => {
  test('when nobody wants it, or no accepted CA signed it', async () => {
    for (const change of [{ isWanted: false }, { authorities: [] }]) {
      const { state, lists, numbers, renewAt } = scene();
      await lists.need(URL, 'TEST');
      await renewAt(1);
      assert.deepEqual([numbers(), state.changes], [[1], 1]);
      Object.assign(state, change);
      await renewAt(2);
      assert.deepEqual([numbers(), state.changes, state.requests], [[], 2, 1]);
    }
  });

  test('without the other kind at its address, if only that is trusted still', async () => {
    const other = makeAuthority({ name: 'Other' });
    const read = readCertificate(other.certificate);
    const second = read.ok ? read.value : assert.fail();
    const { state, lists, numbers, renewAt } = scene();
    state.authorities = [...state.authorities, { authority: second, issuer }];
    await lists.need(URL, 'TEST');
    state.serve = () => new Uint8Array(other.crl({ thisUpdate: at(0), nextUpdate: at(20 * HOUR), number: 2 }));
    await renewAt(8 * HOUR);
    assert.deepEqual(numbers(), [1, 2]);
    state.authorities = [{ authority: second, issuer }];
    await renewAt(8 * HOUR + 1);
    assert.deepEqual(numbers(), [2]);
  });

  test('at a limit, and not loaded again before a caller needs it', async () => {
    const size = { totalBytes: 1 };
    const { state, said, lists, numbers } = scene(size);
    const release = lists.hold([URL]);
    await lists.need(URL, 'TEST');
    assert.deepEqual([numbers().length, said.limits.length], [1, 0], 'a verdict waits for it');
    release();
    await lists.renew();
    assert.equal(numbers().length, 0);
    assert.match(said.limits[0] ?? '', /totalBytes/);
    assert.equal(state.requests, 1);
  });
});
