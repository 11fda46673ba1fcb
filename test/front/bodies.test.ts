// Shares of a limit, malformed requests and bodies, without a connection.
import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { suite, test } from 'node:test';
import type { FastifyRequest } from 'fastify';
import { BrokenRequest, whyMalformed } from '../../src/front/broken-request.ts';
import { readBody } from '../../src/front/read-body.ts';
import { originOf, Shares } from '../../src/front/shares.ts';

suite('of a limit', () => {
  const [a, neighbour, far] = ['192.0.2.1', '192.0.2.2', '198.51.100.1'].map(originOf);
  const taken = (shares: Shares, origin = a) => {
    let count = 0;
    while (!shares.isFull(origin) && count < 1000) {
      shares.take(origin);
      count += 1;
    }
    return count;
  };

  test('an address can hold its share, and its network more', () => {
    const shares = new Shares(100, 20, 30);
    assert.equal(taken(shares), 20);
    assert.equal(taken(shares, neighbour), 10);
    assert.equal(taken(shares, far), 20);
    shares.release(a);
    assert.equal(taken(shares, neighbour), 1, 'what is released is free again');
    for (let n = 0; n < 19; n++) shares.release(a);
    assert.equal(taken(shares), 19);
  });

  test('what is left of two is counted, and of nobody nothing is kept', (t) => {
    const shares = new Shares(2, 100, 100);
    const set = t.mock.method(Map.prototype, 'set');
    for (const act of ['take', 'take', 'release'] as const) shares[act](a);
    const held = set.mock.calls[0]?.this as Map<string, number>;
    assert.equal(taken(shares), 1);
    for (let n = 0; n < 2; n++) shares.release(a);
    assert.equal(held.size, 0);
  });

  test('everybody can hold one, and a network no less than an address', () => {
    assert.equal(taken(new Shares(10, 1, 1)), 1);
    assert.equal(taken(new Shares(100, 50, 10)), 50);
    assert.equal(taken(new Shares(199, 1, 100)), 1);
  });

  test('a proxy that forwards no address counts for nobody', () => {
    const shares = new Shares(1, 1, 1);
    for (let n = 0; n < 3; n++) shares.take(undefined);
    assert.equal(shares.isFull(undefined), false);
    shares.release(undefined);
    assert.equal(shares.isFull(a), false);
  });
});

suite('a request is malformed', () => {
  const why = (rawHeaders: string[], version = [1, 1], more: object = {}) =>
    whyMalformed({
      ...{ httpVersionMajor: version[0], httpVersionMinor: version[1], rawHeaders },
      ...more,
    } as IncomingMessage);
  const HOST = ['Host', 'a.example'];

  test('by its version', () => {
    assert.equal(why(HOST), undefined);
    assert.equal(why([], [1, 0]), undefined);
    assert.equal(why([], [0, 9]), 'request-malformed');
    assert.equal(why([], [2, 0]), 'request-malformed');
    assert.equal(why([], [2, 0], { stream: {} }), undefined);
  });

  test('without exactly one Host, over HTTP/1.1 [RFC 9112 3.2]', () => {
    assert.equal(why([]), 'request-malformed');
    assert.equal(why([...HOST, ...HOST]), 'request-malformed');
    assert.equal(why(['hOsT', 'a.example', 'Hose', 'x']), undefined);
    assert.equal(why([...HOST, ...HOST], [1, 0]), undefined);
  });

  test('with two types or two credentials', () => {
    assert.equal(why([...HOST, 'Content-Type', 'a']), undefined);
    assert.equal(why([...HOST, 'Content-Type', 'a', 'content-type', 'a']), 'content-type-repeated');
    assert.equal(why([...HOST, 'Authorization', 'a']), undefined);
    assert.equal(why([...HOST, 'Authorization', 'a', 'authorization', 'b']), 'request-malformed');
    assert.equal(
      why([...HOST, 'x-type-words', 'a', 'x-type-words', 'a', 'x-other-names', 'b', 'x-other-names', 'b']),
      undefined,
    );
  });

  test('with another transfer coding than chunked, or over HTTP/1.0 [RFC 9112 6.1]', () => {
    assert.equal(why([...HOST, 'Transfer-Encoding', 'Chunked']), undefined);
    assert.equal(why([...HOST, 'Transfer-Encoding', 'gzip, chunked']), 'request-malformed');
    assert.equal(why(['transfer-encoding', 'chunked'], [1, 0]), 'request-malformed');
    assert.equal(why([...HOST, 'x-transfer-coding', 'gzip']), undefined);
  });
});

suite('a body', () => {
  /** Reads what `send` sends. */
  function read(send: (raw: EventEmitter) => void, { limit = 1024, headers = {} as Record<string, string> } = {}) {
    const raw = new EventEmitter();
    const results: string[] = [];
    readBody({ raw, headers } as unknown as FastifyRequest, limit, (fault, body) => {
      results.push(fault ? (fault as BrokenRequest).reason : (body?.toString() ?? 'none'));
    });
    send(raw);
    return results;
  }
  const pieces =
    (...parts: string[]) =>
    (raw: EventEmitter) => {
      for (const part of parts) raw.emit('data', Buffer.from(part));
      raw.emit('end');
    };

  test('is read whole, however it comes', () => {
    assert.deepEqual(read(pieces()), ['']);
    assert.deepEqual(read(pieces('hello')), ['hello']);
    assert.deepEqual(read(pieces('he', 'll', 'o')), ['hello']);
    const parts = Array.from({ length: 40 }, (_, n) => String.fromCharCode(97 + (n % 26)).repeat(n * 3));
    assert.deepEqual(read(pieces(...parts), { limit: 10_000 }), [parts.join('')]);
  });

  test('is refused above the limit, whether announced or sent', () => {
    assert.deepEqual(read(pieces('x'.repeat(1024))), ['x'.repeat(1024)]);
    assert.deepEqual(read(pieces('x'.repeat(1000), 'x'.repeat(25))), ['body-too-large']);
    const announced = (length: number) => read(() => undefined, { headers: { 'content-length': String(length) } });
    assert.deepEqual([announced(1024), announced(1025)], [[], ['body-too-large']]);
  });

  test('comes in 500 pieces at most, or in pieces of a kilobyte', () => {
    const of = (count: number, limit = 1024) => read(pieces(...Array<string>(count).fill('x')), { limit })[0];
    assert.equal(of(500)?.length, 500);
    assert.equal(of(501), 'body-too-large');
    assert.equal(of(600, 600 * 1024)?.length, 600);
    assert.equal(of(601, 600 * 1024), 'body-too-large');
  });

  test('that is compressed is refused; other encodings are ignored', () => {
    const encoded = (coding: string) => read(pieces('x'), { headers: { 'content-encoding': coding } });
    for (const coding of ['gzip', 'utf-8, GZip', ' br']) assert.equal(encoded(coding)[0], 'body-compressed');
    assert.deepEqual(encoded('utf-8'), ['x']);
  });

  test('that breaks off is reported once, and not at all if the caller is gone', () => {
    const broken = (fault: Error) => (raw: EventEmitter) => {
      raw.emit('data', Buffer.from('x'));
      raw.emit('error', fault);
      raw.emit('data', Buffer.from('x'));
      raw.emit('end');
    };
    assert.deepEqual(read(broken(new Error('reset'))), ['body-unreadable']);
    assert.deepEqual(read(broken(new BrokenRequest('request-too-slow'))), ['request-too-slow']);
    const aborted = (raw: EventEmitter) => {
      raw.emit('data', Buffer.from('x'));
      raw.emit('aborted');
      raw.emit('end');
    };
    assert.deepEqual(read(aborted), []);
  });
});
