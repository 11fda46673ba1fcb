// What Node's parser refuses, and CONNECT: answered once, in turn, and the connection is over. The sockets are the test's own.
import assert from 'node:assert/strict';
import type { Server, Socket } from 'node:net';
import { suite, type TestContext, test } from 'node:test';
import { NEUTRAL_REPLIES } from '../../src/doors/http/refusal-replies.ts';
import { answerBrokenRequests, type BrokenRequest } from '../../src/front/broken-request.ts';
import { stillFront } from './still-front.ts';

function broken(t: TestContext) {
  const front = stillFront(t);
  const targets: string[] = [];
  answerBrokenRequests(front.server as Server, front.connections, (target) => {
    targets.push(target);
    return NEUTRAL_REPLIES.prepare(target, 'not-found');
  });
  /** A connection on which the parser fails. */
  const fail = (code: string, facts: object = {}, socket = front.connect()) => {
    front.server.emit('clientError', Object.assign(new Error(code), { code, ...facts }), socket as unknown as Socket);
    return socket;
  };
  return { ...front, targets, fail };
}

suite('a request that cannot be parsed', () => {
  for (const [code, line] of [
    ['HPE_HEADER_OVERFLOW', '431 Request Header Fields Too Large'],
    ['ERR_HTTP_REQUEST_TIMEOUT', '400 The request took too long to arrive.'],
    ['HPE_INVALID_CONSTANT', '400 The request is malformed.'],
  ] as const)
    test(`is answered, and the connection is over: ${code}`, (t) => {
      const { sent } = broken(t).fail(code);
      assert.match(sent, new RegExp(`^HTTP/1.1 ${line}\r\n`));
      assert.match(sent, /\r\nConnection: close\r\n\r\n\{"Error":"invalid_request"/);
    });

  for (const code of ['ECONNRESET', 'ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_TLS_HANDSHAKE_TIMEOUT'])
    test(`is not answered if nobody would read it: ${code}`, (t) => {
      const { sent, destroyed } = broken(t).fail(code);
      assert.deepEqual([sent, destroyed], ['', true]);
    });

  test('is not answered on a connection that is over, or not known', (t) => {
    const { connect, fail } = broken(t);
    const ended = Object.assign(connect(), { writable: false });
    const unknown = Object.assign(connect(), { remotePort: 0 });
    for (const socket of [ended, unknown]) {
      fail('HPE_INVALID_CONSTANT', {}, socket);
      assert.deepEqual([socket.sent, socket.destroyed], ['', true]);
    }
  });

  test('is answered once, and the caller has a second to read it, or ten if it does not', async (t) => {
    const { fail, pass } = broken(t);
    const [reading, deaf] = [fail('HPE_INVALID_CONSTANT'), fail('HPE_INVALID_CONSTANT')];
    const { sent } = reading;
    fail('HPE_INVALID_CONSTANT', {}, Object.assign(reading, { writable: true }));
    assert.equal(reading.sent, sent);
    reading.emit('finish');
    await pass(999);
    assert.equal(reading.destroyed, false);
    await pass(1);
    assert.equal(reading.destroyed, true);
    await pass(8_999);
    assert.equal(deaf.destroyed, false);
    await pass(1);
    assert.equal(deaf.destroyed, true);
  });

  test('is answered behind the answers to the requests before it, if those can be sent', (t) => {
    const { ask, connect, fail } = broken(t);
    for (const writable of [true, false]) {
      const socket = connect();
      const { response } = ask(socket);
      fail('HPE_INVALID_CONSTANT', {}, socket);
      assert.equal(socket.sent, '');
      socket.writable = writable;
      response.end();
      assert.equal(socket.sent !== '', writable);
      assert.equal(socket.destroyed, !writable);
    }
  });

  test('is refused by its target if only its method is unknown', (t) => {
    const { fail, targets } = broken(t);
    const method = (rawPacket: string | undefined, bytesParsed?: number) =>
      fail('HPE_INVALID_METHOD', { rawPacket: rawPacket && Buffer.from(rawPacket), bytesParsed }).sent.slice(9, 12);
    const [first, second] = ['B /tea HTTP/1.1\r\n', 'B /pot HTTP/1.0\r\nHost: x\r\n'];
    assert.equal(method(first), '404');
    assert.equal(method(first + second, first.length), '404');
    assert.equal(method(first + second, first.length + 2), '404', 'inside the line');
    assert.equal(method(`\n${second}`, 1), '404');
    assert.deepEqual(targets, ['/tea', '/pot', '/pot', '/pot']);
    for (const other of [
      'BREW /tea HTTP/1.1',
      'BREW /a b HTTP/1.1\r\n',
      'BR(W /tea HTTP/1.1\r\n',
      'BREW /tea HTTP/2.0\r\n',
      undefined,
    ])
      assert.equal(method(other), '400', other);
    assert.equal(fail('HPE_INVALID_CONSTANT', { rawPacket: Buffer.from(first) }).sent.slice(9, 12), '400');
  });
});

suite('a request that breaks in its body', () => {
  test('is answered by its door, or not at all if the answer is out or the caller is gone', (t) => {
    const { ask, at, connect, fail } = broken(t);
    for (const [code, isRead, expected] of [
      ['HPE_INVALID_CHUNK_SIZE', true, ['request-malformed', false, false]],
      ['ERR_HTTP_REQUEST_TIMEOUT', true, ['request-too-slow', false, false]],
      ['HPE_INVALID_CHUNK_SIZE', false, [undefined, true, false]],
      ['HPE_INVALID_EOF_STATE', true, [undefined, true, true]],
    ] as const) {
      const socket = connect();
      const { request, response } = ask(socket, { complete: false });
      let reason: string | undefined;
      if (isRead)
        request().raw.on('error', (fault: BrokenRequest) => {
          reason = fault.reason;
        });
      const connection = at(socket);
      fail(code, {}, socket);
      assert.deepEqual([reason, socket.destroyed, response.shouldKeepAlive], expected, code);
      assert.deepEqual([socket.sent, connection?.isClosing], ['', true]);
    }
  });
});

suite('CONNECT', () => {
  test('is answered with 405 in its turn; on a connection that is not known, not at all', (t) => {
    const { ask, connect, server } = broken(t);
    const socket = connect();
    const { response } = ask(socket);
    server.emit('connect', {}, socket);
    assert.equal(socket.sent, '');
    response.end();
    assert.match(socket.sent, /^HTTP\/1.1 405 Method Not Allowed\r\nallow: GET, POST\r\n/);
    socket.emit('error', new Error('has a listener'));
    assert.equal(socket.destroyed, true);
    const unknown = Object.assign(connect(), { remotePort: 0 });
    server.emit('connect', {}, unknown);
    assert.deepEqual([unknown.sent, unknown.destroyed], ['', true]);
  });
});
