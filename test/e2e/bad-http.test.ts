// Bad HTTP on the bare socket: never a crash, always a refusal in JSON.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { connect } from 'node:tls';
import fc from 'fast-check';
import { given } from '../given.ts';
import { reachOf, sendRaw, tlsOptionsOf } from './caller.ts';
import { startService, stopUnharmed } from './service.ts';
import { TOKEN, VERIFY } from './steps.ts';

// RFC 9113 6: the types of frames.
const [DATA, HEADERS, SETTINGS] = [0, 1, 4];

function frameTypes(bytes: Buffer): number[] {
  const types: number[] = [];
  for (let at = 0; at + 9 <= bytes.length; at += 9 + bytes.readUIntBE(at, 3)) types.push(bytes.readUInt8(at + 3));
  return types;
}

suite('bad HTTP on the bare socket', () => {
  const service = given(() => startService(), stopUnharmed);

  /** Every answer on the connection is a refusal in JSON. Returns whether there was one: half a request may get none. */
  function assertRefusals(text: string): boolean {
    if (text === '') return false;
    const statuses = [...text.matchAll(/^HTTP\/1\.[01] (\d{3}) /gm)].map(([, status]) => String(status));
    assert.ok(statuses.length > 0, text);
    for (const status of statuses) assert.match(status, /^(4|100)/, text);
    assert.match(text, /^content-type: application\/json; charset=utf-8\r$/im, text);
    assert.match(text, /\{"Error":"invalid_\w+"/, text);
    return true;
  }

  /** Sends bad requests of one kind, and counts the answers: silence would prove nothing. */
  async function answeredOf<T>(inputs: fc.Arbitrary<T>, numRuns: number, send: (input: T) => Promise<string>) {
    let answered = 0;
    const property = fc.asyncProperty(inputs, async (input) => {
      answered += Number(assertRefusals(await send(input)));
    });
    await fc.assert(property, { numRuns });
    return answered / numRuns;
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

  test('random request lines, headers and chunks', async () => {
    const requests = fc.tuple(methods, targets, versions, fc.array(lines, { maxLength: 5 }), bodies);
    const answered = await answeredOf(requests, 150, ([method, target, version, headers, body]) => {
      const request = `${method} ${target} ${version}\r\n${headers.map((line) => `${line}\r\n`).join('')}\r\n${body}`;
      return sendRaw(reachOf(service), Buffer.from(request, 'latin1'), 150);
    });
    assert.ok(answered > 0.5, `${answered} were answered`);
  });

  test('arbitrary bytes', async () => {
    const answered = await answeredOf(fc.uint8Array({ minLength: 1, maxLength: 300 }), 40, (bytes) =>
      sendRaw(reachOf(service), bytes, 150),
    );
    assert.ok(answered > 0.5, `${answered} were answered`);
  });

  test('arbitrary frames after the HTTP/2 preface end the connection without a response', () =>
    fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 9, maxLength: 200 }), fc.boolean(), async (bytes, prefaced) => {
        const { frames, isEnded } = await sendFrames(bytes, prefaced);
        assert.ok(isEnded, 'the service did not end the connection');
        if (prefaced) assert.ok(frames.includes(SETTINGS), `${frames}`);
        assert.ok(!frames.includes(DATA) && !frames.includes(HEADERS), `${frames}`);
      }),
      { numRuns: 60 },
    ));

  /** The types of the frames that come back, and whether the service closed within five seconds. */
  async function sendFrames(bytes: Uint8Array, prefaced: boolean): Promise<{ frames: number[]; isEnded: boolean }> {
    const socket = connect({ ...tlsOptionsOf(reachOf(service)), ALPNProtocols: ['h2'] });
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', () => undefined);
    if (prefaced) socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0');
    socket.end(bytes);
    const isEnded = await new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => resolve(false), 5000);
      socket.once('close', () => {
        clearTimeout(timer);
        resolve(true);
      });
    });
    socket.destroy();
    return { frames: frameTypes(Buffer.concat(chunks)), isEnded };
  }
});
