// Which DPoP proofs the service accepts (RFC 9449 4.3, 8, 11.1). The clock is the test's own.
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { calculateJwkThumbprint } from 'jose';
import { epochSeconds } from '../../src/core/time.ts';
import { DpopProofs } from '../../src/operations/grant/dpop-proofs.ts';
import { ProofMemory } from '../../src/operations/grant/proof-memory.ts';
import { firstKey, Keyring } from '../../src/tokens/keyring.ts';
import { dpopKey } from '../e2e/dpop-steps.ts';
import { NOW } from '../samples.ts';

const URL_OF_ENDPOINT = 'https://tokens.example/oauth2/token';
const key = await dpopKey();
const keyring = new Keyring(firstKey());
let now: number = NOW;
let proofs: DpopProofs;
const proofsWith = (memory: ProofMemory) =>
  new DpopProofs({ keyring, clock: { now: () => epochSeconds(now) } as never }, memory);
beforeEach(() => {
  now = NOW;
  proofs = proofsWith(new ProofMemory());
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

test('a nonce is ours, and can be used for a minute', async () => {
  for (const nonce of [undefined, '', 'x']) assert.equal(await answer({ nonce }), 'dpop-nonce-needed');
  const nonce = proofs.nonce();
  now += 60;
  assert.equal(await answer({ nonce }), 'accepted');
  now += 1;
  assert.equal(await answer({ nonce }), 'dpop-nonce-needed');
  now -= 122;
  assert.equal(await answer({ nonce }), 'dpop-nonce-needed', 'of a node whose clock is far ahead');
});

test('[RFC 9449 11.1] a proof is accepted once, whatever the clocks of its caller and of other nodes show', async () => {
  for (const clockOfCaller of [-3600, 0, 3600])
    for (const clockOfNode of [-60, -7, 0, 60]) {
      now = NOW + clockOfNode;
      const nonce = proofs.nonce();
      now = NOW;
      const proof = await proofOf({ iat: now + clockOfCaller, nonce });
      assert.equal(check(proof).ok, true);
      for (; now < NOW + 130; now++) assert.equal(check(proof).ok, false, `${now - NOW} s later`);
    }
});

test('a proof whose request was refused may be sent again', async () => {
  const proof = await proofOf();
  const first = check(proof);
  assert.ok(first.ok);
  assert.equal(check(proof).ok, false);
  first.value.forget();
  assert.equal(check(proof).ok, true);
});

test('[threats: Keys, secrets, exchange, DPoP] a key beyond its share is told to slow down, others are not', async () => {
  proofs = proofsWith(new ProofMemory(5));
  const answers = [];
  for (let n = 0; n < 6; n++) answers.push(await answer());
  assert.deepEqual(answers, [...Array(4).fill('accepted'), ...Array(2).fill('dpop-proofs-too-many')]);
  assert.equal(check(await proofOf({}, await dpopKey())).ok, true);
});

test('two callers may use the same id', async () => {
  assert.equal(check(await proofOf({ jti: 'a' })).ok, true);
  assert.equal(check(await proofOf({ jti: 'a' }, await dpopKey())).ok, true);
});
