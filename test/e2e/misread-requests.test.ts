// Requests that could be read in two ways, or not at all: the refusal says what to change, and nothing is guessed.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { suite, test } from 'node:test';
import { connect } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { given } from '../given.ts';
import { form, json, PROTOCOLS, reachOf, readToEnd, sendRaw, tlsOptionsOf } from './caller.ts';
import { startService, type TestService } from './service.ts';
import { assertRefused, CERTIFICATE, CLIENT, DEVICE, REVOKE, SCOPE, TOKEN, VERIFY } from './steps.ts';

const PARAMETERS = { client_id: CLIENT, scope: SCOPE };
const BODY = JSON.stringify(PARAMETERS);
const MOUNTS = [
  { path: '/authsvc', errorKeys: 'spec' },
  { path: '/legacy', errorKeys: 'oauth' },
];

// Node's clients send no header twice that may occur once only, so these are written by hand.

function postHttp1(service: TestService, types: readonly string[]): Promise<string> {
  const headers = ['Host: localhost', 'Connection: close', ...types.map((type) => `Content-Type: ${type}`)];
  const head = [`POST ${CERTIFICATE} HTTP/1.1`, ...headers, `Content-Length: ${BODY.length}`];
  return sendRaw(reachOf(service), `${head.join('\r\n')}\r\n\r\n${BODY}`);
}

async function postHttp2(service: TestService, types: readonly string[]): Promise<string> {
  const fields = [
    [':method', 'POST'],
    [':scheme', 'https'],
    [':path', CERTIFICATE],
    [':authority', 'localhost'],
    ...types.map((type) => ['content-type', type]),
  ];
  // RFC 7541 6.2.2: literal fields, not indexed and not compressed.
  const block = fields.flatMap((field) => [0, ...field.flatMap((text) => [text.length, ...Buffer.from(text)])]);
  const socket = connect({ ...tlsOptionsOf(reachOf(service)), ALPNProtocols: ['h2'] });
  await once(socket, 'secureConnect');
  const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
  // RFC 9113 6: settings, headers that end the stream, and a farewell, after which the server closes.
  socket.write(Buffer.concat([preface, frame(4, 0, 0), frame(1, 0x5, 1, block), frame(7, 0, 0, Array(8).fill(0))]));
  return readToEnd(socket);
}

function frame(type: number, flags: number, stream: number, payload: readonly number[] = []): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, Buffer.from(payload)]);
}

for (const protocol of PROTOCOLS) {
  suite(`misread requests over ${protocol}`, () => {
    const service = given(() => startService({ settings: { authsvc: { mounts: MOUNTS } } }));
    const caller = given(() => service.caller(service.ada, protocol));

    const post = (path: string, headers: Record<string, string | string[]>, body: string | Uint8Array = BODY) =>
      caller.ask({ method: 'POST', path, headers, body });

    test('a form at Authorize/Certificate is told to send JSON, and not that a form would do [spec-gaps: All doors]', async () => {
      const answer = await caller.ask({ path: CERTIFICATE, ...form(PARAMETERS) });
      assertRefused(
        answer,
        400,
        'invalid_request',
        /^This operation takes JSON only\. Send Content-Type: application\/json\.$/,
      );
      for (const type of ['text/plain', 'multipart/form-data'])
        assertRefused(await post(CERTIFICATE, { 'content-type': type }), 400, 'invalid_request', /takes JSON only/);
      const device = await post(DEVICE, { 'content-type': 'text/plain' });
      assertRefused(device, 400, 'invalid_request', /application\/x-www-form-urlencoded/);
    });

    test('another charset is named as the problem, not the type [spec-gaps: All doors]', async () => {
      for (const path of [TOKEN, CERTIFICATE, DEVICE]) {
        const answer = await post(path, { 'content-type': 'application/json; charset=iso-8859-1' });
        assertRefused(answer, 400, 'invalid_request', /UTF-8.*charset=utf-8/);
      }
      const typeFirst = await post(CERTIFICATE, { 'content-type': 'text/plain; charset=iso-8859-1' });
      assertRefused(typeFirst, 400, 'invalid_request', /takes JSON only/);
    });

    test('the error for a compressed body says that it is compressed [spec-gaps: All doors]', async () => {
      const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
      for (const path of [TOKEN, CERTIFICATE, DEVICE])
        assertRefused(await post(path, headers, gzipSync(BODY)), 400, 'invalid_request', /without Content-Encoding/);
      const plain = { 'content-type': 'application/json', 'content-encoding': 'identity' };
      assert.equal((await post(CERTIFICATE, plain)).status, 200);
      assertRefused(await post(CERTIFICATE, plain, '{'), 400, 'invalid_request', /could not be read/);
    });

    test('an unknown method is 405 with Allow [spec-gaps: All doors]', async () => {
      const isParsed = protocol === 'HTTP/2'; // over HTTP/1.1, Node does not say which path it is
      for (const method of ['FOO', 'POSTS', 'BREW', 'GETT', 'X-1']) {
        for (const [path, allowed] of [
          [TOKEN, 'POST'],
          [`${CERTIFICATE.toLowerCase()}/?x`, 'POST'],
          [VERIFY, 'GET'],
          [REVOKE, 'GET'],
        ] as const) {
          const answer = await caller.ask({ method, path });
          assertRefused(answer, 405, 'invalid_request', /does not take this method/);
          assert.equal(answer.headers['allow'], isParsed ? allowed : 'GET, POST', `${method} ${path}`);
          assert.equal(answer.headers['cache-control'], 'no-store');
        }
        assertRefused(await caller.ask({ method, path: '/authsvc/nowhere' }), isParsed ? 404 : 405, 'invalid_request');
      }
    });

    if (protocol === 'HTTP/1.1')
      test('methods are case sensitive, also behind another request on the connection [RFC 9110 9.1]', async () => {
        const head = 'HTTP/1.1\r\nHost: localhost\r\n';
        const answers = await sendRaw(
          reachOf(service),
          `GET ${VERIFY} ${head}\r\npost ${TOKEN} ${head}Content-Length: 2\r\n\r\n{}`,
        );
        assert.match(answers, /^HTTP\/1\.1 401 .*HTTP\/1\.1 405 Method Not Allowed\r\nallow: GET, POST\r\n/s);
        const noMethod = await sendRaw(reachOf(service), `FO(O ${TOKEN} ${head}\r\n`);
        assert.match(noMethod, /^HTTP\/1\.1 400 The request is malformed\./);
      });

    test('JSON with a repeated key is refused, however it is written [spec-gaps: Authorize/Token]', async () => {
      const { client_id: id, scope } = PARAMETERS;
      for (const body of [
        `{"client_id":"other-sync","client_id":"${id}","scope":"${scope}"}`,
        `{"client_id":"${id}","scope":"${scope}","client_id":"${id}"}`,
        `{"client_id":"${id}","scope":"${scope}","client\\u005fid":"other-sync"}`,
        `{ "client_id" : "${id}" , "scope":"${scope}", "x":"\\\\", "x" : [{"a":1}] }`,
        `{"client_id":"${id}","scope":"${scope}","__proto__":1,"__proto__":2}`,
        `{"client_id":"${id}","scope":"${scope}","":1,"":2}`,
      ])
        for (const path of [CERTIFICATE, DEVICE, TOKEN])
          assertRefused(
            await post(path, { 'content-type': 'application/json' }, body),
            400,
            'invalid_request',
            /given twice/,
          );
    });

    test('JSON that only looks as if a key were repeated is accepted [spec-gaps: Authorize/Token]', async () => {
      const given = `"client_id":"${CLIENT}","scope":"${SCOPE}"`;
      for (const more of [
        '"x":"\\"client_id\\":1"',
        '"x":{"client_id":1,"client_id":2}',
        '"x":[{"a":1},{"a":2},"]}:"]',
        '"x\\"":"\\\\","y":"a:b,c:d"',
        '"Client_id":"x"',
      ])
        assert.equal(
          (await post(CERTIFICATE, { 'content-type': 'application/json' }, `{${given},${more}}`)).status,
          200,
          more,
        );
    });

    const send = protocol === 'HTTP/2' ? postHttp2 : postHttp1;
    test('two Content-Type headers are refused, whatever they say [spec-gaps: All doors]', async () => {
      for (const second of ['application/json', 'text/plain', 'application/x-www-form-urlencoded']) {
        const answer = await send(service, ['application/json', second]);
        assert.match(
          answer,
          /\{"Error":"invalid_request","Error_description":"There is more than one Content-Type\. Send one\."\}/,
        );
      }
      assert.equal((await caller.ask({ path: CERTIFICATE, ...json(PARAMETERS) })).status, 200);
    });
  });
}
