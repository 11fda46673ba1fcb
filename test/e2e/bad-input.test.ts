// Thousands of bad inputs: never a 5xx, never a crash, always a refusal in JSON.
// Only in test:all: long property runs
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { anyCharacter } from '../any-character.ts';
import { given } from '../given.ts';
import { type Answer, PROTOCOLS, type Question } from './caller.ts';
import { startService, stopUnharmed } from './service.ts';
import { CERTIFICATE, CLIENT, DEVICE, DEVICE_GRANT, REVOKE, TOKEN, VERIFY } from './steps.ts';

const CODES = [
  'authorization_pending',
  'invalid_client',
  'invalid_request',
  'invalid_scope',
  'invalid_grant',
  'unauthorized_client',
  'invalid_token',
];

function assertJsonRefusal(answer: Answer): void {
  assert.ok(answer.status >= 400 && answer.status < 500, `${answer.status} ${answer.text}`);
  assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8');
  assert.ok(CODES.includes(String(answer.json?.['Error'])), answer.text);
  assert.deepEqual(Object.keys(answer.json).sort(), ['Error', 'Error_description']);
}

const POSTED = fc.constantFrom(TOKEN, CERTIFICATE, DEVICE);
const odd = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 200 }),
  fc.constantFrom(
    '',
    ' ',
    '\0',
    '../../x',
    "' OR 1=1 --",
    '*)(uid=*',
    '\r\nSet-Cookie: a=b',
    'tsr_',
    'tsd_==',
    '\ud800',
    CLIENT,
  ),
  fc.constant(DEVICE_GRANT),
);
const names = fc.constantFrom(
  ...'client_id scope grant_type device_code refresh_token'.split(' '),
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'Client_Id',
  '',
);
/** Bodies generated from the schemas: known names with wrong values, and unknown names. */
const objects = fc.dictionary(names, fc.oneof({ weight: 4, arbitrary: odd }, fc.jsonValue({ maxDepth: 3 })), {
  noNullPrototype: false,
});
const jsonTexts = fc.oneof(
  objects.map((value) => JSON.stringify(value)),
  fc.tuple(objects, fc.nat(200), fc.string({ maxLength: 3 })).map(([value, at, text]) => {
    const whole = JSON.stringify(value);
    return whole.slice(0, at) + text + whole.slice(at + 1);
  }),
  fc.json(),
);
const types = fc.constantFrom(
  'application/json',
  'application/x-www-form-urlencoded',
  'application/json; charset=utf-8',
  'application/json; charset=utf-7',
  'text/xml',
  'multipart/form-data; boundary=x',
);

for (const protocol of PROTOCOLS) {
  suite(`bad input over ${protocol}`, () => {
    const service = given(() => startService(), stopUnharmed);
    const caller = given(() => service.caller(undefined, protocol));

    const holds = <T>(inputs: fc.Arbitrary<T>, question: (input: T) => Question, numRuns: number) =>
      fc.assert(
        fc.asyncProperty(inputs, async (input) => assertJsonRefusal(await caller.ask(question(input)))),
        { numRuns },
      );
    const posting = (path: string, type: string, body: string | Uint8Array): Question => ({
      method: 'POST',
      path,
      headers: { 'content-type': type },
      body,
    });

    test('generated JSON with wrong types, odd names and broken text', () =>
      holds(fc.tuple(POSTED, jsonTexts), ([path, body]) => posting(path, 'application/json', body), 600));

    test('generated forms', () =>
      holds(
        fc.tuple(fc.constantFrom(TOKEN, DEVICE), fc.array(fc.tuple(names, odd), { maxLength: 6 })),
        ([path, fields]) =>
          posting(
            path,
            'application/x-www-form-urlencoded',
            fields.map(([name, value]) => `${name}=${encodeURIComponent(value.toWellFormed())}`).join('&'),
          ),
        300,
      ));

    test('arbitrary bytes with any content type', () =>
      holds(
        fc.tuple(POSTED, types, fc.uint8Array({ maxLength: 500 })),
        ([path, type, body]) => posting(path, type, body),
        400,
      ));

    test('arbitrary bearer tokens', () =>
      holds(
        fc.tuple(fc.constantFrom(VERIFY, REVOKE), fc.string({ unit: 'grapheme-ascii', maxLength: 200 })),
        ([path, token]) => ({ path, headers: { authorization: `Bearer ${token.trim()}` } }),
        200,
      ));

    test('odd encodings: UTF-16, a BOM, invalid UTF-8, compressed', async () => {
      const text = JSON.stringify({ client_id: CLIENT, refresh_token: 'x' });
      const utf16 = Buffer.from(`\ufeff${text}`, 'utf16le');
      const bodies = [
        utf16,
        Buffer.from(utf16).swap16(),
        Buffer.from(`\ufeff${text}`),
        Buffer.from([0x7b, 0xff, 0xfe, 0x7d]),
        gzipSync(text),
      ];
      for (const body of bodies) {
        for (const encoding of [undefined, 'gzip', 'deflate, br', 'nonsense']) {
          const headers = { 'content-type': 'application/json', ...(encoding && { 'content-encoding': encoding }) };
          assertJsonRefusal(await caller.ask({ method: 'POST', path: TOKEN, headers, body }));
        }
      }
    });

    test('deeply nested and huge bodies', async () => {
      const bodies = [
        '['.repeat(65_000),
        '{"a":'.repeat(13_000),
        `{"client_id":${'['.repeat(30_000)}${']'.repeat(30_000)}}`,
        `{"a":"${'x'.repeat(65_000)}"}`,
        '&'.repeat(65_000),
        'client_id&'.repeat(6000),
        `{"a":1e${'9'.repeat(6000)}}`,
        ' '.repeat(1_000_000),
      ];
      for (const body of bodies)
        for (const type of ['application/json', 'application/x-www-form-urlencoded'])
          assertJsonRefusal(await caller.ask(posting(TOKEN, type, body)));
    });

    test('odd header names and values', async () => {
      const headers = [
        '__proto__',
        'constructor',
        'prototype',
        'x-http-method-override',
        'x-forwarded-for',
        'client-cert',
        'range',
        'if-none-match',
        'content-md5',
        'accept-encoding',
        'te',
        'x-request-id',
        'forwarded',
      ];
      for (const name of headers) {
        for (const value of ['', 'trailers', '{"a":1}', '__proto__', 'x'.repeat(4000), '\t']) {
          if (protocol === 'HTTP/2' && name === 'te' && value !== 'trailers') continue; // its client refuses to send it
          assertJsonRefusal(await caller.ask({ path: VERIFY, headers: { [name]: value } }));
        }
      }
      const many = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`x-${index}`, 'y']));
      assertJsonRefusal(await caller.ask({ path: VERIFY, headers: many }));
    });

    test('odd paths', () => {
      const part = fc.oneof(
        fc.webPath(),
        fc.constantFrom(
          '/..',
          '/.',
          '//',
          '/%00',
          '/%2e%2e',
          '/%ff',
          '/%',
          '/__proto__',
          '/constructor',
          '/authsvc',
          '/Authorize/Token',
          ';a=b',
          '?a=%zz',
          '/*',
          '/:id',
          '/%E0%A4%A',
        ),
      );
      return holds(
        fc.array(part, { maxLength: 4 }).map((parts) => `/${parts.join('')}`),
        (path) => ({ path }),
        300,
      );
    });
  });
}
