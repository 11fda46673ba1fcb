// [threats: Refresh, revoke, device] "no limit on user_code guesses". RFC 8628 5.1.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { DEFAULT_SETTINGS } from '../../../src/core/settings.ts';
import { epochSeconds } from '../../../src/core/time.ts';
import { enterUserCode } from '../../../src/operations/device/decide-device.ts';
import { startDevice } from '../../../src/operations/device/start-device.ts';
import { anIdentity, CLIENT, NOW, PASSWORD_PROOF } from '../../samples.ts';
import { guess, portsOf } from './guessing.ts';
import { memoryStore } from './memory-store.ts';

const CODES = 20 ** 8;
const PERSON = { identity: anIdentity(), session: 'one', proof: PASSWORD_PROOF };
const START = { clientId: CLIENT, scope: 'orders:read', presenter: { address: '192.0.2.7', agent: 'curl/8' } };

suite('guessing a user code', () => {
  test('five tries among 20^8 codes succeed with odds of at most 2^-32', () => {
    assert.equal(DEFAULT_SETTINGS.wrongUserCodes, 5);
    assert.ok(DEFAULT_SETTINGS.wrongUserCodes / CODES <= 2 ** -32);
  });

  for (const identities of [1, 100]) {
    test(`10,000 guesses by ${identities} signed-in identities: each gets at most 5 compared per code lifetime`, async () => {
      const { evaluated, hits, mostPerCode } = await guess({ identities, guesses: 10_000, perSecond: 10 });
      assert.ok(evaluated > 0, 'the simulation guessed nothing');
      assert.ok(mostPerCode / CODES <= 2 ** -32, `${mostPerCode} tries within one lifetime`);
      assert.equal(hits, 0);
    });
  }

  test('a hundred parallel guesses get no more than five compared', async () => {
    let lookUps = 0;
    const ports = portsOf(
      memoryStore(() => NOW),
      () => NOW,
      () => lookUps++,
    );
    const outcomes = await Promise.all(Array.from({ length: 100 }, () => enterUserCode('BCDF-GHJK', PERSON, ports)));
    assert.equal(lookUps, 5);
    assert.equal(outcomes.filter((o) => !o.ok && o.refusal.reason === 'user-code-attempts-exhausted').length, 95);
  });

  test('entering one’s own valid codes between wrong guesses gains no extra guess', async () => {
    let now = NOW;
    let lookUps = 0;
    const ports = portsOf(
      memoryStore(() => now),
      () => now,
      () => lookUps++,
    );
    let wrong = 0;
    for (let round = 0; round < 40; round++) {
      now = epochSeconds(NOW + round * 7);
      const own = await startDevice(START, ports);
      if (own.ok) await enterUserCode(own.value.userCode, { ...PERSON, session: `${round}` }, ports);
      const before = lookUps;
      await enterUserCode('BCDF-GHJK', PERSON, ports);
      wrong += lookUps - before;
    }
    assert.equal(wrong, 5);
  });

  test('the lockout ends one code lifetime after the last counted guess; refused guesses do not extend it', async () => {
    let now = NOW;
    const ports = portsOf(
      memoryStore(() => now),
      () => now,
    );
    const reason = async () => {
      const outcome = await enterUserCode('BCDF-GHJK', PERSON, ports);
      return outcome.ok ? 'ok' : outcome.refusal.reason;
    };
    for (let tries = 0; tries < 5; tries++) assert.equal(await reason(), 'user-code-unknown');
    now = epochSeconds(NOW + 299);
    assert.equal(await reason(), 'user-code-attempts-exhausted');
    now = epochSeconds(NOW + 300);
    assert.equal(await reason(), 'user-code-unknown');
  });
});
