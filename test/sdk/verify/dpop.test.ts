// Proofs of the key that a token is bound to (RFC 9449 4.3, 7).
import assert from 'node:assert/strict';
import { beforeEach, suite, test } from 'node:test';
import { calculateJwkThumbprint } from 'jose';
import type { Claims } from '../../../sdk/verify/src/claims.ts';
import { DpopProofs } from '../../../sdk/verify/src/dpop.ts';
import { ProofMemory } from '../../../sdk/verify/src/proof-memory.ts';
import { answerTo } from '../../../sdk/verify/src/refusal.ts';
import { ath, dpopKey } from '../../e2e/dpop-steps.ts';
import { read } from '../../house/sources.ts';
import { Seeded } from '../../seeded.ts';

const TOKEN = 'tsa_token';
const URL_OF_CALL = 'https://orders.example/orders';
const CLAIMS: Claims = {
  ...{ identity: 'local:ada', integration: 'sync', scope: [], grant: '018f' },
  ...{ issuedAt: 1_800_000_000, expiresAt: 1_800_000_600 },
};
const key = await dpopKey();
const bound = { ...CLAIMS, boundToKey: await calculateJwkThumbprint(key.jwk) };

let now = 1_800_000_000;
let proofs: DpopProofs;
let notices: string[];
const proofsOf = (most?: number) => {
  const onNotice = (notice: string) => void notices.push(notice);
  return new DpopProofs({ now: () => now * 1000, clockTolerance: 5, onNotice }, new ProofMemory(most));
};
beforeEach(() => {
  notices = [];
  proofs = proofsOf();
});

const proofOf = (claims: object = {}, header: Record<string, unknown> = {}, by = key) =>
  by.proof({ htm: 'GET', htu: URL_OF_CALL, iat: now, ath: ath(TOKEN), ...claims }, header);

/** The reason of the refusal; undefined if the call may use the token. */
async function refusalOf(proof: string | undefined, { url = URL_OF_CALL, claims = bound as Claims } = {}) {
  return (await proofs.whyNotBound(claims, TOKEN, { proof, method: 'GET', url }))?.reason;
}

test('a token that is not bound needs no proof; one that is does', async () => {
  assert.equal(await proofs.whyNotBound(CLAIMS, TOKEN, undefined), undefined);
  for (const call of [undefined, { proof: undefined, method: 'GET', url: URL_OF_CALL }])
    assert.match((await proofs.whyNotBound(bound, TOKEN, call))?.description ?? '', /needs a DPoP proof/);
});

test('[RFC 9449 7.1] the challenge names the algorithms of the proofs that are accepted', async () => {
  const { headers } = answerTo({ ok: false, reason: 'proof-invalid', description: 'no' });
  const [, named = ''] = /algs="([^"]+)"/.exec(headers['www-authenticate'] ?? '') ?? [];
  assert.deepEqual(named.split(' '), ['ES256', 'EdDSA', 'Ed25519', 'RS256', 'PS256']);
  for (const alg of named.split(' ')) {
    const other = await dpopKey(alg);
    const claims = { ...CLAIMS, boundToKey: await calculateJwkThumbprint(other.jwk) };
    assert.equal(await refusalOf(await proofOf({}, {}, other), { claims }), undefined, alg);
  }
});

suite('[RFC 9449 4.3] a proof', () => {
  const WRONG: readonly (readonly [string, object, Record<string, unknown>?])[] = [
    ['for another method', { htm: 'POST' }],
    ['for another path', { htu: `${URL_OF_CALL}/1` }],
    ['for another origin', { htu: 'https://evil.example/orders' }],
    ['for no address', { htu: 'orders' }],
    ['without an address', { htu: undefined }],
    ['for another token', { ath: ath('tsa_other') }],
    ['for no token', { ath: undefined }],
    ['without an id', { jti: undefined }],
    ['with an id that is no text', { jti: 1 }],
    ['without a time', { iat: undefined }],
    ['of another type', {}, { typ: 'JWT' }],
    ['without its key', {}, { jwk: undefined }],
    ['of more than 8 KiB', { more: 'x'.repeat(8192) }],
  ];
  for (const [what, claims, header] of WRONG)
    test(`${what} is refused`, async () => {
      assert.equal(await refusalOf(await proofOf(claims, header)), 'proof-invalid');
    });

  test('of another key is refused', async () => {
    assert.equal(await refusalOf(await proofOf({}, {}, await dpopKey())), 'proof-invalid');
    assert.equal(await refusalOf(await proofOf({}, {}, await dpopKey('RS256'))), 'proof-invalid');
  });

  test('is for the address without query and fragment', async () => {
    assert.equal(await refusalOf(await proofOf({ htu: `${URL_OF_CALL}?a#b` })), undefined);
    assert.equal(await refusalOf(await proofOf(), { url: `${URL_OF_CALL}?page=2` }), undefined);
  });

  test('can be used for a minute before and after it was made, and the clocks may differ by the tolerance', async () => {
    for (const seconds of [-65, 65]) {
      assert.equal(await refusalOf(await proofOf({ iat: now + seconds })), undefined);
      assert.equal(await refusalOf(await proofOf({ iat: now + seconds + Math.sign(seconds) })), 'proof-invalid');
    }
  });

  test('[11.1] is accepted once, whatever the clock of the caller shows', async () => {
    const chance = new Seeded(1);
    for (const ahead of [-65, -64.5, 0, 64.5, 65, ...Array.from({ length: 10 }, () => chance.below(131) - 65)]) {
      const proof = await proofOf({ iat: now + ahead });
      assert.equal(await refusalOf(proof), undefined, `${ahead}`);
      for (const end = now + 140; now < end; now += 1 + chance.below(9))
        assert.equal(await refusalOf(proof), 'proof-invalid', `${ahead}, ${end - now}`);
    }
  });

  test('is forgotten within half a minute after it could be used', async () => {
    await refusalOf(await proofOf({ iat: now + 65 }));
    assert.equal(proofs.load().used, 1);
    now += 160;
    assert.equal(proofs.load().used, 0);
  });

  test('that was refused may be sent again for the right call', async () => {
    const proof = await proofOf();
    assert.equal(await refusalOf(proof, { url: 'https://orders.example/other' }), 'proof-invalid');
    assert.equal(await refusalOf(proof), undefined);
  });
});

suite('[threats: Keys, secrets, exchange, DPoP] many proofs', () => {
  test('of one key: it is told to slow down, others are not, and the operator hears of it before', async () => {
    proofs = proofsOf(10);
    const other = await dpopKey();
    const claims = { ...CLAIMS, boundToKey: await calculateJwkThumbprint(other.jwk) };
    for (let n = 0; n < 7; n++) assert.equal(await refusalOf(await proofOf()), undefined);
    assert.deepEqual(notices, []);
    assert.equal(await refusalOf(await proofOf()), undefined);
    assert.match(notices[0] ?? '', /^8 DPoP proofs in a minute/);
    assert.equal(await refusalOf(await proofOf()), 'proofs-too-many');
    assert.equal(await refusalOf(await proofOf({}, {}, other), { claims }), undefined);
    assert.equal(notices.length, 1, 'once, until there is room again');
    now += 90;
    for (let n = 0; n < 8; n++) assert.equal(await refusalOf(await proofOf()), undefined);
    assert.equal(notices.length, 2);
  });

  test('of keys without a good token are not remembered', async () => {
    for (let n = 0; n < 20; n++) await refusalOf(await proofOf({}, {}, await dpopKey()));
    for (let n = 0; n < 20; n++) await refusalOf(await proofOf({ ath: ath('tsa_other') }));
    assert.deepEqual(proofs.load(), { used: 0, most: 2 ** 18 });
  });

  test('are kept in the same way by the service: [operations/proof-memory] is about both', () => {
    const [here, there] = ['sdk/verify/src', 'src/operations/grant'].map((folder) => read(`${folder}/proof-memory.ts`));
    assert.equal(here, there);
  });
});
