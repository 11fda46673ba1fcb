// JWTs and the published keys of the service. The clock and the service are the test's own.
import assert from 'node:assert/strict';
import { beforeEach, suite, test } from 'node:test';
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { Jwts } from '../../../sdk/verify/src/jwt.ts';
import { settingsOf } from '../../../sdk/verify/src/options.ts';
import { Unavailable } from '../../../sdk/verify/src/service.ts';

const ISSUER = 'https://tokens.example';
const AUDIENCE = 'https://orders.example';
const MINUTE = 60;

async function newKey(kid: string) {
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  return { privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: 'ES256', use: 'sig' } };
}
const [first, second] = [await newKey('first'), await newKey('second')];

let now = 1_800_000_000;
let jwts: Jwts;
let keysGoodFrom = Number.NEGATIVE_INFINITY;
const published: { keys: unknown; requests: number; isAway: boolean } = { keys: [], requests: 0, isAway: false };
beforeEach(() => {
  now = 1_800_000_000;
  keysGoodFrom = Number.NEGATIVE_INFINITY;
  Object.assign(published, { keys: [first.jwk], requests: 0, isAway: false });
  const service = {
    keys: async () => {
      published.requests += 1;
      if (published.isAway) throw new Unavailable('away');
      return { keys: published.keys };
    },
  };
  const resourceServer = { id: 'a', secret: 'b', audience: AUDIENCE };
  const settings = settingsOf({ issuer: ISSUER, resourceServer, now: () => now * 1000 });
  const revocations = {
    get keysGoodFrom() {
      return keysGoodFrom;
    },
  };
  jwts = new Jwts(service as never, settings, revocations);
});

function sign(claims: object = {}, header: object = {}, key: CryptoKey = first.privateKey): Promise<string> {
  const usual = {
    iss: ISSUER,
    aud: AUDIENCE,
    sub: 'local:ada',
    client_id: 'sync',
    iat: now,
    exp: now + 600,
    jti: 'g.0',
  };
  return new SignJWT({ ...usual, ...claims })
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'first', ...header })
    .sign(key);
}
const bySecond = () => sign({}, { kid: 'second' }, second.privateKey);
const whose = async (token: Promise<string>) => (await jwts.read(await token))?.identity;

test('a good one says whose it is, and the keys are requested once', async () => {
  for (let n = 0; n < 3; n++) assert.equal(await whose(sign()), 'local:ada');
  assert.equal(published.requests, 1);
});

test('one that is not for this API, not of this service, of another type, forged or expired is none', async () => {
  const wrong = [
    sign({ aud: 'urn:other' }),
    sign({ iss: 'https://other.example' }),
    sign({}, { typ: 'JWT' }),
    sign({}, {}, second.privateKey),
    sign({ exp: now - 5 }),
    sign({ sub: undefined }),
  ];
  for (const token of wrong) assert.equal(await whose(token), undefined);
  assert.equal(published.requests, 1, 'none of them is worth a look for new keys');
  assert.equal(await whose(sign({ exp: now - 4 })), 'local:ada', 'clocks may differ by 5 seconds');
});

suite('keys', () => {
  test('that are new are found at their first token; made-up ones are looked for every 5 seconds', async () => {
    await whose(sign());
    now += 5;
    published.keys = [first.jwk, second.jwk];
    assert.equal(await whose(bySecond()), 'local:ada');
    assert.equal(published.requests, 2);
    const forged = () => sign({}, { kid: 'third' });
    for (let n = 0; n < 5; n++) assert.equal(await whose(forged()), undefined);
    now += 4.9;
    await whose(forged());
    assert.equal(published.requests, 2);
    now += 0.2;
    await whose(forged());
    assert.equal(published.requests, 3);
  });

  test('are renewed after 5 minutes, and used for an hour if there are no others', async () => {
    await whose(sign());
    now += 5 * MINUTE;
    await whose(sign());
    assert.equal(published.requests, 1);
    now += 1;
    await whose(sign());
    assert.equal(published.requests, 2);
    published.isAway = true;
    now += 60 * MINUTE;
    assert.equal(await whose(sign()), 'local:ada');
    now += 1;
    await assert.rejects(whose(sign()), Unavailable);
    now -= 2 * 60 * MINUTE;
    await assert.rejects(whose(sign()), Unavailable, 'the clock was set back');
  });

  test('that may have been removed are not used', async () => {
    await whose(sign());
    keysGoodFrom = now * 1000;
    await assert.rejects(whose(sign()), Unavailable);
    assert.equal(published.requests, 1, 'a request now could be answered with the old ones');
    now += 6;
    assert.equal(await whose(sign()), 'local:ada');
    assert.equal(published.requests, 2);
  });

  test('are requested once by calls at the same time, and what is no key set counts as none', async () => {
    await Promise.all([whose(sign()), whose(sign())]);
    assert.equal(published.requests, 1);
    published.keys = 'none';
    now += 2 * 60 * MINUTE;
    await assert.rejects(whose(sign()), Unavailable);
  });
});

suite('a signature that was checked once', () => {
  test('is not checked again while the same keys are published', async (t) => {
    const { mock: verified } = t.mock.method(crypto.subtle, 'verify');
    const token = sign();
    for (let n = 0; n < 3; n++) assert.equal(await whose(token), 'local:ada');
    assert.equal(verified.callCount(), 1);
    published.keys = [second.jwk, first.jwk];
    now += 5 * MINUTE + 1;
    await whose(token);
    assert.equal(await whose(token), 'local:ada');
    assert.equal(verified.callCount(), 2, 'other keys are published');
  });

  test('still ends with the token, with its key, and before the token begins', async () => {
    const token = await sign({ nbf: now });
    assert.equal((await jwts.read(token))?.identity, 'local:ada');
    now -= 6;
    assert.equal(await jwts.read(token), undefined, 'the clock was set back');
    now += 6 + 604;
    assert.equal((await jwts.read(token))?.identity, 'local:ada', 'clocks may differ by 5 seconds');
    now += 1;
    assert.equal(await jwts.read(token), undefined, 'it has expired');
    now -= 605;
    assert.equal((await jwts.read(token))?.identity, 'local:ada');
    published.keys = [second.jwk];
    now += 5 * MINUTE + 1;
    await whose(bySecond());
    assert.equal(await jwts.read(token), undefined, 'its key is published no longer');
  });
});
