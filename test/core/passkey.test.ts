import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Identity } from '../../src/core/identity.ts';
import type { Passkey } from '../../src/core/passkey.ts';
import type { Proof } from '../../src/core/person.ts';
import {
  decidePasskeySignIn,
  decideRegister,
  mayChange,
  type PasskeyFacts,
  passkeyName,
  type RegisterFacts,
} from '../../src/core/rules/passkey.ts';
import { isFresh, strongProof } from '../../src/core/rules/proof.ts';
import { epochSeconds } from '../../src/core/time.ts';
import { ADA, anIdentity, aPasskey, NOW, PASSWORD_PROOF } from '../samples.ts';

const proofBy = (by: Proof['by']): Proof => ({ by, at: NOW });
const strong = (id: string) => aPasskey(id, { isStrong: true });
const keysOf = (...keys: Passkey[]) => ({ identityId: ADA, keys });
const OPEN = { isUsed: false, challengeEndsAt: epochSeconds(NOW + 1), now: NOW };

suite('a passkey is registered', () => {
  const INVITED = { hasTyped: true, invitedUntil: epochSeconds(NOW + 1) };
  function register(difference: Partial<RegisterFacts> = {}) {
    const usual = { before: keysOf(), added: aPasskey('aa'), proof: PASSWORD_PROOF, hasTyped: false, ...OPEN };
    const outcome = decideRegister({ invitedUntil: undefined, ...usual, ...difference });
    return outcome.ok ? outcome.value.keys.map(({ id, isStrong }) => `${id}${isStrong ? ' strong' : ''}`) : outcome;
  }
  const refused = (difference: Partial<RegisterFacts>) => {
    const outcome = register(difference);
    return 'refusal' in outcome ? outcome.refusal : outcome;
  };

  test('as strong as what it was added with', () => {
    assert.deepEqual(register(), ['aa']);
    assert.deepEqual(register({ proof: proofBy('certificate') }), ['aa strong']);
    assert.deepEqual(register(INVITED), ['aa strong']);
    const before = keysOf(strong('bb'));
    assert.deepEqual(register({ before, proof: proofBy('passkey') }), ['bb strong', 'aa strong']);
  });

  test('while its challenge is open', () => {
    for (const challenge of [{ isUsed: true }, { now: OPEN.challengeEndsAt }])
      assert.deepEqual(refused(challenge), { reason: 'passkey-refused', rule: 'challenge' });
  });

  test('with no less than the others prove, unless an operator invited', () => {
    const before = keysOf(strong('bb'));
    for (const by of ['password', 'weak-passkey'] as const)
      assert.partialDeepStrictEqual(refused({ before, proof: proofBy(by) }), { reason: 'invitation-refused' });
    for (const invitedUntil of [undefined, NOW])
      assert.partialDeepStrictEqual(refused({ hasTyped: true, invitedUntil }), { reason: 'invitation-refused' });
    assert.deepEqual(register({ before, ...INVITED }), ['bb strong', 'aa strong']);
  });

  test('once, and 20 of a person at most', () => {
    const proof = proofBy('passkey');
    assert.partialDeepStrictEqual(refused({ before: keysOf(aPasskey('aa')), proof }), { rule: 'registered' });
    const many = (count: number) => keysOf(...Array.from({ length: count }, (_, n) => aPasskey(`k${n}`)));
    assert.equal((register({ before: many(19), proof }) as string[]).length, 20);
    assert.partialDeepStrictEqual(refused({ before: many(20), proof }), { reason: 'passkeys-exhausted' });
  });
});

test('passkeys are changed with no less than they prove', () => {
  assert.equal(mayChange([], PASSWORD_PROOF), true);
  assert.equal(mayChange([aPasskey()], PASSWORD_PROOF), false);
  assert.equal(mayChange([aPasskey()], proofBy('weak-passkey')), true);
  assert.equal(mayChange([aPasskey(), strong('bb')], proofBy('weak-passkey')), false);
  for (const by of ['passkey', 'certificate', 'strong-provider'] as const)
    assert.equal(mayChange([strong('bb')], proofBy(by)), true);
});

suite('a passkey signs in', () => {
  const used = aPasskey('aa', { counter: 5 });
  const other = aPasskey('bb');
  function signIn(difference: Partial<PasskeyFacts> = {}) {
    const usual = {
      passkeys: keysOf(used, other),
      identity: anIdentity(),
      id: 'aa',
      counter: 6,
      userName: '',
      ...OPEN,
    };
    return decidePasskeySignIn({ ...usual, ...difference });
  }
  const rule = (difference: Partial<PasskeyFacts>) => {
    const decision = signIn(difference);
    return decision.do === 'refuse' ? (decision.refusal as { rule?: string }).rule : decision.do;
  };

  test('and is marked as used', () => {
    const keys = [{ ...used, counter: 6, usedAt: NOW }, other];
    const identity = anIdentity();
    const next = { identityId: ADA, keys };
    assert.deepEqual(signIn(), { do: 'sign-in', identity, by: 'weak-passkey', next });
    const decision = signIn({ passkeys: keysOf({ ...used, isStrong: true }) });
    assert.equal(decision.do === 'sign-in' && decision.by, 'passkey');
  });

  test('if it is known, and the challenge open', () => {
    assert.equal(rule({ isUsed: true }), 'challenge');
    assert.equal(rule({ now: OPEN.challengeEndsAt }), 'challenge');
    assert.equal(rule({ id: 'cc' }), 'unknown');
    assert.equal(rule({ passkeys: undefined }), 'unknown');
  });

  test('if its identity is enabled, and the one whose name was typed', () => {
    const removed: Identity = { id: ADA, enabled: true, mayUseApi: true, groups: [] };
    for (const identity of [undefined, anIdentity({ enabled: false }), removed])
      assert.equal(rule({ identity }), 'identity');
    assert.equal(rule({ userName: 'bob' }), 'user-name');
    assert.equal(rule({ userName: 'ada' }), 'sign-in');
  });

  test('if no other authenticator has counted it [WebAuthn 6.1.1]', () => {
    for (const counter of [5, 4, 0]) {
      const decision = signIn({ counter });
      assert.equal(decision.do === 'refuse' && decision.copied, used);
    }
    const uncounted = keysOf(aPasskey('aa', { counter: 0 }));
    assert.equal(rule({ passkeys: uncounted, counter: 0 }), 'sign-in', 'one that does not count');
    assert.equal(rule({ passkeys: uncounted, counter: 1 }), 'sign-in');
  });
});

test('a proof is fresh for ten minutes, and strong if nobody can be talked into giving it', () => {
  assert.equal(isFresh(PASSWORD_PROOF, epochSeconds(NOW + 599)), true);
  assert.equal(isFresh(PASSWORD_PROOF, epochSeconds(NOW + 600)), false);
  assert.equal(strongProof(PASSWORD_PROOF), undefined);
  assert.equal(strongProof(proofBy('passkey')), 'passkey');
});

test('a name has nothing invisible, and at most 64 characters', () => {
  assert.equal(passkeyName(' my\u200b phone ', 'otherwise'), 'my phone');
  assert.equal(passkeyName('\u0000 ', 'otherwise'), 'otherwise');
  assert.equal(passkeyName('x'.repeat(70), '').length, 64);
});
