// Fetching the keys of token issuers from a real server on loopback: limits, discovery, rotation, outages, several nodes.
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, before, beforeEach, suite, type TestContext, test } from 'node:test';
import { fetchKeys } from '../../src/assertions/fetch-keys.ts';
import { IssuerKeys } from '../../src/assertions/issuer-keys.ts';
import type { KeySet } from '../../src/assertions/key-set.ts';
import type { KeySource } from '../../src/core/key-source.ts';
import type { TokenIssuer } from '../../src/core/token-issuer.ts';
import { guardedFetch, type OutboundPorts } from '../../src/outbound/guarded-fetch.ts';
import { storeOf } from '../../src/store/change.ts';
import { sharedKeySets } from '../../src/store/shared-lists.ts';
import { makeAuthority } from '../authority.ts';
import { SERVER_AUTH } from '../e2e/service.ts';
import { eventually } from '../eventually.ts';
import { TestClock } from '../node.ts';
import {
  aTokenIssuer,
  DISCOVERY,
  keySetOf,
  type PlatformKey,
  type PlatformServer,
  platformKey,
  platformServer,
} from '../platform.ts';
import { sqliteDatabase } from '../store/sqlite-database.ts';

const LOOPBACK = ['127.0.0.1'];

let server: PlatformServer;
let [first, second] = [{} as PlatformKey, {} as PlatformKey];

before(async () => {
  [first, second] = await Promise.all([platformKey('k1'), platformKey('k2')]);
  server = await platformServer();
});
after(() => server.close());
beforeEach(() => {
  server.keys = [first];
  server.issuer = server.url;
  server.asked.length = 0;
  server.odd.clear();
});

/** Names are resolved as the test says; no packet leaves the machine. */
function fetching(ports: Partial<OutboundPorts> = {}) {
  return guardedFetch({ resolve: async () => assert.fail('no name to resolve'), environment: {}, ...ports });
}

function tokenIssuer(keys: Partial<KeySource> = {}): TokenIssuer {
  const source = { from: 'discovery', allowedAddresses: LOOPBACK, ...keys } as KeySource;
  return aTokenIssuer({ issuer: server.url, keys: source });
}

async function got(issuer: TokenIssuer, ports?: Partial<OutboundPorts>): Promise<string> {
  const keys = await fetchKeys(issuer, fetching(ports));
  return keys.ok ? keys.value : keys.refusal;
}

suite('keys are fetched', () => {
  test('by discovery, from the address that the document names', async () => {
    assert.equal(await got(tokenIssuer()), keySetOf(first));
    assert.deepEqual(server.asked, [DISCOVERY, '/jwks']);
  });

  test('from a known address, without discovery', async () => {
    assert.equal(await got(tokenIssuer({ from: 'url', url: `${server.url}/jwks` })), keySetOf(first));
    assert.deepEqual(server.asked, ['/jwks']);
  });

  test('over TLS by the authorities of the token issuer alone', async () => {
    const authority = makeAuthority({ name: 'Private' });
    const tls = authority.issue({ commonName: 'localhost', dnsNames: ['localhost'], usages: [SERVER_AUTH] });
    const secure = await platformServer([first], tls);
    try {
      const source = { from: 'url', url: `${secure.url}/jwks`, allowedAddresses: LOOPBACK } as const;
      const resolve = async () => LOOPBACK;
      const trusting = aTokenIssuer({ issuer: secure.url, keys: { ...source, authorities: authority.pem } });
      assert.equal(await got(trusting, { resolve }), keySetOf(first));
      assert.match(await got(aTokenIssuer({ keys: source }), { resolve }), /self-signed|unable to verify|issuer/);
      const other = makeAuthority({ name: 'Other' }).pem;
      assert.match(await got(aTokenIssuer({ keys: { ...source, authorities: other } }), { resolve }), /no response/);
    } finally {
      secure.close();
    }
  });
});

suite('keys are not fetched', () => {
  const reply = (text: string) => (response: ServerResponse) => void response.end(text);

  test('by the discovery document of another issuer', async () => {
    for (const issuer of ['https://evil.example', `${server.url}/`, server.url.toUpperCase()]) {
      server.issuer = issuer;
      assert.match(await got(tokenIssuer()), /its issuer is not/);
    }
    assert.deepEqual([...new Set(server.asked)], [DISCOVERY], 'its keys are not even asked for');
  });

  test('by a document that is not one', async () => {
    for (const text of ['', '[]', 'null', '{"issuer":', '<html>']) {
      server.odd.set(DISCOVERY, reply(text));
      assert.match(await got(tokenIssuer()), /not a JSON object/);
    }
  });

  test('from a jwks_uri that is not https', async () => {
    for (const uri of [
      'http://keys.example/jwks',
      'file:///etc/passwd',
      'data:,{}',
      'https://a:b@keys.example',
      7,
      undefined,
    ]) {
      server.odd.set(DISCOVERY, reply(JSON.stringify({ issuer: server.url, jwks_uri: uri })));
      assert.match(await got(tokenIssuer()), /jwks_uri is not an https address/, String(uri));
    }
  });

  test('from loopback or a private address, unless the operator allows it', async () => {
    assert.match(await got(tokenIssuer({ allowedAddresses: [] })), /127.0.0.1 is loopback/);
    const named = (url: string) => aTokenIssuer({ keys: { from: 'url', url } });
    const resolve = async () => ['10.0.0.1', '169.254.169.254'];
    assert.match(await got(named('https://keys.example/jwks'), { resolve }), /10.0.0.1 is private.*169.254.169.254 is/);
    assert.deepEqual(server.asked, []);
  });

  test('from a jwks_uri on loopback in the document of an issuer elsewhere', async () => {
    const { issuer } = aTokenIssuer();
    const text = JSON.stringify({ issuer, jwks_uri: `${server.url}/jwks` });
    const fetch = fetching();
    const keys = await fetchKeys(aTokenIssuer({ issuer }), async (url, init) =>
      url.endsWith(DISCOVERY) ? new Response(text) : fetch(url, init),
    );
    assert.match(keys.ok ? '' : keys.refusal, /127.0.0.1 is loopback/);
  });

  test('by a redirect', async () => {
    server.odd.set('/jwks', (response) => void response.writeHead(302, { location: '/elsewhere' }).end());
    assert.match(await got(tokenIssuer()), /HTTP 302/);
    assert.deepEqual(server.asked, [DISCOVERY, '/jwks']);
  });

  test('without end: the size is limited while reading', async () => {
    let sent = 0;
    const chunk = Buffer.alloc(65_536, ' ');
    server.odd.set('/jwks', (response) => {
      const more = () => {
        while (!response.destroyed) {
          sent += chunk.length;
          if (!response.write(chunk)) return response.once('drain', more);
        }
        return undefined;
      };
      more();
    });
    assert.match(await got(tokenIssuer()), /more than 524288 octets/);
    assert.ok(sent < 64 * 524_288, `the server got rid of ${sent} octets`);
  });

  test('slowly: the time is limited', async () => {
    server.odd.set(DISCOVERY, () => undefined);
    assert.match(await got(tokenIssuer()), /longer than 5 s|timed out/);
  });

  test('if they are not keys', async () => {
    for (const text of ['', '[]', '{}', '{"keys":{}}', '{"keys":[null,7]}', '<html>']) {
      server.odd.set('/jwks', reply(text));
      assert.match(await got(tokenIssuer()), /not a JSON Web Key Set/, text);
    }
  });
});

/** Nodes on one store, as in a cluster, with a clock that the test moves. */
async function cluster(t: TestContext, count = 1) {
  const clock = new TestClock();
  const database = await sqliteDatabase(clock.now);
  t.after(() => database.remove());
  const failures: string[] = [];
  const nodes: IssuerKeys[] = [];
  for (let n = 0; n < count; n++) {
    const exchange = sharedKeySets({ store: storeOf(await database.open()) });
    const logFailure = (_: string, why: string) => void failures.push(why);
    nodes.push(new IssuerKeys({ fetch: fetching(), now: clock.now, exchange, logFailure }));
  }
  const issuer = tokenIssuer();
  const [node] = nodes as [IssuerKeys];
  const publishes = async (keys: IssuerKeys) => (await keys.keysOf(issuer))?.text;
  return { clock, nodes, node, issuer, failures, publishes };
}

const fetches = () => server.asked.filter((path) => path === '/jwks').length;

suite('keys in memory', () => {
  test('are fetched once for 64 requests that arrive before them', async (t) => {
    const { node, issuer } = await cluster(t);
    const sets = await Promise.all(Array.from({ length: 64 }, () => node.keysOf(issuer)));
    assert.equal(new Set(sets).size, 1);
    assert.equal(sets[0]?.text, keySetOf(first));
    assert.equal(fetches(), 1);
  });

  test('are fetched by one of three nodes, and shared', async (t) => {
    const { nodes, publishes } = await cluster(t, 3);
    assert.deepEqual(await Promise.all(nodes.map(publishes)), Array(3).fill(keySetOf(first)));
    assert.equal(fetches(), 1);
  });

  test('are renewed in the background after 10 minutes, by one node for all', async (t) => {
    const { nodes, issuer, clock, publishes } = await cluster(t, 2);
    await Promise.all(nodes.map(publishes));
    clock.move(599);
    await Promise.all(nodes.map((node) => node.renewAll([issuer])));
    assert.equal(fetches(), 1);
    server.keys = [first, second];
    clock.move(1);
    await Promise.all(nodes.map((node) => node.renewAll([issuer])));
    assert.equal(fetches(), 2);
    assert.deepEqual(await Promise.all(nodes.map(publishes)), Array(2).fill(keySetOf(first, second)));
  });

  test('are fetched at once if one is not known, once for all who wait', async (t) => {
    const { node, issuer } = await cluster(t);
    await node.keysOf(issuer);
    server.keys = [first, second];
    const newest = await Promise.all(Array.from({ length: 64 }, () => node.newestKeys(issuer)));
    assert.deepEqual([...new Set(newest.map((set) => set?.text))], [keySetOf(first, second)]);
    assert.equal(fetches(), 2);
  });

  test('that another node has just fetched are not fetched again', async (t) => {
    const { nodes, issuer } = await cluster(t, 2);
    await Promise.all(nodes.map((each) => each.keysOf(issuer)));
    server.keys = [first, second];
    for (const each of nodes) assert.equal((await each.newestKeys(issuer))?.text, keySetOf(first, second));
    assert.equal(fetches(), 2);
  });

  test('whoever asks during a fetch gets the next one: the first may have been answered before', async (t) => {
    const { node, issuer } = await cluster(t);
    await node.keysOf(issuer);
    let late: Promise<KeySet | undefined> | undefined;
    server.odd.set('/jwks', (response) => {
      server.odd.clear();
      const before = keySetOf(first);
      server.keys = [second];
      late = node.newestKeys(issuer);
      response.end(before);
    });
    assert.equal((await node.newestKeys(issuer))?.text, keySetOf(first));
    assert.equal((await late)?.text, keySetOf(second));
  });

  test('are fetched five times in a row, then once in 10 seconds: made-up kids cause no more requests', async (t) => {
    const { node, issuer, clock } = await cluster(t);
    await node.keysOf(issuer);
    const ask = async () => (await node.newestKeys(issuer)) !== undefined;
    for (let n = 0; n < 100; n++) assert.equal(await ask(), n < 5);
    assert.equal(fetches(), 6);
    clock.move(9);
    assert.equal(await ask(), false);
    clock.move(1);
    assert.deepEqual([await ask(), await ask()], [true, false]);
    clock.move(3600);
    for (let n = 0; n < 100; n++) await ask();
    assert.equal(fetches(), 12);
    clock.move(-7200);
    assert.equal(await ask(), false);
    clock.move(10);
    assert.equal(await ask(), true, 'a clock that was set back delays it no longer');
  });

  test('that cannot be fetched, or not soon enough, are not the newest', async (t) => {
    const { node, issuer, publishes } = await cluster(t);
    await publishes(node);
    for (const status of [404, 500]) {
      server.odd.set('/jwks', (response) => void response.writeHead(status).end());
      assert.equal(await node.newestKeys(issuer), undefined);
    }
    server.odd.set('/jwks', (response) => void response.end('<html>'));
    assert.equal(await node.newestKeys(issuer), undefined);
    assert.equal(await publishes(node), keySetOf(first), 'those known are used');
    const slow: ServerResponse[] = [];
    server.odd.set('/jwks', (response) => void slow.push(response));
    const waiting = Array.from({ length: 64 }, () => node.newestKeys(issuer));
    assert.equal(await node.newestKeys(issuer), undefined, 'a slow token issuer does not take all slots');
    await eventually('it was asked', () => slow.length > 0);
    slow[0]?.destroy();
    assert.deepEqual(await Promise.all(waiting), Array(64).fill(undefined));
  });

  test('that the token issuer withdrew are not used after 10 minutes; that it has none is an answer', async (t) => {
    const { node, issuer, clock, failures, publishes } = await cluster(t);
    await publishes(node);
    server.keys = [];
    clock.move(600);
    await node.renewAll([issuer]);
    assert.equal(await publishes(node), '{"keys":[]}');
    assert.deepEqual(failures, ['it publishes no key for signatures']);
    assert.equal((await node.newestKeys(issuer))?.isEmpty, true);
    server.keys = [second];
    assert.equal((await node.newestKeys(issuer))?.text, keySetOf(second));
  });

  for (const [what, answer] of [
    ['HTTP 404', (response: ServerResponse) => void response.writeHead(404).end()],
    ['not a JSON Web Key Set', (response: ServerResponse) => void response.end('{}')],
  ] as const) {
    test(`are trusted for 24 hours if the answer is ${what}, and no longer`, async (t) => {
      const { node, clock, publishes } = await cluster(t);
      await publishes(node);
      server.odd.set('/jwks', answer);
      clock.move(86_399);
      assert.equal(await publishes(node), keySetOf(first));
      clock.move(1);
      assert.equal(await publishes(node), undefined);
    });
  }

  test('are trusted for 24 hours if the token issuer is away, and no longer', async (t) => {
    const { node, issuer, clock, failures, publishes } = await cluster(t);
    await publishes(node);
    server.odd.set(DISCOVERY, (response) => void response.writeHead(503).end());
    clock.move(86_399);
    await node.renewAll([issuer]);
    assert.equal(await publishes(node), keySetOf(first));
    assert.match(failures.join(), /HTTP 503/);
    clock.move(1);
    assert.equal(await publishes(node), undefined);
    assert.match(node.failureOf(issuer) ?? '', /HTTP 503/);
    assert.equal(failures.length, 1, 'logged once, not on every attempt');
    server.odd.clear();
    clock.move(60);
    assert.equal(await publishes(node), keySetOf(first));
  });

  test('of a restarted node come from the store while the token issuer is away', async (t) => {
    const { nodes, publishes } = await cluster(t, 2);
    await publishes(nodes[0] as IssuerKeys);
    server.odd.set(DISCOVERY, (response) => void response.writeHead(503).end());
    assert.equal(await publishes(nodes[1] as IssuerKeys), keySetOf(first));
  });

  test('that were fetched under other settings are not used', async (t) => {
    const { node, publishes } = await cluster(t);
    await publishes(node);
    const moved = tokenIssuer({ from: 'url', url: `${server.url}/other` });
    assert.equal(await node.keysOf(moved), undefined);
  });

  test('of a file need no request', async (t) => {
    const { node } = await cluster(t);
    const issuer = aTokenIssuer({ keys: { from: 'file', set: keySetOf(second) } });
    assert.equal((await node.keysOf(issuer))?.text, keySetOf(second));
    assert.equal((await node.newestKeys(issuer))?.text, keySetOf(second));
    assert.deepEqual(server.asked, []);
  });

  test('of a token issuer that was removed are forgotten', async (t) => {
    const { node, issuer, clock } = await cluster(t);
    const before = await node.keysOf(issuer);
    await node.renewAll([]);
    server.keys = [second];
    clock.move(60);
    assert.notEqual((await node.keysOf(issuer))?.text, before?.text);
  });
});
