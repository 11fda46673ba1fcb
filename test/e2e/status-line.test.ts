// The status line of HTTP/1.1 [spec-gaps: All doors].
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { given } from '../given.ts';
import { json, reachOf, sendRaw } from './caller.ts';
import { startService } from './service.ts';
import { CERTIFICATE, CLIENT, SCOPE, TOKEN, VERIFY } from './steps.ts';

suite('the status line of HTTP/1.1 [spec-gaps: All doors]', () => {
  const service = given(() => startService());
  const caller = given(() => service.caller());

  test('the reason phrase of a 400 is the description [spec-gaps: All doors]', async () => {
    for (const body of [{}, { client_id: CLIENT }, { client_id: 'nobody', refresh_token: 'x' }]) {
      const answer = await caller.ask({ path: TOKEN, ...json(body) });
      assert.equal(answer.phrase, answer.json['Error_description']);
    }
  });

  test('the reason phrase is constant text and never contains input [spec-gaps: All doors]', async () => {
    const answer = await caller.ask({ path: TOKEN, ...json({ client_id: 'canary', refresh_token: 'canary' }) });
    assert.doesNotMatch(answer.phrase + answer.text, /canary/);
  });

  test('a 401 and every status but 400 keep their standard reason phrase [spec-gaps: All doors]', async () => {
    const phrases = [
      await caller.ask({ path: VERIFY }),
      await caller.ask({ path: CERTIFICATE, ...json({ client_id: CLIENT, scope: SCOPE }) }),
      await caller.ask({ path: '/nowhere' }),
      await caller.ask({ path: TOKEN }),
      await caller.ask({ path: TOKEN, ...json('x'.repeat(70_000)) }),
    ].map(({ phrase }) => phrase);
    const expected = ['Unauthorized', 'Unauthorized', 'Not Found', 'Method Not Allowed', 'Payload Too Large'];
    assert.deepEqual(phrases, expected);
  });

  const BROKEN: readonly [what: string, request: string, status: number][] = [
    ['garbage', '\x16\x03\x01 nonsense\r\n\r\n', 400],
    ['an unknown method', `FOO ${TOKEN} HTTP/1.1\r\nHost: x\r\n\r\n`, 405],
    ['an unknown method at an unknown path', 'FOO /nowhere HTTP/1.1\r\nHost: x\r\n\r\n', 405],
    ['a method that is no token', 'FO(O / HTTP/1.1\r\nHost: x\r\n\r\n', 400],
    ['an unknown version', 'GET / HTTP/3.7\r\nHost: x\r\n\r\n', 400],
    ['HTTP/0.9', `GET ${VERIFY}\r\n\r\n`, 400],
    ['HTTP/2 in the first line only', `GET ${VERIFY} HTTP/2.0\r\nHost: a\r\n\r\n`, 400],
    ['a header without a colon', 'GET / HTTP/1.1\r\nHost x\r\n\r\n', 400],
    ['a header with a NUL', 'GET / HTTP/1.1\r\nHost: x\r\nA: \x00\r\n\r\n', 400],
    ['no Host', `GET ${VERIFY} HTTP/1.1\r\n\r\n`, 400],
    ['two Hosts', `GET ${VERIFY} HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n`, 400],
    [
      'two credentials',
      `GET ${VERIFY} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer a\r\nAuthorization: Bearer b\r\n\r\n`,
      400,
    ],
    [
      'a coding besides chunked',
      `GET ${VERIFY} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
      400,
    ],
    [
      'two codings',
      `GET ${VERIFY} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
    ],
    ['chunks of HTTP/1.0', `GET ${VERIFY} HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, 400],
    ['two lengths', `POST ${TOKEN} HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}`, 400],
    ['a negative length', `POST ${TOKEN} HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n{}`, 400],
    [
      'length and chunks',
      `POST ${TOKEN} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
    ],
    ['an unknown transfer encoding', `POST ${TOKEN} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n`, 400],
    [
      'a broken chunk',
      `POST ${TOKEN} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`,
      400,
    ],
    ['headers of 20 KiB', `GET ${VERIFY} HTTP/1.1\r\nHost: x\r\nA: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
    ['an address of 20 KiB', `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 431],
    ['CONNECT', 'CONNECT elsewhere:443 HTTP/1.1\r\nHost: elsewhere:443\r\n\r\n', 405],
    ['CONNECT of no version', 'CONNECT elsewhere:443 HTTP/0.9\r\nHost: elsewhere:443\r\n\r\n', 405],
    [
      'an expectation we cannot meet',
      `POST ${TOKEN} HTTP/1.1\r\nHost: x\r\nExpect: miracles\r\nContent-Length: 0\r\n\r\n`,
      400,
    ],
  ];
  for (const [what, request, status] of BROKEN) {
    test(`${what}: ${status} in JSON, and the connection ends [spec-gaps: All doors]`, async () => {
      const closing = request.replace(/(HTTP\/1\.1\r\n)/, '$1Connection: close\r\n');
      const text = await sendRaw(reachOf(service), closing, 3000);
      const [head = '', body = ''] = text.split('\r\n\r\n');
      assert.match(head, new RegExp(`^HTTP/1.1 ${status} `), text);
      assert.match(head, /^content-type: application\/json; charset=utf-8$/im);
      assert.match(head, /^cache-control: no-store$/im);
      assert.match(head, /^pragma: no-cache$/im);
      const { Error: error, Error_description: description, ...rest } = JSON.parse(body);
      assert.deepEqual([error, rest], ['invalid_request', {}]);
      if (status === 400) assert.ok(head.startsWith(`HTTP/1.1 400 ${description}\r\n`), head);
    });
  }

  test('an absolute request target reaches the same door [RFC 9112 3.2.2]', async () => {
    const text = await sendRaw(
      reachOf(service),
      `GET https://elsewhere.example${TOKEN} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    );
    assert.match(text, /^HTTP\/1.1 405 /);
    assert.match(text, /^allow: POST$/im);
  });
});
