// Addresses, discovery (RFC 8414), proofs of a key (RFC 9449) and exchanged tokens (RFC 8693), with a server of the test.
import assert from 'node:assert/strict';
import { createHash, generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, suite, test } from 'node:test';
import { authorizedFetch } from '../../../sdk/client/src/authorized-fetch.ts';
import { secret } from '../../../sdk/client/src/by/secret.ts';
import { addressOf } from '../../../sdk/client/src/cli/terminal.ts';
import { checkAddress, discover, isMetadata } from '../../../sdk/client/src/door/metadata.ts';
import { send } from '../../../sdk/client/src/door/send.ts';
import { Dpop } from '../../../sdk/client/src/dpop.ts';
import { exchange } from '../../../sdk/client/src/exchange.ts';
import { signJwt } from '../../../sdk/client/src/jwt.ts';
import { failsWith } from './token-scene.ts';

interface Reply {
  readonly status: number;
  readonly json?: object;
  readonly headers?: Record<string, string>;
}

let server: Server;
let url = '';
const seen: { method: string; path: string; text: string; dpop: string; authorization: string }[] = [];
/** By path; the last one stays. */
let replies: Record<string, Reply[]> = {};
before(async () => {
  const reply = async (request: IncomingMessage, response: ServerResponse) => {
    const { method = '', url: path = '', headers } = request;
    const text = (await Array.fromAsync(request)).join('');
    const [dpop, authorization] = [String(headers['dpop'] ?? ''), headers.authorization ?? ''];
    seen.push({ method, path, text, dpop, authorization });
    const queue = replies[path] ?? [{ status: 404 }];
    const { status, json = {}, headers: own = {} } = (queue.length > 1 ? queue.shift() : queue[0]) as Reply;
    response.writeHead(status, own).end(JSON.stringify(json));
  };
  server = createServer((request, response) => void reply(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(() => server.close());
beforeEach(() => {
  seen.length = 0;
  replies = {};
});

const METADATA = '/.well-known/oauth-authorization-server';
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
const claimsOf = (jwt: string) =>
  JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>;

test('an address is https, or on this machine; its last slash does not count', () => {
  for (const [given, expected] of [
    ['https://a.example/', 'https://a.example'],
    ['https://a.example/x/', 'https://a.example/x'],
    ['http://localhost:1/', 'http://localhost:1'],
    ['http://127.1.2.3', 'http://127.1.2.3'],
    ['http://[::1]:80/', 'http://[::1]'],
  ] as const)
    assert.equal(checkAddress('server', given), expected);
  for (const given of ['http://a.example', 'http://127.0.0.1.a.example', 'ftp://localhost', 'a.example', '', undefined])
    assert.throws(() => checkAddress('server', given), failsWith('usage', /server is not an https address/));
});

test('an address is typed with or without its scheme', () => {
  for (const [typed, expected] of [
    ['tokens.example.com/', 'https://tokens.example.com'],
    ['https://tokens.example.com', 'https://tokens.example.com'],
    ['HTTP://localhost:1/', 'HTTP://localhost:1'],
  ] as const)
    assert.equal(addressOf(typed), expected);
});

suite('an answer', () => {
  const answerTo = (json: unknown) => {
    replies['/x'] = [{ status: 200, json: json as object }];
    return send(`${url}/x`, { timeoutMs: 5000 });
  };

  test('that is no JSON object says nothing', async () => {
    for (const json of [null, 7, 'x', true]) assert.equal((await answerTo(json)).json, undefined);
    assert.deepEqual((await answerTo({ a: 1 })).json, { a: 1 });
  });

  test('of a megabyte is taken, and no more', async () => {
    assert.ok((await answerTo({ pad: 'x'.repeat(999_990) })).json);
    await assert.rejects(answerTo({ pad: 'x'.repeat(999_991) }), { name: 'NoAnswer', message: /too large/ });
  });
});

suite('discovery', () => {
  const found = () => discover(url, { timeoutMs: 5000 });

  test('finds the endpoints of the server that was named', async () => {
    replies[METADATA] = [{ status: 200, json: { issuer: `${url}/`, token_endpoint: `${url}/token` } }];
    const metadata = await found();
    assert.ok(isMetadata(metadata));
    assert.equal(metadata.token_endpoint, `${url}/token`);
  });

  test('is repeated later if the server is busy or broken', async () => {
    for (const status of [429, 500, 503]) {
      replies[METADATA] = [{ status }];
      assert.equal(isMetadata(await found()), false);
    }
  });

  test('fails if there are none, or they are of another server', async () => {
    for (const json of [{}, { issuer: url }, { token_endpoint: `${url}/token` }]) {
      replies[METADATA] = [{ status: 200, json }];
      await assert.rejects(found(), failsWith('refused', /has no OAuth metadata/));
    }
    replies[METADATA] = [{ status: 404, json: { issuer: url, token_endpoint: `${url}/token` } }];
    await assert.rejects(found(), failsWith('refused', /status 404/));
    for (const issuer of ['https://other.example', 'other']) {
      replies[METADATA] = [{ status: 200, json: { issuer, token_endpoint: `${url}/token` } }];
      await assert.rejects(found(), failsWith('usage', /calls itself/));
    }
  });
});

suite('a proof of a key', () => {
  test('names the call, the token and the last nonce of this server', () => {
    const dpop = new Dpop(pem);
    const { htm, htu, nonce, ath } = claimsOf(dpop.proof('GET', 'https://a.example/x?y#z'));
    assert.deepEqual([htm, htu, nonce, ath], ['GET', 'https://a.example/x', undefined, undefined]);
    assert.equal(dpop.learn('https://a.example/other', 'n1'), true);
    assert.equal(dpop.learn('https://a.example/', 'n1'), false);
    for (const none of [null, undefined, '']) assert.equal(dpop.learn('https://a.example/', none), false);
    const next = claimsOf(dpop.proof('POST', 'https://a.example/x', 'A1'));
    assert.deepEqual([next['nonce'], next['ath']], ['n1', createHash('sha256').update('A1').digest('base64url')]);
    assert.equal(claimsOf(dpop.proof('GET', 'https://b.example/'))['nonce'], undefined);
  });

  test('is signed with the algorithm of the key', () => {
    const algOf = (key: typeof privateKey) => {
      const [header = ''] = signJwt({}, {}, key).split('.');
      return (JSON.parse(Buffer.from(header, 'base64url').toString()) as { alg: string }).alg;
    };
    assert.equal(algOf(privateKey), 'ES256');
    assert.equal(algOf(generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey), 'ES384');
    assert.equal(algOf(generateKeyPairSync('ed25519').privateKey), 'EdDSA');
    const { privateKey: odd } = generateKeyPairSync('ec', { namedCurve: 'secp256k1' });
    assert.throws(() => algOf(odd), failsWith('usage', /cannot sign/));
  });

  test('is repeated once with the nonce of the API, if the body can be sent again', async () => {
    const call = (init?: RequestInit) =>
      authorizedFetch(`${url}/orders`, init, {
        ...{ get: async () => 'A1', replace: async () => undefined, dpop: new Dpop(pem) },
      });
    const asksForNonce: Reply = { status: 401, headers: { 'dpop-nonce': 'n1' } };
    replies['/orders'] = [asksForNonce, { status: 200 }];
    assert.equal((await call({ method: 'post', body: 'x' })).status, 200);
    assert.deepEqual(
      seen.map(({ dpop }) => [claimsOf(dpop)['htm'], claimsOf(dpop)['nonce']]),
      [
        ['POST', undefined],
        ['POST', 'n1'],
      ],
    );
    assert.equal(seen[0]?.authorization, 'DPoP A1');
    replies['/orders'] = [asksForNonce, asksForNonce, { status: 200 }];
    assert.equal((await call()).status, 401, 'not twice');
    seen.length = 0;
    replies['/orders'] = [asksForNonce, { status: 200 }];
    const body = new Blob(['x']).stream();
    assert.equal((await call({ method: 'POST', body, duplex: 'half' } as RequestInit)).status, 401);
    assert.equal(seen.length, 1, 'a stream is sent once');
  });
});

suite('a token is exchanged', () => {
  const options = { clientId: 'api', by: secret({ secret: 'tsc_x' }), token: 'A1' };
  const answering = (reply: Reply) => {
    replies = {
      [METADATA]: [{ status: 200, json: { issuer: url, token_endpoint: `${url}/token` } }],
      '/token': [reply],
    };
  };

  test('for one of the next API', async () => {
    answering({ status: 200, json: { access_token: 'B1', scope: 'stock:read', expires_in: 60 } });
    const began = Date.now() / 1000;
    const { expiresAt, ...token } = await exchange({
      ...options,
      server: url,
      audience: 'urn:stock',
      scope: 'stock:read',
    });
    assert.deepEqual(token, { accessToken: 'B1', scope: 'stock:read' });
    assert.ok(expiresAt >= began + 60 && expiresAt <= Date.now() / 1000 + 60);
    const form = new URLSearchParams(seen.at(-1)?.text);
    assert.equal(form.get('grant_type'), 'urn:ietf:params:oauth:grant-type:token-exchange');
    assert.deepEqual(
      [form.get('subject_token'), form.get('audience'), form.get('scope')],
      ['A1', 'urn:stock', 'stock:read'],
    );
  });

  test('or the failure says whether asking again may help', async () => {
    answering({ status: 400, json: { error: 'invalid_target', error_description: 'No such API.' } });
    await assert.rejects(exchange({ ...options, server: url }), (error) => {
      assert.equal((error as { error?: string }).error, 'invalid_target');
      return failsWith('refused', /Not exchanged: No such API\. Ask/)(error);
    });
    assert.equal(new URLSearchParams(seen.at(-1)?.text).has('audience'), false);
    answering({ status: 503, json: { error: 'temporarily_unavailable' } });
    await assert.rejects(exchange({ ...options, server: url }), failsWith('unavailable', /Not exchanged/));
  });
});
