// Shares of a limit, and bodies, without a connection.
import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { suite, test } from 'node:test';
import type { FastifyRequest } from 'fastify';
import { BrokenRequest } from '../../src/front/broken-request.ts';
import { readBody } from '../../src/front/read-body.ts';
import { type Origin, originOf, type Shares, sharesOf } from '../../src/front/shares.ts';

suite('of a limit', () => {
  const [a, neighbour, far] = ['192.0.2.1', '192.0.2.2', '198.51.100.1'].map(originOf) as [Origin, Origin, Origin];
  const proxy = ['all'];
  const shares = (total: number, addressShare: number, networkShare: number) =>
    sharesOf(total, { addressShare, networkShare });
  const taken = (of: Shares, origin = a) => {
    let count = 0;
    for (; of.full(origin) === undefined; count += 1) of.take(origin);
    return count;
  };

  test('an address can hold its share, its network more, everybody all', () => {
    const all = shares(100, 20, 30);
    assert.deepEqual([taken(all), all.full(a)], [20, '192.0.2.1']);
    assert.deepEqual([taken(all, neighbour), all.full(neighbour)], [10, '192.0.2.0/24 network']);
    assert.equal(taken(all, far), 20);
    assert.deepEqual([taken(all, proxy), all.full(proxy), all.total], [50, 'all', 100]);
    for (let n = 0; n < 20; n++) all.release(a);
    assert.deepEqual([taken(all), all.total], [20, 100], 'what is released is free again');
  });

  test('everybody can hold one, and a network no less than an address', () => {
    assert.equal(taken(shares(10, 1, 1)), 1);
    assert.equal(taken(shares(100, 50, 10)), 50);
    assert.equal(taken(shares(199, 1, 100)), 1);
  });
});

suite('a body', () => {
  /** Reads what `send` sends. */
  function read(send: (raw: EventEmitter) => void, { limit = 1024, headers = {} as Record<string, string> } = {}) {
    const raw = new EventEmitter();
    const results: string[] = [];
    readBody({ raw, headers } as unknown as FastifyRequest, limit, 60_000, (fault, body) => {
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
