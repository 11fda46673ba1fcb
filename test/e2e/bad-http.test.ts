// Bad HTTP on the bare socket: never a crash, always a refusal in JSON [issue: what must be shown].
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { connect } from 'node:tls';
import fc from 'fast-check';
import { callerOver, reachOf, sendRaw, tlsOptionsOf } from './caller.ts';
import { startService, type TestService } from './service.ts';
import { TOKEN, VERIFY } from './steps.ts';

suite('bad HTTP on the bare socket', () => {
  let service: TestService;

  before(async () => {
    service = await startService();
  });
  after(async () => {
    const caller = callerOver('HTTP/1.1', reachOf(service));
    assert.equal((await caller.ask({ path: '/healthz' })).status, 200, 'it is still there');
    caller.close();
    await service.stop();
    assert.deepEqual(
      service.logLines.filter((line) => JSON.parse(line).level === 'error'),
      [],
    );
  });

  /** Every answer on the connection is a refusal in JSON; hanging up without a word is one as well, for half a request. */
  function assertRefusals(text: string): void {
    for (const [, status] of text.matchAll(/^HTTP\/1\.[01] (\d{3}) /gm)) assert.match(String(status), /^(4|100)/, text);
    if (text === '') return;
    assert.match(text, /^content-type: application\/json; charset=utf-8\r$/im, text);
    assert.match(text, /\{"Error":"invalid_\w+"/, text);
  }

  const methods = fc.constantFrom(
    'GET',
    'POST',
    'PUT',
    'get',
    'TRACE',
    'CONNECT',
    'PRI',
    'M-SEARCH',
    'G\0T',
    '',
    'POST POST',
    'QUERY',
  );
  const targets = fc.constantFrom(
    TOKEN,
    VERIFY,
    '*',
    'x:443',
    'http://x',
    `http://x${TOKEN}`,
    '//x/y',
    'https://',
    '/\xff',
    '/a b',
    '',
    '/#',
    '?',
    '/%00',
    '\\\\x',
    `/${'a'.repeat(9000)}`,
  );
  const versions = fc.constantFrom('HTTP/1.1', 'HTTP/1.0', 'HTTP/0.9', 'HTTP/2.0', 'HTTP/11', 'HTTP', 'http/1.1', '');
  const lines = fc.constantFrom(
    'Host: x',
    'Host: x\r\nHost: y',
    'Host: ',
    'Host : x',
    ' folded',
    'X: a\r\n b',
    'X: \x01',
    'X',
    ': x',
    '__proto__: x',
    'Content-Length: 5',
    'Content-Length: 5, 5',
    'Content-Length: +5',
    'Content-Length: 99999999999999999999',
    'Content-Length: 0x5',
    'Transfer-Encoding: chunked',
    'Transfer-Encoding: xchunked',
    'Transfer-Encoding: chunked, chunked',
    'Transfer-Encoding: identity',
    'Expect: 100-continue',
    'Expect: x',
    'Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings',
    'Connection: close',
    'Connection: nonsense',
    'Content-Type: application/json',
    'X: a\rb',
    'X: a\nb',
    'Trailer: X',
  );
  const bodies = fc.constantFrom(
    '',
    '{}',
    'hello',
    '5\r\nhello\r\n0\r\n\r\n',
    'zz\r\n',
    '-1\r\n',
    'ffffffffffffffff1\r\n',
    '5;x="\r\nhello\r\n0\r\n\r\n',
    '0\r\nX: y\r\n\r\n',
    '0\r\n\r\nGET / HTTP/1.1\r\n\r\n',
    '\0'.repeat(100),
  );

  test('request lines, headers and chunks put together at random', () =>
    fc.assert(
      fc.asyncProperty(
        methods,
        targets,
        versions,
        fc.array(lines, { maxLength: 5 }),
        bodies,
        async (method, target, version, headers, body) => {
          const request = `${method} ${target} ${version}\r\n${headers.map((line) => `${line}\r\n`).join('')}\r\n${body}`;
          assertRefusals(await sendRaw(reachOf(service), Buffer.from(request, 'latin1'), 150));
        },
      ),
      { numRuns: 150 },
    ));

  test('any bytes', () =>
    fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 300 }), async (bytes) =>
        assertRefusals(await sendRaw(reachOf(service), bytes, 150)),
      ),
      { numRuns: 40 },
    ));

  test('any frames after the preface of HTTP/2 end the connection and nothing else', () =>
    fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 9, maxLength: 200 }), fc.boolean(), async (bytes, prefaced) => {
        const socket = connect({ ...tlsOptionsOf(reachOf(service)), ALPNProtocols: ['h2'] });
        socket.on('error', () => undefined);
        if (prefaced) socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0');
        socket.end(bytes);
        socket.resume();
        await new Promise((resolve) => {
          socket.once('close', resolve);
          setTimeout(() => socket.destroy(), 100);
        });
      }),
      { numRuns: 60 },
    ));
});
