// Which proxy is used for an address, and TLS connections through one.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { after, before, suite, test } from 'node:test';
import { download } from '../../src/outbound/download.ts';
import { guardedFetch } from '../../src/outbound/guarded-fetch.ts';
import { credentialsOf, portOf, proxyFor } from '../../src/outbound/proxy.ts';
import { makeAuthority } from '../authority.ts';

const PROXY = 'http://proxy.example:3128';

function chosen(target: string, environment: Record<string, string>): string {
  return proxyFor(new URL(target), environment)?.href ?? 'direct';
}

suite('the proxy for an address', () => {
  const CHOICES: readonly (readonly [string, Record<string, string>, string])[] = [
    ['http://a.example/', {}, 'direct'],
    ['http://a.example/', { http_proxy: PROXY }, `${PROXY}/`],
    ['http://a.example/', { http_proxy: 'proxy.example:3128' }, `${PROXY}/`],
    ['http://a.example/', { HTTP_PROXY: PROXY, http_proxy: '' }, 'direct'],
    ['http://a.example/', { https_proxy: PROXY }, 'direct'],
    ['https://a.example/', { http_proxy: PROXY }, 'direct'],
    ['https://a.example/', { https_proxy: PROXY, all_proxy: 'other' }, `${PROXY}/`],
    ['https://a.example/', { ALL_PROXY: PROXY }, `${PROXY}/`],
    ['https://a.example/', { https_proxy: '', all_proxy: PROXY }, `${PROXY}/`],
  ];
  for (const [target, environment, expected] of CHOICES)
    test(`${target} with ${JSON.stringify(environment)}: ${expected}`, () => {
      assert.equal(chosen(target, environment), expected);
    });

  const EXEMPT: readonly (readonly [string, string, boolean])[] = [
    ['http://a.example/', '*', true],
    ['http://a.example/', 'a.example', true],
    ['http://a.example/', 'A.Example', true],
    ['http://b.a.example/', 'a.example', true],
    ['http://b.a.example/', '.a.example', true],
    ['http://b.a.example/', '*.a.example', true],
    ['http://ba.example/', 'a.example', false],
    ['http://a.example/', 'x.example,a.example', true],
    ['http://a.example/', 'x.example a.example', true],
    ['http://a.example/', 'a.example:80', true],
    ['https://a.example/', 'a.example:443', true],
    ['https://a.example/', 'a.example:80', false],
    ['http://a.example:8080/', 'a.example:8080', true],
    ['http://a.example:8080/', 'a.example:80', false],
    ['http://[2001:db8::1]/', '[2001:db8::1]', true],
    ['http://a.example/', '', false],
    ['http://a.example/', ',', false],
    ['http://a.example/', ':80', false],
  ];
  for (const [target, list, isExempt] of EXEMPT)
    test(`NO_PROXY=${list} ${isExempt ? 'exempts' : 'does not exempt'} ${target}`, () => {
      assert.equal(chosen(target, { all_proxy: PROXY, NO_PROXY: list }), isExempt ? 'direct' : `${PROXY}/`);
    });

  test('must be an http proxy', () => {
    assert.throws(() => chosen('http://a.example/', { http_proxy: 'socks5://p:1' }), /p:1 is not an http proxy/);
  });

  test('gets the user name and password of its address, which may contain any character', () => {
    assert.deepEqual(credentialsOf(new URL('http://p/')), {});
    const pair = Buffer.from('a@b:ü:').toString('base64');
    assert.deepEqual(credentialsOf(new URL('http://a%40b:%C3%BC%3A@p/')), { 'proxy-authorization': `Basic ${pair}` });
  });
});

test('the port of an address is 80 or 443 if it has none', () => {
  const ports = ['http://a/', 'https://a/', 'http://a:8080/', 'https://a:80/'].map((text) => portOf(new URL(text)));
  assert.deepEqual(ports, [80, 443, 8080, 80]);
});

suite('an untrusted address that leads to this machine or its network', () => {
  const HERE = [
    ...[
      'localhost',
      'LOCALHOST',
      'localhost.',
      'Localhost..',
      'a.localhost',
      'a.LocalHost.',
      'local%68ost',
      'ⓛocalhost',
    ],
    ...[
      '127.0.0.1',
      '127.0.0.1.',
      '127.1',
      '2130706433',
      '0x7f000001',
      '0177.0.0.1',
      '0x7F.1',
      '１２７.0.0.1',
      '0',
      '0.0.0.0',
    ],
    ...['[::1]', '[::]', '[0:0:0:0:0:0:0:1]', '[::ffff:127.0.0.1]', '[::ffff:0:127.0.0.1]', '[::127.0.0.1]'],
    ...[
      '[64:ff9b::127.0.0.1]',
      '[64:ff9b:1::7f00:1]',
      '[2002:7f00:1::]',
      '[2001:0:7f00:1::]',
      '[fe80::1]',
      '[fec0::1]',
    ],
    ...['10.0.0.1', '0xa.1', '169.254.169.254', '0xa9fea9fe', '[::ffff:a9fe:a9fe]', '[fd00::1]', '[ff02::1]'],
  ];
  /** What this machine's resolver says of its own names. */
  const resolve = async (name: string) => (/localhost\.*$/.test(name) ? ['127.0.0.1', '::1'] : assert.fail(name));
  const limits = { maxBytes: 1000, withinMs: 60_000 };
  // A port on which nobody listens: a request that is sent is refused with other words.
  for (const [way, environment] of [
    ['directly', {}],
    ['through a proxy', { http_proxy: 'http://127.0.0.1:9', https_proxy: 'http://127.0.0.1:9' }],
  ] as const)
    test(`is not connected to ${way}, however it is written [threats: Assertions]`, async () => {
      for (const host of HERE)
        for (const scheme of ['http', 'https']) {
          const got = await download(guardedFetch({ resolve, environment }), `${scheme}://${host}:9/`, limits);
          assert.match(got.ok ? 'it was' : got.refusal, /is (loopback|private|link-local|multicast|reserved)/, host);
        }
    });
});

suite('TLS through a proxy', () => {
  const authority = makeAuthority();
  const { pem: cert, key } = authority.issue({ dnsNames: ['a.example'], usages: ['1.3.6.1.5.5.7.3.1'] });
  let answer = () => undefined as unknown;
  const target = createTlsServer({ cert, key }, (_, response) => {
    answer = () => response.end('hello');
    asked();
  });
  let asked: () => void = () => undefined;
  const seen: string[] = [];
  let connected: (socket: Duplex) => unknown = () => undefined;
  const proxy = createServer().on('connect', ({ url, headers }, socket) => {
    seen.push(`${url} ${headers.host} ${headers['proxy-authorization'] ?? ''}`.trim());
    connected(socket);
  });
  const portOf = (server: typeof proxy) => (server.address() as AddressInfo).port;
  const sockets = new Set<Socket>();
  before(async () => {
    proxy.on('connection', (socket) => sockets.add(socket));
    for (const server of [proxy, target]) await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  });
  after(() => {
    for (const socket of sockets) socket.destroy();
    for (const server of [proxy, target]) server.close();
  });

  async function get(address: string): Promise<string> {
    const environment = { https_proxy: `http://user:pass@127.0.0.1:${portOf(proxy)}` };
    const fetch = guardedFetch({ resolve: async () => assert.fail('no name to resolve'), environment });
    const limits = { maxBytes: 1000, withinMs: 60_000, authorities: authority.pem };
    const got = await download(fetch, address, limits);
    return got.ok ? Buffer.from(got.value).toString() : got.refusal;
  }

  const turn = () => new Promise((resolve) => setImmediate(resolve));

  test('names the target and its port, and proves who asks', async () => {
    connected = (socket) => socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    seen.length = 0;
    assert.equal(await get('https://a.example/x'), 'no response: the proxy replied 407');
    assert.equal(await get('https://a.example:8443/x'), 'no response: the proxy replied 407');
    const proof = `Basic ${Buffer.from('user:pass').toString('base64')}`;
    assert.deepEqual(seen, [`a.example:443 a.example:443 ${proof}`, `a.example:8443 a.example:8443 ${proof}`]);
  });

  test('ends its connection to a proxy that refuses', async () => {
    const closed = new Promise((resolve) => {
      connected = (socket) => socket.once('end', resolve).resume().write('HTTP/1.1 403 Forbidden\r\n\r\n');
    });
    assert.equal(await get('https://a.example/x'), 'no response: the proxy replied 403');
    await closed;
  });

  test('gives the proxy three seconds to reply', async (t) => {
    const isAsked = new Promise((resolve) => {
      connected = resolve;
    });
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const got = get('https://a.example/x');
    await isAsked;
    t.mock.timers.tick(2_999);
    assert.equal(await Promise.race([got, turn().then(() => 'waiting')]), 'waiting');
    t.mock.timers.tick(1);
    assert.equal(await got, 'no response: the proxy timed out');
  });

  test('gives the target the usual time for its headers, however long connecting may take', async (t) => {
    connected = (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      socket.pipe(connect(portOf(target), '127.0.0.1')).pipe(socket);
    };
    const isAsked = new Promise<void>((resolve) => {
      asked = resolve;
    });
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const got = get('https://a.example/x');
    await isAsked;
    t.mock.timers.tick(7_999);
    await turn();
    answer();
    assert.equal(await got, 'hello');
  });
});
