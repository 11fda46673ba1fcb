// What the front refuses by itself, and what it makes of that which a door throws.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { suite, test } from 'node:test';
import { DirectoryAway, Overloaded } from '../../src/core/faults.ts';
import { seconds } from '../../src/core/time.ts';
import { ClockImplausible, OutcomeUnknown, StoreUnavailable } from '../../src/store/store.ts';
import { HistoryInDoubt } from '../../src/store/tables/store-history.ts';
import { KeyMissing } from '../../src/tokens/keyring.ts';
import { eventually } from '../eventually.ts';
import { http1To, http2To, openFront, requestTo, statusOf } from './front.ts';

test('what a door throws is refused: what is temporary with 503, after a second; only faults are logged', async (t) => {
  let thrown: unknown;
  const logged: unknown[] = [];
  const onFault = (_request: unknown, fault: unknown, reason: string) => void logged.push([fault === thrown, reason]);
  const { port } = await openFront(t, {}, { plain: true, thrown: () => thrown, onFault });
  for (const [fault, status, text, reason] of [
    [new OutcomeUnknown('x'), 503, /they may have been made or not/, 'outcome-unknown'],
    [new HistoryInDoubt('x'), 503, /lost recent changes/, 'history-in-doubt'],
    [new ClockImplausible('x'), 503, /clock of the service is wrong/, 'clock-implausible'],
    [new StoreUnavailable('x'), 503, /cannot reach its store/, 'store-unavailable'],
    [new KeyMissing(1), 503, /does not have the key/, 'key-missing'],
    [new DirectoryAway('x'), 503, /directory of this identity/, 'directory-unavailable'],
    [new Overloaded('x'), 503, /is overloaded/, undefined],
    [Object.assign(new Error('x'), { statusCode: 415 }), 400, /body could not be read/, undefined],
    [Object.assign(new Error('x'), { statusCode: 500 }), 400, /internal error/, 'fault'],
    [new Error('secret'), 400, /^(?!.*secret).*internal error/, 'fault'],
  ] as const) {
    thrown = fault;
    const response = await fetch(`http://127.0.0.1:${port}/throws`);
    assert.equal(response.status, status, String(reason));
    assert.equal(response.headers.get('retry-after'), status === 503 ? '1' : null, fault.name);
    assert.match(await response.text(), text);
    assert.deepEqual(logged.splice(0), reason === undefined ? [] : [[true, reason]]);
  }
});

suite('a request for which there is no operation', () => {
  const asking = (port: number) => async (method: string, path: string) => {
    const { status, headers } = await fetch(`http://127.0.0.1:${port}${path}`, { method });
    return [status, headers.get('allow')];
  };

  test('is refused by its path or by its method, whatever the case of the path or a slash at its end', async (t) => {
    const front = await openFront(t, {}, { plain: true });
    const ask = asking(front.port);
    assert.deepEqual(await ask('GET', '/nowhere'), [404, null]);
    assert.deepEqual(await ask('GET', '/%ff'), [404, null]);
    assert.deepEqual(await ask('DELETE', '/now'), [405, 'GET, POST, HEAD']);
    assert.deepEqual(await ask('HEAD', '/healthz'), [405, 'GET'], 'no GET is a HEAD');
    assert.deepEqual(await ask('GET', '/NOW/'), [200, null]);
    assert.deepEqual(front.seen.outcomes, ['refused', 'refused', 'refused', 'refused', 'accepted']);
  });

  test('is charged to its address: over the limit, that is the reason', async (t) => {
    const overLimit = () => ({ reason: 'rate-limited', retryAfter: seconds(7) }) as const;
    const ask = asking((await openFront(t, {}, { plain: true, overLimit })).port);
    assert.deepEqual(await ask('GET', '/nowhere'), [429, null]);
    assert.deepEqual(await ask('DELETE', '/now'), [429, null]);
    assert.deepEqual(await ask('GET', '/now'), [200, null]);
  });
});

test('a method that nobody knows is refused, on both protocols', async (t) => {
  const front = await openFront(t);
  const session = http2To(front);
  assert.equal(await statusOf(session.request({ ':method': 'BREW', ':path': '/now' })), 405);
  assert.equal(await statusOf(session.request({ ':method': 'BREW', ':path': '/nowhere' })), 404);
  await eventually('both have ended', () => front.seen.outcomes.join() === 'refused,refused');
  session.destroy();
  for (const [line, refusal] of [
    ['BREW /now HTTP/1.1\r\n', /^HTTP\/1\.1 405 .*\r\nallow: GET, POST\r\n/is],
    ['BR(W /now HTTP/1.1\r\n', /^HTTP\/1\.1 400 /],
    ['BREW /a b HTTP/1.1\r\n', /^HTTP\/1\.1 400 /],
  ] as const) {
    const { socket, text, isClosed } = await http1To(front);
    socket.write(`${requestTo('/now')}${line}\r\n`);
    await eventually('it is answered', isClosed);
    assert.match(text().replace(/^.*?now/s, ''), refusal);
  }
});

test('a request that a gateway might read in another way is malformed [RFC 9112 3.2, 6.1]', async (t) => {
  const front = await openFront(t, {}, { plain: true });
  const HOST = 'Host: a.example\r\n';
  for (const [version, headers, status] of [
    ['1.1', HOST, 200],
    ['1.0', '', 200],
    ['0.9', '', 400],
    ['2.0', HOST, 400],
    ['1.1', '', 400],
    ['1.1', HOST + HOST, 400],
    ['1.1', 'hOsT: a.example\r\nHose: x\r\n', 200],
    ['1.1', `${HOST}Content-Type: a\r\nAuthorization: a\r\n`, 200],
    ['1.1', `${HOST}Content-Type: a\r\ncontent-type: a\r\n`, 400],
    ['1.1', `${HOST}Authorization: a\r\nauthorization: b\r\n`, 400],
    ['1.1', `${HOST}Transfer-Encoding: Chunked\r\n`, 200],
    ['1.1', `${HOST}Transfer-Encoding: gzip, chunked\r\n`, 400],
    ['1.1', `${HOST}Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n`, 400],
    ['1.0', 'Transfer-Encoding: chunked\r\n', 400],
  ] as const) {
    const socket = connect(front.port, '127.0.0.1');
    const body = /chunked/i.test(headers) ? '0\r\n\r\n' : '';
    socket.write(`POST /now HTTP/${version}\r\n${headers}${body ? '' : 'Content-Length: 0\r\n'}\r\n${body}`);
    assert.equal(Number(String((await once(socket, 'data'))[0]).slice(9, 12)), status, `${version} ${headers}`);
    socket.destroy();
  }
});

test('headers over HTTP/2 may be as long as the limit, and are read up to three times of it, which is announced', async (t) => {
  const front = await openFront(t, { headerBytes: 1_000 });
  const session = http2To(front);
  const ask = async (length: number) => {
    const stream = session.request({ ':path': '/now', 'x-long': 'x'.repeat(length) });
    return new Promise((resolve) => stream.once('response', (headers) => resolve(headers[':status'])));
  };
  const others = ':method'.length + 'GET'.length + ':path'.length + '/now'.length + ':scheme'.length + 'https'.length;
  const rest = 1_000 - others - 'x-long'.length - ':authority'.length - `127.0.0.1:${front.port}`.length;
  assert.deepEqual([await ask(rest), await ask(rest + 1)], [200, 431]);
  assert.partialDeepStrictEqual(session.remoteSettings, { maxHeaderListSize: 3_000, maxConcurrentStreams: 100 });
  session.destroy();
});
