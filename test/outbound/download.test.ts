// Limits of downloads: bytes, time, connections, and allowed addresses.
// Only in test:all: long property runs
import assert from 'node:assert/strict';
import { createServer, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { after, before, suite, test } from 'node:test';
import { download } from '../../src/outbound/download.ts';
import { guardedFetch, type OutboundPorts } from '../../src/outbound/guarded-fetch.ts';
import { makeAuthority } from '../authority.ts';
import { type RudeServer, rudeServer } from './rude-server.ts';

const LOOPBACK = ['127.0.0.1'];
const MOST = 1024 * 1024;

let server: RudeServer;
before(async () => {
  server = await rudeServer();
});
after(() => server.close());

/** Names are resolved as the test says; no packet leaves the machine. */
function fetching(ports: Partial<OutboundPorts> = {}) {
  const fetch = guardedFetch({ resolve: async () => assert.fail('no name to resolve'), environment: {}, ...ports });
  return async (
    url: string,
    { allowed = LOOPBACK, withinMs = 60_000 }: { allowed?: string[]; withinMs?: number } = {},
  ) => {
    const answer = await download(fetch, url, { maxBytes: MOST, withinMs, allowed });
    return answer.ok ? Buffer.from(answer.value).toString() : answer.refusal;
  };
}

suite('a download', () => {
  const get = fetching();

  test('returns the body, and decompresses it even if compression was not requested', async () => {
    assert.equal(await get(`${server.url}/hello`), 'hello');
    assert.equal(await get(`${server.url}/gzip`), 'hello');
    for (const name of ['x-gzip', 'deflate', 'br', 'identity'])
      assert.equal(await get(`${server.url}/coded/${name}`), 'hello');
    assert.match(await get(`${server.url}/zstd`), /unsupported encoding zstd/);
    assert.equal(await get(`${server.url}/empty`), '', 'success without a body');
    assert.equal(await get(`${server.url}/status/299`), '');
    assert.equal(await get(`${server.url}/status/300`), 'the response is HTTP 300');
  });

  test('without end is aborted at its size limit while reading', async () => {
    assert.equal(await get(`${server.url}/endless`), `it has more than ${MOST} octets`);
    assert.ok(server.sent < 64 * MOST, `the server got rid of ${server.sent} octets`);
  });

  for (const [path, why] of [
    ['pieces', 'it comes in more than 2000 pieces of a few bytes'],
    ['interim', 'it has more than 100 interim responses'],
  ] as const) {
    test(`is aborted if it never ends, but is in very small parts: ${path}`, async () => {
      assert.equal(await get(`${server.url}/${path}`), `no response: ${why}`);
    });
  }

  test('is limited after decompression', async () => {
    assert.equal(await get(`${server.url}/bomb`), `it has more than ${MOST} octets`);
  });

  test('of as many octets as allowed is returned, of one more is refused, with and without Content-Length', async () => {
    for (const isAnnounced of [true, false]) {
      const sending = (octets: number) => (response: ServerResponse) => {
        if (isAnnounced) response.setHeader('content-length', octets);
        response.write('x'.repeat(octets - 1));
        response.end('x');
      };
      const exact = await rudeServer({ all: sending(MOST), more: sending(MOST + 1) });
      assert.equal((await get(`${exact.url}/all`)).length, MOST);
      assert.equal(await get(`${exact.url}/more`), `it has more than ${MOST} octets`);
      exact.close();
    }
  });

  test('with too large a Content-Length is not read', async () => {
    assert.equal(await get(`${server.url}/large`), `it has more than ${MOST} octets`);
  });

  for (const path of ['dribble', 'silent', 'headers']) {
    test(`is aborted at its time limit: ${path}`, async () => {
      assert.match(await get(`${server.url}/${path}`, { withinMs: 300 }), /no response: it took longer than 0.3 s/);
    });
  }

  test('follows no redirect', async () => {
    server.asked.length = 0;
    assert.equal(await get(`${server.url}/redirect`), 'the response is HTTP 302');
    assert.deepEqual(server.asked, ['/redirect']);
  });

  test('refuses error statuses, other schemes and URLs with a password', async () => {
    assert.equal(await get(`${server.url}/missing`), 'the response is HTTP 404');
    assert.equal(await get('ftp://127.0.0.1/x'), 'the address is not http or https');
    for (const user of ['a:b', 'a', ':b'])
      assert.match(await get(`http://${user}@127.0.0.1:${server.port}/hello`), /contains a password/);
    assert.match(await get('http://[/'), /no response/);
  });
});

suite('the address connected to', () => {
  test('is refused if it is loopback and not listed', async () => {
    const get = fetching();
    server.asked.length = 0;
    assert.match(await get(`${server.url}/hello`, { allowed: [] }), /127\.0\.0\.1 is loopback/);
    assert.match(await get(`${server.url}/hello`, { allowed: ['10.0.0.0/8'] }), /loopback/);
    assert.deepEqual(server.asked, []);
    assert.equal(await get(`${server.url}/hello`, { allowed: ['127.0.0.0/8'] }), 'hello');
  });

  test('is what counts: a name that resolves to loopback or a private address is refused', async () => {
    const names: Record<string, string[]> = {
      'crl.example.com': ['127.0.0.1'],
      'private.example.com': ['10.1.2.3', 'fd00::1'],
      'mixed.example.com': ['169.254.169.254', '127.0.0.1'],
      'none.example.com': [],
    };
    const get = fetching({ resolve: async (name) => names[name] ?? [] });
    const url = (name: string) => `http://${name}:${server.port}/hello`;
    assert.match(await get(url('crl.example.com'), { allowed: [] }), /127\.0\.0\.1 is loopback/);
    assert.match(await get(url('private.example.com'), { allowed: [] }), /10\.1\.2\.3 is private.*fd00::1 is private/);
    assert.match(await get(url('none.example.com')), /has no address/);
    assert.equal(await get(url('crl.example.com')), 'hello');
    assert.equal(await get(url('mixed.example.com')), 'hello', 'the one address that is listed');
  });

  test('is the one that was checked: a name is resolved once', async () => {
    let lookups = 0;
    const resolve = async () => (lookups++ === 0 ? ['127.0.0.1'] : ['10.0.0.1']);
    assert.equal(await fetching({ resolve })(`http://rebinding.example.com:${server.port}/hello`), 'hello');
    assert.equal(lookups, 1);
  });

  test('is resolved within a time limit', async () => {
    const get = fetching({ resolve: () => new Promise(() => undefined) });
    assert.match(await get('http://slow.example.com/', { withinMs: 100 }), /took longer/);
  });
});

suite('a proxy set in the environment', () => {
  const seen: string[] = [];
  const proxy = createServer((request, response) => {
    seen.push(`${request.method} ${request.url} ${request.headers['proxy-authorization'] ?? ''}`.trim());
    response.end('from the proxy');
  });
  proxy.on('connect', (request, socket) => {
    seen.push(`CONNECT ${request.url}`);
    if (request.url?.startsWith('mute.')) return void socket.write('HTTP/1.1 200 OK\r\n\r\n');
    const through = connect((target.address() as AddressInfo).port, '127.0.0.1');
    through.on('connect', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      through.pipe(socket).pipe(through);
    });
  });
  const authority = makeAuthority();
  const { pem: cert, key } = authority.issue({ dnsNames: ['crl.example.com'], usages: ['1.3.6.1.5.5.7.3.1'] });
  const target = createTlsServer({ cert, key }, (_, response) => void response.end('from behind the proxy'));
  let address = '';
  before(async () => {
    await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    address = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  });
  after(() => {
    proxy.close();
    target.close();
  });

  test('gets the request and resolves the name itself', async () => {
    const get = fetching({ environment: { http_proxy: `http://user:pass@${address}` } });
    assert.equal(await get('http://crl.example.com/ca.crl', { allowed: [] }), 'from the proxy');
    assert.deepEqual(seen.splice(0), ['GET http://crl.example.com/ca.crl Basic dXNlcjpwYXNz']);
  });

  test('gets a CONNECT request if the target uses TLS', async () => {
    const environment = { HTTPS_PROXY: address };
    const get = fetching({ environment });
    const fetch = guardedFetch({ resolve: async () => assert.fail('no name to resolve'), environment });
    const limits = { maxBytes: MOST, withinMs: 60_000, allowed: [], authorities: authority.pem };
    const answer = await download(fetch, 'https://crl.example.com/ca.crl', limits);
    assert.equal(answer.ok ? Buffer.from(answer.value).toString() : answer.refusal, 'from behind the proxy');
    assert.match(await get('https://crl.example.com/ca.crl', { allowed: [] }), /certificate/);
    assert.deepEqual(seen.splice(0), ['CONNECT crl.example.com:443', 'CONNECT crl.example.com:443']);
  });

  test('is given up if the target behind it is mute, and later requests are not', async () => {
    const get = fetching({ environment: { HTTPS_PROXY: address } });
    const ask = () => get('https://mute.example.com/ca.crl', { allowed: [] });
    const answers = await Promise.all(Array.from({ length: 9 }, ask));
    assert.deepEqual(new Set(answers), new Set(['no response: TLS through the proxy timed out']));
    seen.splice(0);
  });
});
