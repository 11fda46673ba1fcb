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
    [`192.0.2.1${', 10.0.0.2'.repeat(1000)}`, PROXY],
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

test('each request on a connection has its own agent', () => {
  const read = connectionReader([]);
  const socket = { remoteAddress: '192.0.2.1' };
  const agentOf = (agent: string) => {
    const request = { raw: { httpVersionMajor: 1, socket }, headers: { 'user-agent': agent } };
    return read(request as unknown as FastifyRequest).presenter.agent;
  };
  for (const agent of ['curl/8', 'curl/8', 'another']) assert.equal(agentOf(agent), agent);
});

test('an IPv4-mapped address is IPv4, however it is written', () => {
  for (const mapped of ['::ffff:192.0.2.1', '::FFFF:192.0.2.1', '::ffff:c000:201', '0:0:0:0:0:ffff:c000:0201'])
    assert.equal(plain(mapped), '192.0.2.1');
  for (const other of ['192.0.2.1', '::ffff:0:c000:201', '2001:db8:ffff::1', 'ffff:', ''])
    assert.equal(plain(other), other);
});
