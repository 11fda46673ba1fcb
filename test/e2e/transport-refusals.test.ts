// What callers read when the server itself refuses, byte by byte: in the words of the door that owns the path, else in
// neutral words.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { suite, test } from 'node:test';
import { eventually } from '../eventually.ts';
import { given } from '../given.ts';
import { askPlainly, json as jsonOf } from './caller.ts';
import { startService } from './service.ts';
import { CLIENT, DEVICE, SCOPE, VERIFY } from './steps.ts';

const MOUNTS = [
  { path: '/authsvc', errorKeys: 'spec' },
  { path: '/legacy', errorKeys: 'oauth' },
  { path: '/legacy/both', errorKeys: 'both' },
];
const NOT_FOUND = 'There is nothing at this path.';
const OVERLOADED = 'The service is overloaded. Nothing was changed. Ask again.';
const spec = (text: string) => `{"Error":"invalid_request","Error_description":"${text}"}`;
const oauth = (text: string) => `{"error":"invalid_request","error_description":"${text}"}`;
const both = (text: string) => `${spec(text).slice(0, -1)},${oauth(text).slice(1)}`;

/** Sends text and reads until the server closes. */
function exchange(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    let received = '';
    socket.setEncoding('utf8');
    socket.on('data', (data: string) => {
      received += data;
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(received));
  });
}

function request(line: string, headers = '', body = ''): string {
  return `${line} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${headers}\r\n${body}`;
}

/** What differs from one run to the next is masked. */
function masked(answer: string): string {
  return answer
    .replace(/^date: .*\r\n/im, '')
    .replace(/^retry-after: [123]$/im, 'retry-after: #')
    .replace(/^request-id: [0-9a-f]{16}$/im, 'request-id: #');
}

function json(statusLine: string, body: string, ...more: readonly string[]): string {
  const lines = [
    `HTTP/1.1 ${statusLine}`,
    ...more,
    'request-id: #',
    'content-type: application/json; charset=utf-8',
    'cache-control: no-store',
    'pragma: no-cache',
    'x-content-type-options: nosniff',
    `content-length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

suite('refusals of the server', () => {
  /** A device that starts waits for it, and holds the only slot. */
  const work = Promise.withResolvers<void>();
  const limits = { maxInFlight: 1, addressShare: 100, networkShare: 100 };
  const service = given(() =>
    startService({
      settings: { authsvc: { mounts: MOUNTS }, limits },
      listeners: [{}],
      store: (real) => ({
        ...real,
        create: (table, key, decide) => work.promise.then(() => real.create(table, key, decide)),
      }),
    }),
  );

  const answers = async (text: string, expected: string) =>
    assert.equal(masked(await exchange(service.port, text)), expected);

  test('unknown paths', async () => {
    await answers(request('GET /nothing'), json('404 Not Found', spec(NOT_FOUND)));
    await answers(request('GET /authsvc/nothing'), json('404 Not Found', spec(NOT_FOUND)));
    await answers(request('GET /LEGACY/nothing?x'), json('404 Not Found', oauth(NOT_FOUND)));
    await answers(request('GET /legacy/both/nothing'), json('404 Not Found', both(NOT_FOUND)));
    await answers(request('GET /legacy'), json('404 Not Found', spec(NOT_FOUND)));
    await answers(request('GET /legacy/%zz'), json('404 Not Found', oauth(NOT_FOUND)));
    await answers(request('GET /%zz'), json('404 Not Found', spec(NOT_FOUND)));
  });

  test('methods', async () => {
    const words = 'This path does not take this method.';
    await answers(request('PUT /healthz'), json('405 Method Not Allowed', spec(words), 'allow: GET'));
    await answers(request('PUT /legacy/Authorize/Token'), json('405 Method Not Allowed', oauth(words), 'allow: POST'));
  });

  test('requests that are not HTTP, or lack a Host', async () => {
    const words = 'The request is malformed.';
    assert.match(await exchange(service.port, 'nonsense\r\n\r\n'), new RegExp(`^HTTP/1.1 400 ${words}\r\n`));
    assert.ok((await exchange(service.port, 'nonsense\r\n\r\n')).endsWith(`\r\n\r\n${spec(words)}`));
    const bare = 'GET /legacy/both/x HTTP/1.1\r\nConnection: close\r\n\r\n';
    await answers(bare, json(`400 ${words}`, both(words)));
    assert.ok(
      (await exchange(service.port, request('CONNECT example.com:80'))).endsWith(
        spec('This path does not take this method.'),
      ),
    );
  });

  test('requests beyond the limit', async () => {
    const device = askPlainly(service.port, { path: DEVICE, ...jsonOf({ client_id: CLIENT, scope: SCOPE }) });
    const metrics = () => askPlainly(service.port, { path: '/metrics' });
    await eventually('the slot is taken', async () => /^tessera_requests_in_flight 1$/m.test((await metrics()).text));
    const verify = '/Authorize/Verify';
    const refusals = {
      [VERIFY]: spec,
      [`/legacy${verify}`]: oauth,
      [`/legacy/both${verify}`]: both,
      '/account': String,
    };
    const asked = Object.entries(refusals).map(async ([path, words]) => {
      const answer = await exchange(
        service.port,
        request(`GET ${path}`, path === '/account' ? 'Accept: text/html\r\n' : ''),
      );
      assert.match(answer, /^HTTP\/1\.1 503 .*^retry-after: [123]\r$/ims);
      assert.ok(path === '/account' ? answer.includes('<!doctype html>') : answer.endsWith(words(OVERLOADED)), answer);
    });
    await Promise.all(asked);
    assert.match(await exchange(service.port, request('GET /healthz')), /^HTTP\/1\.1 200 /);
    work.resolve();
    assert.equal((await device).status, 200, 'the work goes on');
  });
});
