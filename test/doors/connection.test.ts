import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { FastifyRequest } from 'fastify';
import { connectionReader, peersOf } from '../../src/doors/caller/connection.ts';

const PROXY = '10.0.0.1';
const { callerOf, plain } = peersOf([PROXY, '10.0.0.2']);

suite('the address that a proxy forwards for', () => {
  for (const [header, caller] of [
    ['192.0.2.1', '192.0.2.1'],
    ['203.0.113.9, 192.0.2.1', '192.0.2.1'],
    ['192.0.2.1, 10.0.0.2', '192.0.2.1'],
    ['192.0.2.1:4711', '192.0.2.1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['[2001:db8::1]:4711', '2001:db8::1'],
    ['[::ffff:192.0.2.1]:4711', '192.0.2.1'],
    ['192.0.2.1, 10.0.0.2:4711', '192.0.2.1'],
    ['192.0.2.1, ::ffff:a00:2', '192.0.2.1'],
    [',192.0.2.1, , ', '192.0.2.1'],
    [`192.0.2.1${', 10.0.0.2'.repeat(19)}`, '192.0.2.1'],
    [`192.0.2.1${', 10.0.0.2'.repeat(20)}`, PROXY],
    ['192.0.2.1,,10.0.0.2', '192.0.2.1'],
    ['unknown', PROXY],
    ['192.0.2.1, _hidden', PROXY],
    ['192.0.2.1:', PROXY],
    ['[192.0.2.1', PROXY],
    ['', PROXY],
  ] as const) {
    test(`${header.slice(0, 40) || 'none'}: ${caller}`, () => {
      assert.equal(callerOf(PROXY, { 'x-forwarded-for': header }), caller);
    });
  }
});

suite('the caller of a request', () => {
  const read = connectionReader([PROXY]);
  const requestOn = (socket: object, headers: object = {}, httpVersionMajor = 1) =>
    ({ raw: { httpVersionMajor, socket }, headers }) as unknown as FastifyRequest;

  test('has its own agent, also on the same connection', () => {
    const socket = { remoteAddress: '192.0.2.1' };
    for (const agent of ['curl/8', 'curl/8', 'another'])
      assert.equal(read(requestOn(socket, { 'user-agent': agent })).presenter.agent, agent);
    assert.equal(read(requestOn(socket)).presenter.agent, '');
  });

  test('is named by a listed proxy for each request, and by nobody else', () => {
    const [proxy, other] = [{ remoteAddress: PROXY }, { remoteAddress: '192.0.2.7' }];
    for (const address of ['192.0.2.1', '192.0.2.2']) {
      const headers = { 'x-forwarded-for': address };
      const { isProxied, presenter, network } = read(requestOn(proxy, headers));
      assert.deepEqual([isProxied, presenter.address, network], [true, address, address]);
      const direct = read(requestOn(other, headers));
      assert.deepEqual([direct.isProxied, direct.presenter.address], [false, '192.0.2.7']);
    }
  });

  test('is known when its connection has ended', () => {
    for (const version of [1, 2]) {
      const socket = { remoteAddress: '192.0.2.1' as string | undefined };
      const request = requestOn(socket, {}, version);
      const before = read(request);
      socket.remoteAddress = undefined;
      assert.equal(read(request), before);
      assert.equal(before.presenter.address, '192.0.2.1');
      if (version === 1) assert.equal(read(requestOn(socket)), before, 'and that of later requests on it');
    }
    assert.equal(read(requestOn({})).presenter.address, '');
  });

  test('has a trace if it says so in one header that is well-formed [W3C Trace Context 3.2]', () => {
    const [trace, span] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];
    const traceOf = (traceparent: unknown) => read(requestOn({ remoteAddress: '192.0.2.1' }, { traceparent }));
    const { presenter, trace: found } = traceOf(`00-${trace}-${span}-01`);
    assert.deepEqual([presenter.traceId, found?.traceId, presenter.address], [trace, trace, '192.0.2.1']);
    for (const header of [undefined, '', 'x', `00-${trace}-${span}`])
      assert.deepEqual([traceOf(header).trace, traceOf(header).presenter.traceId], [undefined, undefined]);
  });
});

test('an IPv4-mapped address is IPv4, however it is written', () => {
  for (const mapped of ['::ffff:192.0.2.1', '::FFFF:192.0.2.1', '::ffff:c000:201', '0:0:0:0:0:ffff:c000:0201'])
    assert.equal(plain(mapped), '192.0.2.1');
  for (const other of ['192.0.2.1', '::ffff:0:c000:201', '2001:db8:ffff::1', 'ffff:', ''])
    assert.equal(plain(other), other);
});
