// Several listeners: which certificates they request, and which doors they serve.
// Needs: openssl
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { suite, test } from 'node:test';
import { eventually } from '../eventually.ts';
import { given } from '../given.ts';
import {
  askPlainly,
  type Caller,
  callerOver,
  json,
  PROTOCOLS,
  type Question,
  rawConnection,
  reachOf,
  readHttp1,
  tlsOptionsOf,
} from './caller.ts';
import { sClient } from './s-client.ts';
import { startService } from './service.ts';
import { assertRefused, CERTIFICATE, CLIENT, SCOPE, VERIFY } from './steps.ts';

const REQUEST = { path: CERTIFICATE, ...json({ client_id: CLIENT, scope: SCOPE }) };

suite('several listeners', () => {
  const service = given(() =>
    startService({
      listeners: [
        { tls: true },
        { tls: true, clientCertificates: 'off' },
        { tls: true, clientCertificates: 'require', doors: ['authsvc'] },
        {},
        { doors: undefined },
        { doors: ['ops'] },
      ],
    }),
  );

  const on = (index: number) => ({ ...service, port: service.portsOfListeners[index] ?? 0 });

  async function asked(caller: Caller, question: Question = REQUEST) {
    try {
      return await caller.ask(question);
    } finally {
      caller.close();
    }
  }

  for (const protocol of PROTOCOLS) {
    test(`clientCertificates off: no certificate is requested or accepted (${protocol})`, async () => {
      const answer = await asked(callerOver(protocol, reachOf(on(1), service.ada)));
      assertRefused(answer, 401, 'invalid_client', /No client certificate/);
      assert.match(await sClient(on(1)), /No client certificate CA names sent/);
    });

    test(`clientCertificates require: the handshake fails without a certificate (${protocol})`, async () => {
      await assert.rejects(asked(callerOver(protocol, reachOf(on(2)))));
      assert.equal((await asked(callerOver(protocol, reachOf(on(2), service.ada)))).status, 200);
    });
  }

  test('a listener serves only the doors it names', async () => {
    const answer = await asked(callerOver('HTTP/1.1', reachOf(on(2), service.ada)), { path: '/healthz' });
    assertRefused(answer, 404, 'invalid_request');
  });

  test('/metrics is served by listeners that name the ops door, and not by default', async () => {
    const [byDefault = 0, monitoring = 0] = service.portsOfListeners.slice(4);
    const statusAt = async (port: number, path: string) => (await askPlainly(port, { path })).status;
    assert.equal(await statusAt(byDefault, '/metrics'), 404);
    assert.equal(await statusAt(byDefault, '/readyz'), 200);
    assert.equal(await statusAt(monitoring, '/metrics'), 200);
    assert.equal(await statusAt(monitoring, VERIFY), 404);
  });

  test('plain HTTP works on loopback, without certificates', async () => {
    const port = service.portsOfListeners[3] ?? 0;
    assertRefused(await askPlainly(port, REQUEST), 401, 'invalid_client', /No client certificate/);
    assertRefused(await askPlainly(port, { path: VERIFY }), 401, 'invalid_token');
    assert.equal((await askPlainly(port, { path: '/healthz' })).status, 200);
  });

  test('plain HTTP on the TLS port is disconnected, and others are not affected', async () => {
    await assert.rejects(askPlainly(service.port, { path: '/healthz' }));
    const socket = await rawConnection(reachOf(service));
    socket.destroy();
  });
});

test('a start logs each listener with the address that it is on, also if it is on all of them', async () => {
  const hosts = ['127.0.0.1', '0.0.0.0', '::1'];
  await using service = await startService({ listeners: hosts.map((host) => ({ tls: true, host })) });
  assert.deepEqual(
    service.addresses.map((address) => address.replace(/:\d+$/, '')),
    ['https://127.0.0.1', 'https://0.0.0.0', 'https://[::1]'],
  );
});

test('the reference lists the doors of all listeners, at their mounts, and no other', async () => {
  await using service = await startService({
    listeners: [{ doors: ['pages'] }, { doors: ['authsvc'] }],
    settings: { authsvc: { mounts: [{ path: '/legacy' }] } },
  });
  const { json: document } = await askPlainly(service.port, { path: '/docs/openapi.json' });
  const paths = Object.keys(document['paths'] as object);
  assert.deepEqual([...new Set(paths.map((path) => path.split('/')[1]))], ['legacy']);
  const { text } = await askPlainly(service.port, { path: '/docs/api', headers: { accept: 'text/html' } });
  assert.match(text, /\/legacy\/Authorize\/Token/);
  assert.doesNotMatch(text, /\/oauth2|\.well-known|\/authsvc|\/healthz/);
});

test('a start warns of a door that something registered needs and no listener serves', async () => {
  await using service = await startService({ listeners: [{ doors: ['authsvc', 'oauth', 'ops'] }] });
  const warnings = service.logLines.filter((line) => line.includes('not served'));
  assert.deepEqual(
    warnings.map((line) => JSON.parse(line).msg),
    ['not served: door pages', 'not served: client certificates'],
  );
});

test('a listener on :: is reached over IPv4 and IPv6, and knows callers and proxies by their own address', async () => {
  const settings = { proxies: { addresses: ['127.0.0.1'] } };
  await using service = await startService({ settings, listeners: [{ tls: true, host: '::' }] });
  const addressesSeen = () =>
    service.logLines.map((line) => JSON.parse(line)).flatMap(({ operation, address }) => (operation ? address : []));
  for (const host of ['127.0.0.1', '::1']) {
    const headers = { 'x-forwarded-for': '192.0.2.7' };
    const options = { ...tlsOptionsOf(reachOf(service)), host, path: VERIFY, headers, agent: false };
    const sent = request(options).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    assert.equal((await readHttp1(response)).status, 401, host);
  }
  await eventually('both have their line', () => addressesSeen().length === 2);
  assert.deepEqual(addressesSeen(), ['192.0.2.7', '::1'], 'only the proxy speaks for others');
});
