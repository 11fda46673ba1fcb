// Limits of the service: sizes, times, connections, rates.
import assert from 'node:assert/strict';
import dns from 'node:dns';
import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { afterEach, beforeEach, suite, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { eventually } from '../eventually.ts';
import { given } from '../given.ts';
import { type Caller, json, PROTOCOLS, rawConnection, reachOf, tlsOptionsOf } from './caller.ts';
import { ratesOver } from './rates.ts';
import { startService } from './service.ts';
import { assertRefused, TOKEN, VERIFY } from './steps.ts';

const KIB = 1024;

for (const protocol of PROTOCOLS) {
  suite(`sizes over ${protocol}`, () => {
    let caller: Caller;

    const service = given(() => startService());
    // A connection that has sent too much is closed, sooner or later: each test has its own.
    beforeEach(() => {
      caller = service.caller(undefined, protocol);
    });
    afterEach(() => caller.close());

    test('headers over 16 KiB are 431 in JSON', async () => {
      const sized = (bytes: number) => caller.ask({ path: VERIFY, headers: { 'x-filler': 'x'.repeat(bytes) } });
      assertRefused(await sized(15 * KIB), 401, 'invalid_token');
      assertRefused(await sized(17 * KIB), 431, 'invalid_request');
      assertRefused(await sized(30 * KIB), 431, 'invalid_request');
    });

    test('a body over 64 KiB is 413 in JSON', async () => {
      const sized = (bytes: number) => {
        const body = JSON.stringify({ client_id: 'x' });
        return caller.ask({ path: TOKEN, ...json({}), body: body.padEnd(bytes, ' ') });
      };
      assertRefused(await sized(64 * KIB), 400, 'invalid_request', /Send a device_code/);
      assertRefused(await sized(64 * KIB + 1), 413, 'invalid_request');
      assertRefused(await sized(200 * KIB), 413, 'invalid_request');
    });

    test('a body without a length is measured while it is read', async () => {
      const chunked = {
        'content-type': 'application/json',
        ...(protocol === 'HTTP/1.1' && { 'transfer-encoding': 'chunked' }),
      };
      const answer = await caller.ask({ method: 'POST', path: TOKEN, headers: chunked, body: ' '.repeat(100 * KIB) });
      assertRefused(answer, 413, 'invalid_request');
    });
  });
}

test('a listener on localhost has one socket: no second address is served beside the limits', async (t) => {
  // On many machines localhost has two addresses.
  const addressesOf = (host: string) => (host === 'localhost' ? ['127.0.0.1', '127.0.0.2'] : [host]);
  t.mock.method(dns, 'lookup', (host: string, _options: unknown, tell: (fault: null, found: unknown) => void) =>
    tell(
      null,
      addressesOf(host).map((address) => ({ address, family: 4 })),
    ),
  );
  await using service = await startService({ listeners: [{ tls: true, host: 'localhost' }] });
  const socket = connect({ host: '127.0.0.2', port: service.port });
  const outcome = await once(socket, 'connect').then(
    () => 'served',
    (fault) => fault.code,
  );
  socket.destroy();
  assert.equal(outcome, 'ECONNREFUSED');
  const caller = service.caller();
  assert.equal((await caller.ask({ path: '/healthz' })).status, 200);
  caller.close();
});

test('a caller that disconnects during a request has a log line', async () => {
  await using service = await startService();
  const socket = await rawConnection(reachOf(service));
  socket.write(`POST ${TOKEN} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`);
  const session = connectHttp2(`https://127.0.0.1:${service.port}`, tlsOptionsOf(reachOf(service)));
  session.on('error', () => undefined);
  await once(session, 'connect');
  const stream = session.request({ ':method': 'POST', ':path': TOKEN, 'content-type': 'application/json' });
  stream.on('error', () => undefined).write('{');
  await wait(50);
  socket.destroy();
  session.destroy();
  const outcomes = () => service.logLines.map((line) => JSON.parse(line).outcome).filter(Boolean);
  await eventually('both have a line', () => outcomes().length === 2);
  assert.deepEqual(outcomes(), ['aborted', 'aborted']);
});

ratesOver('HTTP/1.1');
