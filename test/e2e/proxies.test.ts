// Real proxies, configured as docs/proxies.md says: client certificates, forged headers (CVE-2024-10039, CVE-2026-46579), devices.
// Only in test:all: each proxy
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request as requestHttp } from 'node:http';
import { Agent, type RequestOptions, request as requestHttps } from 'node:https';
import { after, before, suite, test } from 'node:test';
import { connect } from 'node:tls';
import { issuers } from '../../src/store/tables/issuers.ts';
import { type Authority, type Issued, makeAuthority } from '../authority.ts';
import { ADA } from '../samples.ts';
import { type Answer, callerOver, json, reachOf, readHttp1, sendRaw, tlsOptionsOf } from './caller.ts';
import { ENCODINGS, type Forgery, forgeriesOf } from './proxies/forgeries.ts';
import { KINDS, PROXIES, type ProxyName, type RunningProxy, startProxy } from './proxies/proxy.ts';
import { registryFollows } from './registry-follows.ts';
import { anIssuer, MALLORY, startService, type TestService } from './service.ts';
import { CERTIFICATE, CLIENT, confirm, redeem, startedDevice, TOKEN } from './steps.ts';

const HEADERS = ['rfc9440', 'url-encoded-pem'] as const;
type Header = (typeof HEADERS)[number];

// Loopback has many addresses; the proxies come from the listed one.
const LISTED = '127.0.0.1';
const UNLISTED = '127.0.0.2';

const services = {} as Record<Header, TestService>;
/** Below the root of each service, and registered with it, as docs/proxies.md says. */
const intermediates = {} as Record<Header, Authority>;
const proxies = {} as Record<ProxyName, RunningProxy>;

before(async () => {
  for (const header of HEADERS) {
    services[header] = await startService({
      settings: { proxies: { addresses: [LISTED], clientCertificateHeader: header } },
      listeners: [{}, { tls: true }],
    });
    const service = services[header];
    const { authority } = service;
    intermediates[header] = authority.makeIntermediate({ name: 'Registered' });
    await service.put(issuers, anIssuer(authority, { intermediates: [intermediates[header].certificate] }));
  }
  await registryFollows();
  const starts = PROXIES.map(async (name) => {
    const service = services[KINDS[name].header];
    proxies[name] = await startProxy(name, { ...service, nodes: [service.port] });
  });
  // Wait for all before the set-up fails, so that none is left running.
  for (const result of await Promise.allSettled(starts)) if (result.status === 'rejected') throw result.reason;
});
after(async () => {
  await Promise.all(Object.values(proxies).map((proxy) => proxy.stop()));
  await Promise.all(Object.values(services).map((service) => service.stop()));
});

for (const name of PROXIES) {
  suite(`behind ${name}, configured as docs/proxies.md says`, () => {
    let service: TestService;
    let agents: Agents;

    before(() => {
      service = services[KINDS[name].header];
      agents = agentsFor(service, proxies[name].port);
    });
    after(() => agents.close());

    test('a genuine client certificate gets a token for its identity', async () => {
      const answer = await authorize(agents.of(service.ada));
      assert.equal(answer.status, 200, answer.text);
      assert.equal(answer.json['identity'], ADA);
    });

    test('a certificate below an intermediate gets a token if the intermediate is registered, since no proxy sends it', async () => {
      const known = intermediates[KINDS[name].header].issue({ commonName: 'ada' });
      const answer = await authorize(agents.of(known));
      assert.equal(answer.json['identity'], ADA, answer.text);
      const unknown = service.authority.makeIntermediate({ name: 'Unregistered' }).issue({ commonName: 'ada' });
      assert.equal(unknown.chain.length, 2);
      assert.equal((await authorize(agents.of(unknown))).status, 401);
    });

    test('a device gets a token that a person confirmed at the page, and readiness is served', async () => {
      const caller = callerOver('HTTP/1.1', { ...reachOf(service), port: proxies[name].port });
      const started = await startedDevice(caller);
      const page = await caller.ask({
        path: `/device?user_code=${started.user_code}`,
        headers: { accept: 'text/html' },
      });
      assert.ok(page.status === 200 || page.status === 303, page.text);
      await confirm(service, started);
      assert.equal((await redeem(caller, started.device_code)).status, 200);
      assert.equal((await caller.ask({ path: '/readyz' })).status, 200);
      caller.close();
    });

    test('CONNECT and Upgrade make no tunnel to a node', skipped(name), async () => {
      const reach = { ...reachOf(service), port: proxies[name].port };
      const tunnel = 'CONNECT localhost:443 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';
      assert.match(await sendRaw(reach, tunnel), /^HTTP\/1.[01] 40[05] /);
      const upgrade = 'GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n';
      assert.match(await sendRaw(reach, upgrade, 500), /^HTTP\/1.1 (200|400) /);
    });

    test(
      'HTTP/2 is neither offered nor accepted, since its floods leave no time for others',
      skipped(name),
      async () => {
        const reach = { ...reachOf(service), port: proxies[name].port };
        const socket = connect({ ...tlsOptionsOf(reach), ALPNProtocols: ['h2', 'http/1.1'] });
        await once(socket, 'secureConnect');
        assert.equal(socket.alpnProtocol, 'http/1.1');
        socket.destroy();
        const preface = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0';
        assert.match(await sendRaw(reach, preface, 1000), /^(HTTP\/1\.[01] [45]|$)/);
      },
    );

    test('a missing certificate is reported as missing, and an unknown issuer is refused by our own validation', async () => {
      const none = await authorize(agents.of(undefined));
      assert.deepEqual([none.status, none.json['Error_description']], [401, 'No client certificate was presented.']);
      const stranger = await authorize(agents.of(makeAuthority({ name: 'Stranger' }).issue({ commonName: 'ada' })));
      assert.equal(stranger.status, 401, stranger.text);
      assert.match(String(stranger.json['Error_description']), /not issued by an approved issuer/);
    });

    test('forged headers, in every letter case, underscore and duplicate variant, give nobody an identity', async () => {
      const mallory = service.authority.issue({ commonName: 'mallory' });
      const forgeries = forgeriesOf(service.ada);
      assert.ok(forgeries.length > 500);
      await inTurns(forgeries, async (forgery) => {
        assertPowerless(await authorize(agents.of(undefined), forgery), forgery, undefined);
        assertPowerless(await authorize(agents.of(mallory), forgery), forgery, MALLORY);
      });
    });

    test('a bound grant is refreshed through the proxy only with its certificate', async () => {
      const first = await authorize(agents.of(service.ada), undefined, 'bound');
      const body = json({ client_id: 'bound', refresh_token: first.json['refresh_token'] });
      const refused = await ask(agents.of(undefined), { path: TOKEN, ...body });
      assert.deepEqual([refused.status, refused.json['Error']], [400, 'invalid_grant'], refused.text);
      const forged = forgeriesOf(service.ada)[0] ?? assert.fail();
      assert.equal((await ask(agents.of(undefined), { path: TOKEN, ...body }, forged)).status, 400);
      assert.equal((await ask(agents.of(service.ada), { path: TOKEN, ...body })).status, 200);
    });

    test('the caller’s address is the one the proxy saw, whatever X-Forwarded-For the caller sent', async () => {
      const id = `agent ${Math.random()}`;
      const forgery = { about: '', headers: ['X-Forwarded-For', '203.0.113.9', 'User-Agent', id] };
      await authorize(agents.of(service.ada), forgery);
      const events = await service.ports.store.events({ after: 0, limit: 100_000 });
      const told = events.find(({ presenter }) => presenter?.agent === id);
      assert.equal(told?.presenter?.address, LISTED);
    });
  });
}

suite('without a proxy in between', () => {
  for (const header of HEADERS) {
    test(`forged headers from an address that is not listed give nobody an identity (${header})`, async () => {
      const service = services[header];
      const [plain = 0, secure = 0] = service.portsOfListeners;
      const mallory = service.authority.issue({ commonName: 'mallory' });
      const agents = agentsFor(service, secure, UNLISTED);
      await inTurns(forgeriesOf(service.ada), async (forgery) => {
        assertPowerless(await authorize({ port: plain, localAddress: UNLISTED }, forgery), forgery, undefined);
        assertPowerless(await authorize(agents.of(mallory), forgery), forgery, MALLORY);
      });
      agents.close();
    });

    test(`from a listed address one header is trusted, and two are refused with 400 (${header})`, async () => {
      const service = services[header];
      const value = ENCODINGS[header](service.ada);
      const name = header === 'rfc9440' ? 'Client-Cert' : 'X-Client-Cert';
      const reach = { port: service.port, localAddress: LISTED };
      const one = await authorize(reach, { about: '', headers: [name, value] });
      assert.equal(one.json['identity'], ADA, one.text);
      const two = await authorize(reach, { about: '', headers: [name, value, name.toLowerCase(), value] });
      assert.deepEqual([two.status, two.json['Error']], [400, 'invalid_request'], two.text);
    });

    test(`the certificate of a listed proxy itself gives nobody an identity (${header})`, async () => {
      const service = services[header];
      const agents = agentsFor(service, service.portsOfListeners[1] ?? 0, LISTED);
      assert.equal((await authorize(agents.of(service.ada))).status, 401);
      agents.close();
    });
  }

  test('ignored certificate headers are counted', async () => {
    const { port } = services.rfc9440;
    const { text } = await ask({ port, localAddress: UNLISTED }, { method: 'GET', path: '/metrics' });
    assert.match(text, /tessera_ignored_certificate_headers_total [1-9]/);
  });
});

function skipped(name: ProxyName): { skip: string | false } {
  return { skip: KINDS[name].reload === undefined && 'what Apache replies depends on the modules around the file' };
}

/** Either refused, or answered for the identity of the handshake. */
function assertPowerless({ status, json: body, text }: Answer, { about }: Forgery, proven: string | undefined): void {
  if (status === 200) assert.equal(body['identity'], proven, `${about}: ${text}`);
  else assert.ok(status === 400 || status === 401, `${about}: ${status} ${text}`);
}

type Reach = Pick<RequestOptions, 'port' | 'localAddress' | 'agent'>;

interface Agents {
  of(certificate: Issued | undefined): Reach;
  close(): void;
}

/** One kept-alive pool per certificate. */
function agentsFor({ authority }: TestService, port: number, localAddress = LISTED): Agents {
  const agents = new Map<Issued | undefined, Agent>();
  return {
    of: (certificate) => {
      const options = { keepAlive: true, localAddress, ...tlsOptionsOf({ port, ca: authority.pem, certificate }) };
      const agent = agents.get(certificate) ?? new Agent(options);
      agents.set(certificate, agent);
      return { port, localAddress, agent };
    },
    close: () => {
      for (const agent of agents.values()) agent.destroy();
    },
  };
}

function authorize(reach: Reach, forgery?: Forgery, client_id = CLIENT): Promise<Answer> {
  return ask(reach, { path: CERTIFICATE, ...json({ client_id, scope: 'orders:read' }) }, forgery);
}

interface Question {
  readonly method?: string;
  readonly path: string;
  readonly body?: string | Uint8Array;
}

/** Headers as a list, so that they go out exactly as written. */
function ask(reach: Reach, { method = 'POST', path, body = '' }: Question, forgery?: Forgery): Promise<Answer> {
  const length = ['Content-Length', String(Buffer.byteLength(body))];
  const headers = ['Host', 'localhost', 'Content-Type', 'application/json', ...length, ...(forgery?.headers ?? [])];
  const options = { host: LISTED, servername: 'localhost', method, path, ...reach };
  return new Promise((resolve, reject) => {
    const send = reach.agent ? requestHttps : requestHttp;
    const request = send({ ...options, headers }, (response) => void readHttp1(response).then(resolve, reject));
    request.on('error', (fault) => {
      // A proxy closes idle connections after a few seconds, and this machine may be slow.
      if (request.reusedSocket) resolve(ask(reach, { method, path, body }, forgery));
      else reject(fault);
    });
    request.end(body);
  });
}

async function inTurns<T>(items: readonly T[], act: (item: T) => Promise<void>, atOnce = 8): Promise<void> {
  const queue = items.values();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const item of queue) await act(item);
    }),
  );
}
