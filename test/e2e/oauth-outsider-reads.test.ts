// What the oauth door serves by GET, as somebody meets it who reads only the RFCs: metadata, keys, and the revocation feed.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { resourceServers } from '../../src/store/tables/resource-servers.ts';
import { given, prepare } from '../given.ts';
import { PROTOCOLS } from './caller.ts';
import { ORDERS, ordersServer } from './introspection-scene.ts';
import { METADATA } from './oauth-scene.ts';
import { assertRefused, basic } from './oauth-steps.ts';
import { registryFollows } from './registry-follows.ts';
import { startService } from './service.ts';

const FEED = '/oauth2/revocations';
const PUBLIC = [...METADATA, '/oauth2/jwks'];
const RESOURCE = `/oauth2/resources/${ORDERS.id}`;
const PROOF = basic(ORDERS.id, ORDERS.secret);

const service = given(() => startService({ signing: 'ES256' }));
prepare(async () => {
  await service.put(resourceServers, ordersServer(service));
  await registryFollows();
});

for (const protocol of PROTOCOLS) {
  suite(`what is served by GET, over ${protocol}`, () => {
    const caller = given(() => service.caller(undefined, protocol));
    const feed = (query = '', headers = {}) => caller.ask({ path: FEED + query, headers: { ...PROOF, ...headers } });

    test('other methods are 405 with Allow, also for a body of any type [RFC 9110 15.5.6]', async () => {
      for (const path of [...PUBLIC, FEED]) {
        for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', ...(path === FEED ? ['OPTIONS'] : [])]) {
          const body = method === 'OPTIONS' || method === 'DELETE' ? {} : { body: 'a=b' };
          const answer = await caller.ask({ method, path, headers: PROOF, ...body });
          assertRefused(answer, 405, 'invalid_request');
          assert.equal(answer.headers['allow'], path === FEED ? 'GET' : 'GET, HEAD, OPTIONS');
        }
      }
    });

    test('[RFC 8414 3] a page may read metadata and keys with headers of its own: its browser asks first', async () => {
      for (const path of PUBLIC) {
        const headers = {
          origin: 'https://page.example',
          'access-control-request-method': 'GET',
          'access-control-request-headers': 'mcp-protocol-version',
        };
        const answer = await caller.ask({ method: 'OPTIONS', path, headers });
        assert.deepEqual([answer.status, answer.text], [204, '']);
        assert.equal(answer.headers['access-control-allow-origin'], '*');
        assert.equal(answer.headers['access-control-allow-methods'], 'GET, HEAD');
        assert.equal(answer.headers['access-control-allow-headers'], '*');
        assert.equal(answer.headers['access-control-allow-credentials'], undefined);
      }
    });

    test('paths are exact: no trailing slash, other letter case, second slash or escape', async () => {
      for (const path of [...PUBLIC, FEED, RESOURCE]) {
        assert.equal((await caller.ask({ path, headers: PROOF })).status, 200, path);
        for (const other of [`${path}/`, path.toUpperCase(), `/${path}`, path.replace('a', '%61'), `${path}/x`])
          assert.equal((await caller.ask({ path: other, headers: PROOF })).status, 404, other);
      }
    });

    test('[RFC 8414 3.1] metadata and keys need no credentials, and ignore credentials and the query', async () => {
      for (const path of PUBLIC) {
        const usual = await caller.ask({ path });
        for (const authorization of ['Bearer x', 'Basic ???', basic('nobody', 'x')['authorization'] ?? '']) {
          const answer = await caller.ask({ path: `${path}?x=${'y'.repeat(2000)}&x=`, headers: { authorization } });
          assert.deepEqual([answer.status, answer.text], [200, usual.text]);
        }
        assert.equal(usual.headers['cache-control'], 'public, max-age=300');
        assert.equal(usual.headers['access-control-allow-origin'], '*');
        assert.equal(usual.headers['set-cookie'], undefined);
      }
    });

    test('[RFC 7517 5] the keys are public parts alone, each with its kid, alg and use', async () => {
      const { keys } = (await caller.ask({ path: '/oauth2/jwks' })).json as { keys: Record<string, string>[] };
      assert.equal(keys.length, 1);
      for (const key of keys) assert.deepEqual(Object.keys(key).sort(), ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
    });

    test('[RFC 6749 3.2] the feed refuses a parameter that comes twice, ignores unknown ones, and reads an empty one as missing', async () => {
      for (const name of ['client_id', 'page', 'after'])
        for (const second of ['', 'other', ORDERS.id])
          assertRefused(await feed(`?${name}=${ORDERS.id}&${name}=${second}`), 400, 'invalid_request');
      const usual = await feed();
      assert.equal(usual.status, 200, usual.text);
      for (const query of ['?client_id=&page=&after=', '?colour=red&colour=blue&__proto__=x&constructor='])
        assert.equal((await feed(query)).status, 200, query);
    });

    test('[RFC 6749 2.3.1] the feed takes no secret from the address, and one proof only', async () => {
      const inAddress = `?client_id=${ORDERS.id}&client_secret=${ORDERS.secret}`;
      const refused = await caller.ask({ path: FEED + inAddress });
      assertRefused(refused, 401, 'invalid_client');
      assert.equal(refused.headers['www-authenticate'], 'Basic realm="tessera"');
      assertRefused(await feed('?client_id=another-api'), 400, 'invalid_request');
      assert.equal((await feed(`?client_id=${ORDERS.id}`)).status, 200);
    });

    test('[RFC 9110 8.3.1] the media type that starts a stream is read without regard to letter case', async () => {
      for (const accept of ['text/event-stream', 'Text/Event-Stream', '*/*;q=0.1, TEXT/EVENT-STREAM'])
        assertRefused(await feed('', { accept }), 400, 'invalid_request'); // a stream needs a cursor
      for (const accept of ['application/json', '*/*', 'image/png', ''])
        assert.equal((await feed('', { accept })).status, 200, accept);
    });

    test('[RFC 6749 10.14] the feed refuses odd cursors and pages, and repeats none of them', async () => {
      const odd = ['x'.repeat(3000), '\0', '-1', '1e9', '0x1-', "' OR 1=1", '<script>', '../../etc', '9'.repeat(99)];
      for (const value of [...odd.map(encodeURIComponent), '%ff', '%']) {
        for (const [query, accept] of [
          [`?page=${value}`, 'application/json'],
          [`?after=${value}`, 'text/event-stream'],
        ] as const)
          assertRefused(await feed(query, { accept }), 410, 'invalid_request');
      }
      const { text } = await feed('?page=%3Cscript%3E');
      assert.ok(!text.includes('script>'), text);
    });

    test('the feed is never cached, and read by no other site', async () => {
      const origin = { origin: 'https://other.example' };
      for (const answer of [await feed('', origin), await caller.ask({ path: FEED, headers: origin })]) {
        assert.equal(answer.headers['cache-control'], 'no-store');
        assert.deepEqual(
          Object.keys(answer.headers).filter((name) => name.startsWith('access-control')),
          [],
        );
      }
    });
  });
}
