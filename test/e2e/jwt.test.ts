// JWT access tokens over TLS: at every door, by the list of keys, and forged.
import assert from 'node:assert/strict';
import { createHmac, createPublicKey, hash, type JsonWebKey, verify as verifySignature } from 'node:crypto';
import { before, suite, test } from 'node:test';
import type { Audience, ResourceServerId } from '../../src/core/resource-server.ts';
import { unpublish } from '../../src/operations/admin/signing-keys.ts';
import { resourceServers } from '../../src/store/tables/resource-servers.ts';
import { systemRandom } from '../../src/system.ts';
import { drawResourceServerSecret } from '../../src/tokens/resource-server-secret.ts';
import { given, prepare } from '../given.ts';
import { anIntegration, aResourceServer, OPERATOR, ORDERS_AUDIENCE } from '../samples.ts';
import { type Answer, form } from './caller.ts';
import { basic, postForm } from './oauth-steps.ts';
import { registryFollows } from './registry-follows.ts';
import { clientId, PUBLIC_URL, startService } from './service.ts';
import { type Pair, pairByCertificate, pairByDevice, refreshed, revoke, verify } from './steps.ts';

const JWT = 'jwt-sync';
const BOUND = 'jwt-bound';
const JWKS = '/oauth2/jwks';

const service = given(() => startService({ signing: 'ES256' }));
prepare(async () => {
  await service.register(anIntegration({ clientId: clientId(JWT), accessTokenFormat: 'jwt' }));
  await service.register(
    anIntegration({ clientId: clientId(BOUND), accessTokenFormat: 'jwt', binding: 'certificate' }),
  );
});
const stranger = given(() => service.caller());
const ada = given(() => service.caller(service.ada));

const decode = (part: string | undefined) =>
  JSON.parse(Buffer.from(part ?? '', 'base64url').toString()) as Record<string, unknown>;
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

function post(path: string, fields: Readonly<Record<string, string>>, caller = stranger): Promise<Answer> {
  return caller.ask({ path, ...form(fields) });
}

async function publishedKeys(): Promise<JsonWebKey[]> {
  return ((await stranger.ask({ path: JWKS })).json as { keys: JsonWebKey[] }).keys;
}

suite('the list of keys', () => {
  test('is public, may be cached for 5 minutes, and is read by any web page [RFC 7517 5]', async () => {
    const answer = await stranger.ask({ path: JWKS });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers['cache-control'], 'public, max-age=300');
    assert.equal(answer.headers['access-control-allow-origin'], '*');
    assert.equal(answer.headers['x-content-type-options'], 'nosniff');
    assert.match(String(answer.headers['content-type']), /^application\/json/);
    const [key, ...more] = (answer.json as { keys: JsonWebKey[] }).keys;
    assert.deepEqual(more, []);
    assert.deepEqual(Object.keys(key ?? {}).sort(), ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'], 'no private part');
  });

  test('is sent again only if it changed: ETag and If-None-Match [RFC 9110 13.1.2]', async () => {
    const { headers } = await stranger.ask({ path: JWKS });
    const etag = String(headers['etag']);
    for (const given of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const answer = await stranger.ask({ path: JWKS, headers: { 'if-none-match': given } });
      assert.deepEqual([answer.status, answer.text], [304, ''], given);
      assert.equal(answer.headers['etag'], etag);
    }
    assert.equal((await stranger.ask({ path: JWKS, headers: { 'if-none-match': '"x"' } })).status, 200);
  });

  test('is named in the metadata [RFC 8414 2]', async () => {
    const { json } = await stranger.ask({ path: '/.well-known/oauth-authorization-server' });
    assert.equal(json['jwks_uri'], `${PUBLIC_URL}${JWKS}`);
    assert.equal(json['tls_client_certificate_bound_access_tokens'], true);
  });

  test('verifies a token with nothing else', async () => {
    const [header, claims, signature] = (await pairByCertificate(ada, JWT)).access_token.split('.');
    const key = (await publishedKeys()).find(({ kid }) => kid === decode(header)['kid']);
    const by = { key: createPublicKey({ key: key ?? {}, format: 'jwk' }), dsaEncoding: 'ieee-p1363' } as const;
    const isSigned = verifySignature(
      'sha256',
      Buffer.from(`${header}.${claims}`),
      by,
      Buffer.from(signature ?? '', 'base64url'),
    );
    assert.ok(isSigned);
  });
});

suite('a JWT at every door', () => {
  const obtained: [how: string, obtain: () => Promise<Pair>][] = [
    ['Authorize/Certificate', () => pairByCertificate(ada, JWT)],
    ['Authorize/Token by device code', () => pairByDevice(service, stranger, JWT)],
    ['Authorize/Token by refresh', async () => refreshed(stranger, await pairByCertificate(ada, JWT), JWT)],
    [
      'oauth2/token by certificate',
      async () =>
        (await post('/oauth2/token', { client_id: JWT, grant_type: 'client_credentials' }, ada)).json as never,
    ],
  ];
  for (const [how, obtain] of obtained) {
    test(`from ${how}: Verify accepts it, Revoke ends its grant`, async () => {
      const { access_token, expires_in } = await obtain();
      assert.equal(expires_in, 600);
      assert.equal(decode(access_token.split('.')[0])['typ'], 'at+jwt');
      const verified = await verify(stranger, access_token);
      assert.equal(verified.status, 200, verified.text);
      assert.deepEqual([verified.json['application'], verified.json['valid_for']], [JWT, 600]);
      assert.equal((await revoke(stranger, access_token)).status, 200);
      assert.equal((await verify(stranger, access_token)).status, 401);
    });
  }

  test('the oauth door revokes it, for its own integration only [RFC 7009 2.1]', async () => {
    const { access_token: token } = await pairByCertificate(ada, JWT);
    assert.equal((await post('/oauth2/revoke', { client_id: 'other-sync', token })).status, 400);
    assert.equal((await verify(stranger, token)).status, 200);
    assert.equal((await post('/oauth2/revoke', { client_id: JWT, token })).status, 200);
    assert.equal((await verify(stranger, token)).status, 401);
  });

  test('a grant bound to its certificate carries the thumbprint [RFC 8705 3.1]', async () => {
    const { access_token } = await pairByCertificate(ada, BOUND);
    const thumbprint = hash('sha256', service.ada.chain[0] ?? '', 'base64url');
    assert.deepEqual(decode(access_token.split('.')[1])['cnf'], { 'x5t#S256': thumbprint });
  });

  test('opaque tokens of other integrations work beside it', async () => {
    const { access_token } = await pairByCertificate(ada);
    assert.match(access_token, /^tsa_/);
    assert.equal((await verify(stranger, access_token)).status, 200);
  });
});

suite('a JWT and introspection [RFC 7662 2.2]', () => {
  const secret = drawResourceServerSecret(systemRandom);
  const introspect = async (token: string, id: string) =>
    (await postForm(stranger, '/oauth2/introspect', { token }, basic(id, secret.secret.reveal()))).json;

  before(async () => {
    const secrets = [{ hash: secret.hash, createdAt: service.now() }];
    await service.put(resourceServers, aResourceServer({ secrets }));
    const stock = {
      id: 'stock-api' as ResourceServerId,
      audience: 'urn:example:stock' as Audience,
      resources: ['stock'],
    };
    await service.put(resourceServers, aResourceServer({ ...stock, secrets }));
    await registryFollows();
  });

  test('is active for the resource servers in its aud, and tells each only what concerns it', async () => {
    const { access_token: both } = await pairByCertificate(ada, BOUND, 'orders:read;stock:read');
    const { aud, cnf, jti } = decode(both.split('.')[1]);
    assert.deepEqual(aud, [ORDERS_AUDIENCE, 'urn:example:stock'].sort());
    const seen = await introspect(both, 'stock-api');
    assert.deepEqual([seen['active'], seen['scope'], seen['aud']], [true, 'stock:read', 'urn:example:stock']);
    assert.deepEqual([seen['cnf'], seen['jti']], [cnf, jti]);
  });

  test('is inactive for any other, also for one that serves its scope only since it was issued', async () => {
    const { access_token: orders } = await pairByCertificate(ada, JWT, 'orders:read');
    assert.deepEqual(await introspect(orders, 'stock-api'), { active: false });
    const late = { id: 'late-api' as ResourceServerId, audience: 'urn:example:late' as Audience };
    const secrets = [{ hash: secret.hash, createdAt: service.now() }];
    await service.put(resourceServers, aResourceServer({ ...late, secrets }));
    await registryFollows();
    assert.deepEqual(await introspect(orders, 'late-api'), { active: false });
    assert.equal((await introspect(orders, 'orders-api'))['active'], true);
  });
});

suite('forged at every door', () => {
  let token: string;
  before(async () => {
    token = (await pairByCertificate(ada, JWT)).access_token;
  });

  async function forgeries(): Promise<[what: string, text: string][]> {
    const [header = '', claims = '', signature = ''] = token.split('.');
    const [head, body] = [decode(header), decode(claims)];
    const [key = {}] = await publishedKeys();
    const pem = createPublicKey({ key, format: 'jwk' }).export({ format: 'pem', type: 'spki' });
    const hs256 = `${encode({ ...head, alg: 'HS256' })}.${claims}`;
    const withHeader = (difference: object): string => `${encode({ ...head, ...difference })}.${claims}.${signature}`;
    return [
      ['alg none', `${encode({ ...head, alg: 'none' })}.${claims}.`],
      ['HS256 with the public key', `${hs256}.${createHmac('sha256', pem).update(hs256).digest('base64url')}`],
      ['kid as a path', withHeader({ kid: '../../../etc/passwd' })],
      ['kid as SQL', withHeader({ kid: "x' UNION SELECT 1 --" })],
      ['jku', withHeader({ jku: 'http://127.0.0.1:1/jwks' })],
      ['x5u', withHeader({ x5u: 'http://127.0.0.1:1/cert' })],
      ['jwk', withHeader({ jwk: key })],
      ['typ', withHeader({ typ: 'JWT' })],
      ...Object.keys(body).map((name): [string, string] => [
        `claim ${name}`,
        `${header}.${encode({ ...body, [name]: `${body[name]}0` })}.${signature}`,
      ]),
    ];
  }

  test('Verify and Revoke refuse it with 401, and the oauth door ends nothing', async () => {
    for (const [what, text] of await forgeries()) {
      assert.equal((await verify(stranger, text)).status, 401, what);
      assert.equal((await revoke(stranger, text)).status, 401, what);
      assert.equal((await post('/oauth2/revoke', { client_id: JWT, token: text })).status, 200, what);
    }
    assert.equal((await verify(stranger, token)).status, 200, 'the real one still works');
  });
});

test('a key that leaked and was retired at once: its tokens are refused within a second', async () => {
  const { access_token } = await pairByCertificate(ada, JWT);
  const [{ kid } = {}] = await publishedKeys();
  await unpublish(String(kid), { store: service.ports.store, by: OPERATOR });
  await registryFollows();
  assert.equal((await verify(stranger, access_token)).status, 401);
  assert.deepEqual(await publishedKeys(), []);
});
