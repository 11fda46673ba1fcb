// TLS for callers: versions, optional client certificates, reloads.
// Needs: openssl
import assert from 'node:assert/strict';
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { connect, type TLSSocket } from 'node:tls';
import { isDeepStrictEqual } from 'node:util';
import { composeService } from '../../src/compose/service.ts';
import { tlsOptions } from '../../src/front/tls.ts';
import { makeLog } from '../../src/log/log.ts';
import { openStore } from '../../src/open-store.ts';
import { issuers } from '../../src/store/tables/issuers.ts';
import { systemClock } from '../../src/system.ts';
import { type Authority, makeAuthority } from '../authority.ts';
import { eventually } from '../eventually.ts';
import { given } from '../given.ts';
import { ADA } from '../samples.ts';
import { json, PROTOCOLS, reachOf, tlsOptionsOf } from './caller.ts';
import { registryFollows, second } from './registry-follows.ts';
import { sClient } from './s-client.ts';
import { anIssuer, issueServer, populatedHome, SERVER_AUTH, startService, type TestService } from './service.ts';
import { assertRefused, CERTIFICATE, CLIENT, pairByCertificate, SCOPE } from './steps.ts';

const REQUEST = { path: CERTIFICATE, ...json({ client_id: CLIENT, scope: SCOPE }) };

function handshake(service: TestService, more: object = {}): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ ...tlsOptionsOf(reachOf(service)), ...more }, () => resolve(socket));
    socket.once('error', reject);
  });
}

suite('the TLS listener', () => {
  const service = given(() => startService());

  for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
    test(`${version} is supported, with and without a client certificate`, async () => {
      for (const certificate of [undefined, service.ada]) {
        const options = { ...tlsOptionsOf(reachOf(service, certificate)), minVersion: version, maxVersion: version };
        const socket = await handshake(service, options);
        assert.equal(socket.getProtocol(), version);
        socket.destroy();
      }
    });
  }

  test('TLS 1.1 is not supported', async () => {
    const old = { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' };
    await assert.rejects(handshake(service, old));
  });

  test('the log of a start says of a listener which requests certificates of anybody that a proxy belongs in front [threats: Edges]', async () => {
    for (const [host, warnings] of [
      ['192.0.2.1', 1],
      ['127.0.0.1', 0],
    ] as const) {
      const home = await populatedHome({ listeners: [{ host, tls: true }] });
      const lines: string[] = [];
      const { milliseconds } = systemClock;
      const log = makeLog({
        ...home.config.log,
        milliseconds,
        destination: { write: (line) => void lines.push(line) },
      });
      const service = await composeService(home.config, await openStore(home.config, 'service'), home.keyring, log);
      await service.stop();
      assert.equal(lines.filter((line) => /Put Caddy in front/.test(line)).length, warnings, host);
    }
  });

  test('authorities are named where certificates are requested, and no answer waits for an acknowledgement', () => {
    const files = { certificate: '', key: '', issuers: [service.authority.pem] };
    const [off, on] = (['off', 'request'] as const).map((clientCertificates) =>
      tlsOptions({ ...files, clientCertificates }, 1),
    );
    assert.deepEqual([off?.ca, on?.ca, off?.requestCert, on?.requestCert], [undefined, files.issuers, false, true]);
    assert.equal(on?.noDelay, true);
  });

  test('ALPN selects HTTP/2 or HTTP/1.1; without ALPN it is HTTP/1.1', async () => {
    for (const [offered, chosen] of [
      [['h2', 'http/1.1'], 'h2'],
      [['http/1.1'], 'http/1.1'],
      [undefined, false],
    ] as const) {
      const socket = await handshake(service, offered && { ALPNProtocols: [...offered] });
      assert.equal(socket.alpnProtocol, chosen);
      socket.destroy();
    }
  });

  test('the handshake advertises the approved issuers [spec-gaps: Authorize/Certificate]', async () => {
    for (const version of ['-tls1_2', '-tls1_3']) {
      const shown = await sClient(service, version);
      const [, names = ''] = shown.split('Acceptable client certificate CA names');
      assert.match(names.split('\n').slice(0, 3).join('\n'), /CN ?= ?Example Root/, shown);
    }
  });

  test('TLS 1.2 accepts only forward-secret AEAD cipher suites', async () => {
    const old = { minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' } as const;
    for (const ciphers of ['ECDHE-ECDSA-AES128-SHA256:ECDHE-RSA-AES128-SHA256', 'AES128-GCM-SHA256', 'AES256-SHA'])
      await assert.rejects(handshake(service, { ...old, ciphers }), /handshake failure/i);
    const socket = await handshake(service, old);
    assert.match(socket.getCipher().name, /^ECDHE-\w+-(AES\d+-GCM|CHACHA20-POLY1305)/);
    socket.destroy();
  });

  test('a connection is not renegotiated', async () => {
    const socket = await handshake(service, { maxVersion: 'TLSv1.2' });
    socket.on('error', () => undefined);
    const fault = await new Promise<Error | null>((resolve) => {
      socket.renegotiate({}, resolve);
      socket.once('error', resolve);
    });
    assert.match(String(fault), /renegotiation/i);
    socket.destroy();
  });

  test('TLS sessions are never resumed, since resumption loses the chain [spec-gaps: Authorize/Certificate]', async () => {
    for (const version of ['-tls1_2', '-tls1_3']) {
      const session = join(service.folder, `session${version}`);
      await sClient(service, version, '-sess_out', session);
      const shown = await sClient(service, version, '-sess_in', session);
      assert.match(shown, /^New, TLS/m, shown);
      assert.doesNotMatch(shown, /^Reused/m);
    }
    const again = await sClient(service, '-tls1_2', '-reconnect');
    assert.doesNotMatch(again, /^Reused/m);
  });

  test('a caller that offers an old session is identified with its whole chain [spec-gaps: Authorize/Certificate]', async () => {
    const certificate = service.authority.makeIntermediate().issue({ commonName: 'ada' });
    for (let connection = 0; connection < 3; connection++) {
      for (const protocol of PROTOCOLS) {
        const caller = service.caller(certificate, protocol);
        assert.equal((await caller.ask(REQUEST)).json['identity'], ADA);
        caller.close();
      }
    }
  });

  test('issuers added while the service runs are in force within a second, also in new handshakes [spec-gaps: Administration]', async () => {
    const late = makeAuthority({ name: 'Late Root' });
    const certificate = late.issue({ commonName: 'ada' });
    const open = service.caller(certificate, 'HTTP/2');
    assertRefused(await open.ask(REQUEST), 401, 'invalid_client');
    await service.put(issuers, anIssuer(late, { label: 'late' }));
    await second();
    assert.equal((await callerOnce(certificate)).status, 200);
    assert.match(await sClient(service), /CN ?= ?Late Root/);
    await service.put(issuers, anIssuer(late, { label: 'late', enabled: false }));
    await second();
    assertRefused(await callerOnce(certificate), 401, 'invalid_client');
    assertRefused(await open.ask(REQUEST), 401, 'invalid_client');
    open.close();
  });

  async function callerOnce(certificate: Parameters<typeof reachOf>[1]) {
    const caller = service.caller(certificate);
    const answer = await caller.ask(REQUEST);
    caller.close();
    return answer;
  }

  test('a new server certificate is used for new connections, and open ones stay open', async () => {
    const open = service.caller(service.ada, 'HTTP/2');
    await pairByCertificate(open);
    const old = await serial();
    const { pem, key } = issueServer(service.authority);
    replace(service.serverFiles.certificate, pem);
    await registryFollows();
    assert.equal(await serial(), old, 'a certificate without its key is not taken');
    assert.equal(logged(/could not be loaded: the last one stays/).length, 1, 'and this is logged once');
    assert.match(
      logged(/could not be loaded/)[0] ?? '',
      /does not belong to the server certificate.*"todo":"Put the key/,
    );
    replace(service.serverFiles.key, key);
    await eventually('the new certificate is served', async () => (await serial()) !== old);
    assert.equal(logged(/"level":"info".*the server certificate was loaded again/).length, 1);
    await pairByCertificate(open);
    open.close();
  });

  test('a server certificate that callers refuse does not replace one that is valid', async () => {
    const old = await serial();
    for (const [notBefore, notAfter, why] of [
      ['2020-01-01', '2021-01-01', /server\.crt: expired at .*2021.*Renew it.*the last one stays/],
      ['2090-01-01', '2091-01-01', /server\.crt: not valid before .*2090.*Renew it.*the last one stays/],
    ] as const) {
      const { pem, key } = service.authority.issue({ commonName: 'localhost', notBefore, notAfter });
      replace(service.serverFiles.certificate, pem);
      replace(service.serverFiles.key, key);
      for (let looks = 0; looks < 2; looks++) await registryFollows();
      assert.equal(await serial(), old);
      assert.equal(logged(why).length, 1, 'once, although it is judged again and again');
    }
  });

  async function serial(): Promise<string> {
    const socket = await handshake(service);
    const { serialNumber } = socket.getPeerCertificate();
    socket.destroy();
    return serialNumber;
  }

  function logged(what: RegExp): readonly string[] {
    return service.logLines.filter((line) => what.test(line));
  }

  function replace(path: string, text: string): void {
    writeFileSync(`${path}.new`, text, { mode: 0o600 });
    renameSync(`${path}.new`, path);
  }
});

function issueExpired(authority: Authority) {
  return authority.issue({ commonName: 'localhost', notBefore: '2020-01-01', notAfter: '2021-01-01' });
}

test('a server certificate that has expired is used at a start, and is an error in the log, with what to do', async () => {
  const service = await startService({ server: issueExpired });
  await service.stop();
  const found = service.logLines.filter((line) => line.includes('callers refuse the server certificate'));
  assert.equal(found.length, 1);
  assert.match(found[0] ?? '', /"level":"error".*server\.crt.*expired at .*2021.*Renew it/);
});

test('a server certificate that expires while it is served is an error in the log then, and in /readyz and /metrics', async () => {
  const ends = Date.UTC(2090, 0, 1) / 1000;
  const server = (authority: Authority) =>
    authority.issue({
      commonName: 'localhost',
      dnsNames: ['localhost'],
      usages: [SERVER_AUTH],
      notAfter: '2090-01-01',
    });
  await using service = await startService({ server });
  const caller = service.caller();
  const logged = (what: string) => service.logLines.filter((line) => line.includes(what)).length;
  const { json: before } = await caller.ask({ path: '/readyz' });
  assert.equal(before['reasons'], undefined);
  const { text } = await caller.ask({ path: '/metrics' });
  assert.match(text, new RegExp(`^tessera_server_certificate_expires_timestamp_seconds ${ends}$`, 'm'));
  service.pass(ends - 86_400 - service.now());
  await registryFollows();
  await eventually('it is said that it ends', () => logged('the server certificate expires soon') === 1);
  service.pass(86_401);
  await registryFollows();
  await eventually('it is said that it has ended', () => logged('callers refuse the server certificate') === 1);
  const ready = async () => (await caller.ask({ path: '/readyz' })).json['reasons'];
  const reasons = { 'server certificate': 'expired at 2090-01-01T00:00:00Z' };
  await eventually('/readyz says so', async () => isDeepStrictEqual(await ready(), reasons));
  const { status, json: after } = await caller.ask({ path: '/readyz' });
  assert.deepEqual([status, after['status']], [200, 'ok'], 'every node has it: no other one would do better');
  assert.equal(logged('the server certificate expires soon'), 1);
});

test('a server certificate for another name than publicUrl is logged, unless only proxies connect', async () => {
  const warningsWith = async (settings: Record<string, unknown>) => {
    const service = await startService({ settings });
    await service.stop();
    return service.logLines.filter((line) => line.includes('the server certificate is not for publicUrl'));
  };
  assert.deepEqual(await warningsWith({}), []);
  const [warning = ''] = await warningsWith({ publicUrl: 'https://other.example' });
  assert.match(warning, /"why":"it is for DNS:localhost, [^"]*, and callers connect to other\.example"/);
  const proxies = { addresses: ['127.0.0.1'] };
  assert.deepEqual(await warningsWith({ publicUrl: 'https://other.example', proxies }), []);
});
