// Behind a proxy: certificate headers are trusted from listed addresses only [spec-gaps: Authorize/Certificate].
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { connect } from 'node:net';
import { suite, type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Issued } from '../authority.ts';
import { ADA } from '../samples.ts';
import { type Answer, askPlainly, json, PROTOCOLS } from './caller.ts';
import { startProcess } from './process.ts';
import { populatedHome, type SetUp, startService, type TestService } from './service.ts';
import { assertRefused, CERTIFICATE, CLIENT, DEVICE, SCOPE } from './steps.ts';

const REQUEST = json({ client_id: CLIENT, scope: SCOPE });

async function behind(t: TestContext, proxies: object, more: SetUp = {}): Promise<TestService> {
  const service = await startService({ ...more, settings: { ...more.settings, proxies } });
  t.after(() => service.stop());
  return service;
}

const clientCert = (certificate: Issued) => `:${Buffer.from(certificate.certificate).toString('base64')}:`;

function ask(port: number, headers: Record<string, string | string[]>, path = CERTIFICATE): Promise<Answer> {
  return askPlainly(port, { ...REQUEST, path, headers: { ...REQUEST.headers, ...headers } });
}

/** The addresses that the log names, request by request. */
function addresses(service: TestService): string[] {
  return service.logLines.map((line) => JSON.parse(line).address).filter(Boolean);
}

async function ignoredHeaders(service: TestService): Promise<number> {
  const { text } = await askPlainly(service.port, { path: '/metrics' });
  return Number(/^tessera_ignored_certificate_headers_total (\d+)$/m.exec(text)?.[1]);
}

suite('a listed proxy', () => {
  const proxies = { addresses: ['127.0.0.1', '10.0.0.0/8'], clientCertificateHeader: 'rfc9440' };

  test('passes on the client certificate, which is validated again [spec-gaps: Authorize/Certificate]', async (t) => {
    const service = await behind(t, proxies, { listeners: [{}] });
    const good = await ask(service.port, { 'Client-Cert': clientCert(service.ada) });
    assert.deepEqual([good.status, good.json['identity']], [200, ADA], good.text);
    const expired = service.authority.issue({ commonName: 'ada', notAfter: '2021-01-01' });
    assertRefused(await ask(service.port, { 'Client-Cert': clientCert(expired) }), 401, 'invalid_client', /expired/);
    assertRefused(await ask(service.port, {}), 401, 'invalid_client', /No client certificate/);
    assertRefused(await ask(service.port, { 'Client-Cert': 'nonsense' }), 401, 'invalid_client', /could not be read/);
    const chained = service.authority.makeIntermediate().issue({ commonName: 'ada' });
    const [, ...above] = chained.chain.map((der) => `:${Buffer.from(der).toString('base64')}:`);
    const answer = await ask(service.port, {
      'Client-Cert': clientCert(chained),
      'Client-Cert-Chain': above.join(', '),
    });
    assert.equal(answer.status, 200, answer.text);
  });

  test('a duplicate certificate header is 400 [threats: Proxy, HTTP, TLS, secrets]', async (t) => {
    const service = await behind(t, proxies, { listeners: [{}] });
    const twice = await ask(service.port, { 'Client-Cert': [clientCert(service.ada), clientCert(service.ada)] });
    assertRefused(twice, 400, 'invalid_request', /more than once/);
  });

  test('whose certificate headers are off gives nobody an identity by one [threats: Proxy, HTTP, TLS, secrets]', async (t) => {
    const service = await behind(t, { addresses: proxies.addresses }, { listeners: [{}] });
    const answer = await ask(service.port, { 'Client-Cert': clientCert(service.ada) });
    assertRefused(answer, 401, 'invalid_client', /No client certificate/);
  });

  test('variants of the header’s name are ignored [threats: Proxy, HTTP, TLS, secrets]', async (t) => {
    const service = await behind(t, proxies, { listeners: [{}] });
    for (const name of ['Client_Cert', 'X-Client-Cert', 'X-Forwarded-Client-Cert', 'X-SSL-Cert'])
      assertRefused(await ask(service.port, { [name]: clientCert(service.ada) }), 401, 'invalid_client');
    assert.equal((await ask(service.port, { 'CLIENT-CERT': clientCert(service.ada) })).status, 200);
  });

  for (const protocol of PROTOCOLS) {
    test(`its own certificate never gives an identity (${protocol}) [spec-gaps: Authorize/Certificate]`, async (t) => {
      const service = await behind(t, proxies);
      const proxy = service.caller(service.ada, protocol);
      assertRefused(await proxy.ask({ path: CERTIFICATE, ...REQUEST }), 401, 'invalid_client', /No client certificate/);
    });
  }

  test('X-Forwarded-For is read from the right, up to the first unlisted address [spec-gaps: Authorize/Certificate]', async (t) => {
    const service = await behind(t, proxies, { listeners: [{}] });
    const rows: readonly [header: string | string[], address: string][] = [
      ['192.0.2.1', '192.0.2.1'],
      ['198.51.100.9, 192.0.2.1', '192.0.2.1'],
      ['198.51.100.9, 192.0.2.1, 10.1.2.3', '192.0.2.1'],
      [['198.51.100.9', '192.0.2.2'], '192.0.2.2'],
      ['2001:db8::1', '2001:db8::1'],
      ['::ffff:192.0.2.3', '192.0.2.3'],
      ['10.1.2.3', '127.0.0.1'],
      ['192.0.2.1, nonsense', '127.0.0.1'],
      ['', '127.0.0.1'],
    ];
    for (const [header] of rows) await ask(service.port, { 'X-Forwarded-For': header }, DEVICE);
    assert.deepEqual(
      addresses(service),
      rows.map(([, address]) => address),
    );
  });

  test('rate limits count the caller’s address, not the proxy’s', async (t) => {
    const limits = { requestsPerAddress: { perMinute: 60, burst: 3 } };
    const service = await behind(t, proxies, { listeners: [{}], settings: { limits } });
    const from = async (address: string) => (await ask(service.port, { 'X-Forwarded-For': address }, DEVICE)).status;
    const statuses = [];
    for (let asked = 0; asked < 5; asked++) statuses.push(await from('192.0.2.1'));
    assert.deepEqual(statuses, [200, 200, 200, 429, 429]);
    assert.equal(await from('192.0.2.2'), 200);
  });
});

suite('an unlisted address', () => {
  test('has its certificate header ignored and counted [spec-gaps: Authorize/Certificate]', async (t) => {
    const service = await behind(
      t,
      { addresses: ['192.0.2.0/24'], clientCertificateHeader: 'rfc9440' },
      { listeners: [{}] },
    );
    assertRefused(
      await ask(service.port, { 'Client-Cert': clientCert(service.ada) }),
      401,
      'invalid_client',
      /No client/,
    );
    assertRefused(await ask(service.port, { 'Client-Cert': 'x' }), 401, 'invalid_client', /No client/);
    assert.equal(await ignoredHeaders(service), 2);
    await ask(service.port, { 'X-Forwarded-For': '192.0.2.1' }, DEVICE);
    assert.deepEqual(new Set(addresses(service)), new Set(['127.0.0.1']), 'X-Forwarded-For neither');
  });

  test('is identified by the handshake, whatever the header says [spec-gaps: Authorize/Certificate]', async (t) => {
    const service = await behind(t, { addresses: ['192.0.2.0/24'], clientCertificateHeader: 'rfc9440' });
    const victim = service.authority.issue({ commonName: 'mallory' });
    const caller = service.caller(service.ada, 'HTTP/2');
    const headers = { ...REQUEST.headers, 'client-cert': clientCert(victim) };
    assert.equal((await caller.ask({ ...REQUEST, path: CERTIFICATE, headers })).json['identity'], ADA);
  });
});

suite('a plain listener', () => {
  test('survives callers that ask for a tunnel and reset the connection', async (t) => {
    const home = await populatedHome({ listeners: [{}] });
    const service = await startProcess(home);
    t.after(async () => {
      await service.kill();
      rmSync(home.folder, { recursive: true, force: true });
    });
    for (let count = 0; count < 20; count++) {
      const socket = connect(service.port, '127.0.0.1').on('error', () => undefined);
      socket.write('CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n', () => setTimeout(() => socket.resetAndDestroy(), 2));
    }
    await pause(300);
    assert.equal((await askPlainly(service.port, { path: '/healthz' })).status, 200);
  });
});
