// The public keys of JWTs, as any page or verifier reads them (RFC 7517, RFC 9110 13.1.2).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fastify } from 'fastify';
import type { PublishedKey } from '../../../src/core/signing-key.ts';
import { mountKeySet } from '../../../src/doors/oauth/key-set.ts';
import type { OauthMount } from '../../../src/doors/oauth/mount.ts';

const key = (id: string) => ({ id, algorithm: 'EdDSA', publicKey: { kty: 'OKP', x: 'AA' } }) as unknown as PublishedKey;

function published(...keys: PublishedKey[]) {
  const registry = { signingKeys: keys };
  const app = fastify();
  mountKeySet(app, { path: '/oauth2', ports: { registry } } as unknown as OauthMount);
  const ask = (headers: Record<string, string> = {}, method: 'GET' | 'HEAD' | 'OPTIONS' = 'GET') =>
    app.inject({ method, url: '/oauth2/jwks', headers });
  return { ask, registry };
}

test('any page may read the keys, for five minutes', async () => {
  const { ask } = published(key('k1'));
  const { statusCode, headers, payload } = await ask();
  assert.equal(statusCode, 200);
  assert.deepEqual(JSON.parse(payload), { keys: [{ kid: 'k1', alg: 'EdDSA', use: 'sig', kty: 'OKP', x: 'AA' }] });
  const said = ['content-type', 'cache-control', 'access-control-allow-origin', 'x-content-type-options'];
  assert.deepEqual(
    said.map((name) => headers[name]),
    ['application/json; charset=utf-8', 'public, max-age=300', '*', 'nosniff'],
  );
  assert.match(String(headers['etag']), /^"[0-9a-f]{32}"$/);
  const head = await ask({}, 'HEAD');
  assert.deepEqual([head.statusCode, head.payload, head.headers['etag']], [200, '', headers['etag']]);
  const preflight = await ask({}, 'OPTIONS');
  assert.deepEqual(
    [preflight.statusCode, preflight.headers['access-control-allow-methods'], preflight.payload],
    [204, 'GET, HEAD', ''],
  );
});

test('the keys are sent again only if they have changed', async () => {
  const { ask, registry } = published(key('k1'));
  const etag = String((await ask()).headers['etag']);
  for (const given of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
    const { statusCode, payload } = await ask({ 'if-none-match': given });
    assert.deepEqual([statusCode, payload], [304, ''], given);
  }
  assert.equal((await ask({ 'if-none-match': '"x"' })).statusCode, 200);
  registry.signingKeys = [key('k1'), key('k2')];
  const changed = await ask({ 'if-none-match': etag });
  assert.deepEqual([changed.statusCode, JSON.parse(changed.payload).keys.length], [200, 2]);
});
