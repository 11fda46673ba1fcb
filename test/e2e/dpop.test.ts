// DPoP (RFC 9449) at the token endpoint of a real service.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { after, suite, test } from 'node:test';
import { calculateJwkThumbprint, type JWK, SignJWT } from 'jose';
import { claimsIn } from '../jwt-node.ts';
import { anIntegration } from '../samples.ts';
import { type Answer, json } from './caller.ts';
import { ClientScene, ROBOT, TOKEN } from './client-scene.ts';
import { type DpopKey, dpopKey } from './dpop-steps.ts';
import { assertRefused, type Fields } from './oauth-steps.ts';
import { clientId, PUBLIC_URL } from './service.ts';
import { CLIENT, confirm, verify } from './steps.ts';

const scene = await ClientScene.open({ signing: 'ES256' });
const { service } = scene;
after(() => scene.close());
const key = await dpopKey();
const jkt = await calculateJwkThumbprint(key.jwk);
const HTU = `${PUBLIC_URL}${TOKEN}`;

function metricIn({ text }: Answer, name: string): number {
  const [, value] = new RegExp(`^${name}(?:{[^}]*})? (.+)$`, 'm').exec(text) ?? [];
  assert.ok(value !== undefined, name);
  return Number(value);
}

/** A nonce of the service, as the first refusal gives it. */
async function nonce(): Promise<string> {
  const dpop = await key.proof({ htu: HTU, iat: service.now() });
  const refused = await scene.post(TOKEN, { grant_type: 'refresh_token', client_id: CLIENT }, { dpop });
  assertRefused(refused, 400, 'use_dpop_nonce');
  return String(refused.headers['dpop-nonce']);
}

async function send(fields: Fields, claims = {}, header = {}, by: DpopKey = key): Promise<Answer> {
  const dpop = await by.proof({ htu: HTU, iat: service.now(), nonce: await nonce(), ...claims }, header);
  return scene.post(TOKEN, fields, { dpop });
}

async function byDevice(client_id = CLIENT, dpop?: string): Promise<Answer> {
  const started = await scene.startedDevice({ client_id });
  await confirm(service, started);
  const fields = { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: started.device_code };
  return dpop === 'none' ? scene.post(TOKEN, { client_id, ...fields }) : send({ client_id, ...fields });
}

async function pair(): Promise<Record<string, string>> {
  const answer = await byDevice();
  assert.equal(answer.status, 200, answer.text);
  return answer.json as Record<string, string>;
}

const refreshing = (refresh_token = '') => ({ client_id: CLIENT, grant_type: 'refresh_token', refresh_token });

suite('RFC 9449: tokens are bound to the key of the caller', () => {
  test('the answer says DPoP, introspection says the key, and each answer has the next nonce', async () => {
    const answer = await byDevice();
    assert.equal(answer.json['token_type'], 'DPoP', answer.text);
    assert.ok(answer.headers['dpop-nonce']);
    const seen = await scene.activeAnswer(String(answer.json['access_token']));
    assert.deepEqual([seen['token_type'], seen['cnf']], ['DPoP', { jkt }]);
  });

  test('a JWT carries cnf.jkt, also after a refresh', async () => {
    await service.register(anIntegration({ accessTokenFormat: 'jwt' }));
    const first = await pair();
    assert.deepEqual(claimsIn(first['access_token'] ?? '')['cnf'], { jkt });
    const next = await send(refreshing(first['refresh_token']));
    assert.deepEqual(claimsIn(String(next.json['access_token']))['cnf'], { jkt });
    await service.register(anIntegration());
  });

  test('[5] the refresh token of a public caller needs a proof with the same key, and is not spent without', async () => {
    const { refresh_token } = await pair();
    assertRefused(await scene.refreshBy(refresh_token), 400, 'invalid_dpop_proof');
    assertRefused(await send(refreshing(refresh_token), {}, {}, await dpopKey()), 400, 'invalid_grant');
    const next = await send(refreshing(refresh_token));
    assert.equal(next.status, 200, next.text);
    const retried = await send(refreshing(refresh_token));
    assert.equal(retried.json['refresh_token'], next.json['refresh_token']);
  });

  test('[5] a proof for a grant that is not bound is refused, and the refresh token is not spent', async () => {
    const { refresh_token } = (await byDevice(CLIENT, 'none')).json as Record<string, string>;
    assertRefused(await send(refreshing(refresh_token)), 400, 'invalid_grant');
    assert.equal((await scene.refreshBy(refresh_token)).json['token_type'], 'Bearer');
  });

  test('binding dpop: no way to a token without a proof, at either door', async () => {
    await service.register(anIntegration({ clientId: clientId('bound-by-key'), binding: 'dpop' }));
    assertRefused(await byDevice('bound-by-key', 'none'), 400, 'invalid_dpop_proof');
    assert.equal((await byDevice('bound-by-key')).json['token_type'], 'DPoP');
    const bare = { grant_type: 'client_credentials', client_id: 'bound-by-key' };
    assertRefused(await scene.post(TOKEN, bare, {}, scene.ada), 400, 'invalid_dpop_proof');
    const contract = json({ client_id: 'bound-by-key', scope: 'orders:read' });
    const refused = await scene.ada.ask({ path: '/authsvc/Authorize/Certificate', ...contract });
    assert.deepEqual([refused.status, refused.json['Error']], [400, 'invalid_grant']);
  });

  test('client_credentials by key with a proof', async () => {
    const client_assertion = await scene.signed();
    const client = {
      client_assertion,
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    };
    const answer = await send({ grant_type: 'client_credentials', ...client });
    assert.equal(answer.json['token_type'], 'DPoP', answer.text);
    assert.equal((await scene.activeAnswer(String(answer.json['access_token'])))['client_id'], ROBOT);
  });
});

suite('attacks on proofs', () => {
  test('a replayed proof is refused; one of a refused request may be sent again', async () => {
    const { refresh_token = '' } = await pair();
    const dpop = await key.proof({ htu: HTU, iat: service.now(), nonce: await nonce() });
    assertRefused(await scene.post(TOKEN, refreshing('forged'), { dpop }), 400, 'invalid_grant');
    assert.equal((await scene.post(TOKEN, refreshing(refresh_token), { dpop })).status, 200);
    assertRefused(await scene.post(TOKEN, refreshing(refresh_token), { dpop }), 400, 'invalid_dpop_proof');
  });

  test('[threats: Keys, secrets, exchange, DPoP] only proofs that led to a token are remembered: unauthenticated keys fill nothing', async () => {
    const remembered = async () =>
      metricIn(await scene.ada.ask({ path: '/metrics' }), 'tessera_dpop_proofs_remembered');
    const before = await remembered();
    for (let n = 0; n < 20; n++)
      assertRefused(await send(refreshing('forged'), {}, {}, await dpopKey()), 400, 'invalid_grant');
    assert.equal(await remembered(), before);
    await pair();
    assert.equal(await remembered(), before + 1);
  });

  const wrong: readonly (readonly [string, Record<string, unknown>, Record<string, unknown>])[] = [
    ['another htu', { htu: 'https://evil.example/oauth2/token' }, {}],
    ['the htu of another endpoint', { htu: `${PUBLIC_URL}/oauth2/revoke` }, {}],
    ['another htm', { htm: 'GET' }, {}],
    ['no jti', { jti: undefined }, {}],
    ['an iat of yesterday', { iat: Math.floor(Date.now() / 1000) - 86_400 }, {}],
    ['another typ', {}, { typ: 'JWT' }],
  ];
  for (const [name, claims, header] of wrong)
    test(`refused: ${name}`, async () => {
      assertRefused(await send(refreshing('x'), claims, header), 400, 'invalid_dpop_proof');
    });

  test('a swapped key, a private key, a symmetric key and a second header are refused', async () => {
    const other = await dpopKey();
    const malformed = ['constructor', '__proto__', {}].map((kty) => ({ kty }));
    for (const jwk of [other.jwk, { ...key.jwk, d: 'AAAA' }, { kty: 'oct', k: 'AAAA' }, ...malformed])
      assertRefused(await send(refreshing('x'), {}, { jwk }), 400, 'invalid_dpop_proof');
    const proofs = [await key.proof({ htu: HTU }), await key.proof({ htu: HTU })].join(', ');
    assertRefused(await scene.post(TOKEN, refreshing('x'), { dpop: proofs }), 400, 'invalid_dpop_proof');
  });

  test('keys that are slow to check are refused, fast ones are not', async () => {
    for (const alg of ['ES384', 'ES512']) {
      assertRefused(await send(refreshing('x'), {}, {}, await dpopKey(alg)), 400, 'invalid_dpop_proof');
    }
    for (const alg of ['EdDSA', 'RS256', 'PS256'])
      assertRefused(await send(refreshing('x'), {}, {}, await dpopKey(alg)), 400, 'invalid_grant');
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048, publicExponent: 3 });
    const jwk = publicKey.export({ format: 'jwk' }) as JWK;
    const proof = (claims: object, header = {}) =>
      new SignJWT({ jti: 'odd', htm: 'POST', ...claims })
        .setProtectedHeader({ alg: 'RS256', typ: 'dpop+jwt', jwk, ...header })
        .sign(privateKey);
    assertRefused(await send(refreshing('x'), {}, {}, { jwk, proof }), 400, 'invalid_dpop_proof');
  });

  test('a forged or an old nonce is answered with a new one', async () => {
    const old = await nonce();
    service.pass(61);
    for (const stale of [old, `${old.slice(0, -2)}AA`, 'x'])
      assertRefused(await send(refreshing('x'), { nonce: stale }), 400, 'use_dpop_nonce');
  });

  test('stripped at authsvc: neither refreshed nor verified there', async () => {
    const { access_token = '', refresh_token } = await pair();
    const path = '/authsvc/Authorize/Token';
    const refused = await scene.stranger.ask({ path, ...json({ client_id: CLIENT, refresh_token }) });
    assert.deepEqual([refused.status, refused.json['Error']], [400, 'invalid_grant']);
    assert.equal((await verify(scene.stranger, access_token)).status, 401);
    assert.equal((await send(refreshing(refresh_token))).status, 200);
  });
});
