// Which DPoP proofs the service accepts (RFC 9449 4.3, 8, 11.1). The clock is the test's own.
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { calculateJwkThumbprint } from 'jose';
import { epochSeconds } from '../../src/core/time.ts';
import { DpopProofs } from '../../src/operations/grant/dpop-proofs.ts';
import { firstKey, Keyring } from '../../src/tokens/keyring.ts';
import { dpopKey } from '../e2e/dpop-steps.ts';
import { NOW } from '../samples.ts';

const URL_OF_ENDPOINT = 'https://tokens.example/oauth2/token';
const key = await dpopKey();
const keyring = new Keyring(firstKey());
let now: number = NOW;
let proofs: DpopProofs;
beforeEach(() => {
  now = NOW;
  proofs = new DpopProofs({ keyring, clock: { now: () => epochSeconds(now) } as never });
});

const proofOf = (claims: object = {}, by = key) =>
  by.proof({ htm: 'POST', htu: URL_OF_ENDPOINT, iat: now, nonce: proofs.nonce(), ...claims });
const check = (text: string) => proofs.check(text, 'POST', ['https://other.example/token', URL_OF_ENDPOINT]);
const answer = async (claims: object = {}) => {
  const outcome = check(await proofOf(claims));
  return outcome.ok ? 'accepted' : outcome.refusal.reason;
};

test('a proof for this endpoint names its key', async () => {
  const outcome = check(await proofOf({ htu: `${URL_OF_ENDPOINT}?a#b` }));
  assert.equal(outcome.ok && outcome.value.jkt, await calculateJwkThumbprint(key.jwk));
});

test('a proof for another call, or of another key than it says, is refused', async () => {
  for (const claims of [{ htm: 'GET' }, { htu: 'https://evil.example/' }, { htu: 'x' }, { htu: undefined }])
    assert.equal(await answer(claims), 'dpop-proof-invalid');
  const [header, , signature] = (await proofOf()).split('.');
  const [, claims] = (await proofOf({ jti: 'other' })).split('.');
  const forged = check([header, claims, signature].join('.'));
  assert.equal(!forged.ok && forged.refusal.reason, 'dpop-proof-invalid');
});

test('the clock of a caller may be off by an hour', async () => {
  for (const seconds of [-3600, 3600]) {
    assert.equal(await answer({ iat: now + seconds }), 'accepted');
    assert.equal(await answer({ iat: now + seconds + Math.sign(seconds) }), 'dpop-proof-invalid');
  }
});

test('a nonce is ours, and can be used for five minutes', async () => {
  for (const nonce of [undefined, '', 'x']) assert.equal(await answer({ nonce }), 'dpop-nonce-needed');
  const nonce = proofs.nonce();
  now += 300;
  assert.equal(await answer({ nonce }), 'accepted');
  now += 1;
  assert.equal(await answer({ nonce }), 'dpop-nonce-needed');
  now -= 602;
  assert.equal(await answer({ nonce }), 'dpop-nonce-needed', 'of a node whose clock is far ahead');
});

test('a proof is accepted once, for as long as it can be used, unless its request was refused', async () => {
  const proof = await proofOf();
  const first = check(proof);
  assert.ok(first.ok);
  assert.equal(check(proof).ok, false);
  now += 300;
  assert.equal(check(await proofOf({ jti: 'another' })).ok, true);
  assert.equal(check(proof).ok, false, 'it is still remembered');
  first.value.forget();
  assert.equal(check(proof).ok, true);
});

test('two callers may use the same id', async () => {
  assert.equal(check(await proofOf({ jti: 'a' })).ok, true);
  assert.equal(check(await proofOf({ jti: 'a' }, await dpopKey())).ok, true);
});
