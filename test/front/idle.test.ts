// Which connections yield to newcomers, and how long what makes no progress may stay.
import assert from 'node:assert/strict';
import { constants } from 'node:http2';
import { suite, test } from 'node:test';
import type { BrokenRequest } from '../../src/front/broken-request.ts';
import { stillFront } from './still-front.ts';

suite('over the limit of connections', () => {
  test('an address, and a network, can hold a share of them; a listed proxy any number', (t) => {
    const limits = { connections: 20, addressShare: 20, networkShare: 30 };
    const { connect, connections } = stillFront(t, limits, ['10.0.0.1']);
    const open = (from: string, count: number) =>
      Array.from({ length: count }, () => connect(from)).filter(({ destroyed }) => !destroyed).length;
    const taken = [open('192.0.2.1', 6), open('192.0.2.2', 6), open('10.0.0.1', 8), open('198.51.100.1', 1)];
    assert.deepEqual(taken, [4, 2, 8, 1]);
    connections.destroyAll();
    assert.deepEqual([connections.count, open('192.0.2.1', 6)], [0, 4]);
  });

  test('the one that has been idle for longest yields, if that is a second; not a busy one, nor a proxy', async (t) => {
    const { ask, connect, connections, pass } = stillFront(t, { connections: 5 }, ['10.0.0.1']);
    const [busy, proxy, used, first, second] = [connect(), connect('10.0.0.1'), connect(), connect(), connect()];
    ask(busy);
    await pass(1);
    ask(used).response.end();
    await pass(998);
    assert.equal(connect().destroyed, true, 'nobody has been idle for a second');
    await pass(1);
    assert.equal(connect().destroyed, false);
    assert.equal(connect().destroyed, false);
    const isOpen = [busy, proxy, used, first, second].map(({ destroyed }) => !destroyed);
    assert.deepEqual(isOpen, [true, true, true, false, false]);
    assert.equal(connect().destroyed, true);
    await pass(1);
    assert.equal(connect().destroyed, false, 'now the one that was used');
    assert.deepEqual([used.destroyed, connections.count], [true, 5]);
  });

  test('a connection that is gone already takes no place', (t) => {
    const { connect, connections } = stillFront(t);
    assert.equal(connect('').destroyed, true);
    assert.equal(connections.count, 0);
  });
});

suite('a connection without requests', () => {
  for (const [what, isUsed, closesAt] of [
    ['that was never used has the time for headers', false, 10],
    ['has the idle time after its last request', true, 65],
  ] as const)
    test(`${what}, is told, and closed after the time for headers again`, async (t) => {
      const { ask, pass, stream } = stillFront(t);
      const { session } = stream();
      if (isUsed) {
        await pass(1_000);
        const { response } = ask(session.socket, { stream: { session, once: () => undefined } });
        response.end();
      }
      const states: unknown[] = [];
      for (let second = 1; second <= closesAt + 10; second++) {
        await pass(1_000);
        if ([closesAt - 1, closesAt, closesAt + 9, closesAt + 10].includes(second))
          states.push([session.closed, session.socket.destroyed]);
      }
      assert.deepEqual(states, [
        [false, false],
        [true, false],
        [true, false],
        [true, true],
      ]);
    });

  test('is not closed while it has one in progress', async (t) => {
    const { ask, connect, pass } = stillFront(t);
    const socket = connect();
    ask(socket);
    for (let second = 0; second < 200; second++) await pass(1_000);
    assert.equal(socket.destroyed, false);
  });

  test('closes once the server stops, and one with requests when it has none any more', (t) => {
    const { ask, connections, stream } = stillFront(t);
    const [idle, busy] = [stream(), stream()];
    const { response } = ask(busy.session.socket, { stream: busy });
    connections.closeIdleSessions();
    assert.deepEqual([idle.session.closed, busy.session.closed], [true, false]);
    response.end();
    assert.equal(busy.session.closed, true);
  });
});

suite('an answer', () => {
  test('that is not read for the time of a request ends: its connection, or over HTTP/2 its stream', async (t) => {
    const { ask, connect, pass, stream } = stillFront(t);
    const [socket, other] = [connect(), stream()];
    ask(socket).response.end(false);
    ask(other.session.socket, { stream: other }).response.end(false);
    for (let second = 1; second <= 30; second++) await pass(1_000);
    assert.deepEqual([socket.destroyed, other.closedWith], [false, undefined]);
    await pass(1_000);
    assert.deepEqual([socket.destroyed, other.closedWith], [true, constants.NGHTTP2_CANCEL]);
    assert.equal(other.session.socket.destroyed, false);
    await pass(1_000);
    assert.equal(other.session.socket.destroyed, true, 'its stream did not end');
  });

  test('to a HEAD over HTTP/2 ends at once: its body may never come', async (t) => {
    const { ask, pass, stream } = stillFront(t);
    const [head, get] = [stream(), stream()];
    for (const [method, of] of [
      ['HEAD', head],
      ['GET', get],
    ] as const)
      ask(of.session.socket, { stream: of, method }).response.end(false);
    await pass(1_000);
    assert.deepEqual([head.closedWith, get.closedWith], [constants.NGHTTP2_CANCEL, undefined]);
  });

  test('that stays open for events is not ended, one that has begun and does not end is', async (t) => {
    const { ask, connect, pass } = stillFront(t);
    const [events, endless] = [connect(), connect()];
    for (const [socket, isStream] of [
      [events, true],
      [endless, false],
    ] as const) {
      const { request, response } = ask(socket);
      if (isStream) request().keepStreaming(() => undefined, 'a');
      response.writeHead(200);
    }
    for (let second = 0; second < 31; second++) await pass(1_000);
    assert.deepEqual([events.destroyed, endless.destroyed], [false, true]);
  });
});

suite('a body over HTTP/2', () => {
  test('that has not come within the time of a request is refused; not one that is worked on', async (t) => {
    const { ask, pass, stream } = stillFront(t);
    const faults: unknown[] = [];
    for (const complete of [false, true]) {
      const of = stream();
      const { request } = ask(of.session.socket, { stream: of, complete });
      request().raw.on('error', (fault: BrokenRequest) => faults.push([complete, fault.reason]));
    }
    const unread = stream();
    ask(unread.session.socket, { stream: unread, complete: false });
    for (let second = 0; second < 29; second++) await pass(1_000);
    assert.deepEqual(faults, []);
    await pass(1_000);
    assert.deepEqual(faults, [[false, 'request-too-slow']]);
  });
});
