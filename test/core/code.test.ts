import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { DeviceAuthorization } from '../../src/core/device.ts';
import type { ClientId } from '../../src/core/integration.ts';
import {
  type AskedCode,
  type CodeFacts,
  checkAskedCode,
  checkClient,
  checkCodeRequest,
  decideRedeemCode,
} from '../../src/core/rules/code.ts';
import { epochSeconds } from '../../src/core/time.ts';
import { ADA, aDevice, anIdentity, anIntegration, NOW, scopeOf } from '../samples.ts';
import { assertOrder } from './ladder.ts';

const URI = 'http://127.0.0.1/callback';
const CODER = anIntegration({ flows: { device: false, certificate: false, code: { redirectUris: [URI] } } });
const CODE = aDevice({
  scope: 'orders:read',
  expiresAt: epochSeconds(NOW + 60),
  decision: { is: 'confirmed', by: ADA, at: NOW },
});
const REDEEMED: DeviceAuthorization['decision'] = { is: 'redeemed', by: ADA, at: NOW };

function facts(difference: Partial<CodeFacts> = {}): CodeFacts {
  const holder = anIdentity();
  return {
    integration: CODER,
    code: CODE,
    isProved: true,
    holder,
    limit: undefined,
    resourceServers: [],
    now: NOW,
    ...difference,
  };
}

function redeemed(difference: Partial<CodeFacts> = {}): string {
  const decision = decideRedeemCode(facts(difference));
  return decision.do === 'refuse' ? decision.refusal.reason : decision.do;
}

test('a code is redeemed within a minute, by whoever proves to be the client [RFC 6749 4.1.2]', () => {
  assert.equal(redeemed(), 'redeem');
  assert.equal(redeemed({ now: epochSeconds(NOW + 59) }), 'redeem');
  assert.equal(redeemed({ now: epochSeconds(NOW + 60) }), 'code-expired');
  assert.equal(redeemed({ isProved: false }), 'code-not-authentic');
  assert.equal(redeemed({ integration: { ...CODER, clientId: 'other' as ClientId } }), 'code-not-authentic');
  assert.equal(redeemed({ code: { ...CODE, decision: { is: 'ended', at: NOW } } }), 'code-ended');
  assertOrder('redeem-code', redeemed, [
    ['rate-limited', { limit: { reason: 'rate-limited' } }],
    ['identity-disabled', { holder: anIdentity({ enabled: false }) }],
    ['resource-unknown', { wantedResource: ['https://unknown.example'] }],
    ['scope-no-longer-allowed', { integration: { ...CODER, scope: scopeOf('stock:read') } }],
    ['code-expired', { now: epochSeconds(NOW + 60) }],
    ['code-not-authentic', { isProved: false }],
  ]);
});

test('only a second redemption with the proof ends the grant; nothing else changes anything', () => {
  const decisions = fc.constantFrom<DeviceAuthorization['decision']>(
    CODE.decision,
    REDEEMED,
    { is: 'open' },
    { is: 'denied', by: ADA, at: NOW },
    { is: 'ended', at: NOW },
  );
  const moment = fc.integer({ min: NOW, max: NOW + 4000 }).map(epochSeconds);
  fc.assert(
    fc.property(decisions, fc.boolean(), fc.boolean(), moment, (decision, isProved, isOver, now) => {
      const limit = isOver ? ({ reason: 'rate-limited' } as const) : undefined;
      const result = redeemed({ code: { ...CODE, decision }, isProved, limit, now });
      assert.equal(result === 'end', isProved && decision.is === 'redeemed');
      const isGood = isProved && decision.is === 'confirmed' && now < CODE.expiresAt && !isOver;
      assert.equal(result === 'redeem', isGood);
    }),
  );
});

test('a verifier has 43 to 128 characters [RFC 7636 4.1]', () => {
  const asked = (verifier: string) => checkCodeRequest(CODER, 'a code', verifier).ok;
  assert.deepEqual(
    [42, 43, 128, 129].map((length) => asked('x'.repeat(length))),
    [false, true, true, false],
  );
  assert.ok(!asked(`${'x'.repeat(50)} `));
  assert.ok(!checkCodeRequest(CODER, undefined, 'x'.repeat(43)).ok);
  assert.ok(!checkCodeRequest(anIntegration(), 'a code', 'x'.repeat(43)).ok, 'off by default');
});

test('the client and its redirect URI come first; those of a document replace the registered ones', () => {
  const reason = (client: Parameters<typeof checkClient>[0]) => {
    const checked = checkClient(client);
    return checked.ok ? 'accepted' : checked.refusal.reason;
  };
  assert.equal(reason({ integration: CODER, redirectUri: URI }), 'accepted');
  assert.equal(reason({ integration: undefined, redirectUri: URI }), 'integration-unknown');
  assert.equal(reason({ integration: { ...CODER, enabled: false }, redirectUri: URI }), 'integration-disabled');
  assert.equal(reason({ integration: anIntegration(), redirectUri: URI }), 'code-flow-disabled');
  assert.equal(reason({ integration: CODER, redirectUri: undefined }), 'redirect-uri-unknown');
  assert.equal(reason({ integration: CODER, documented: [], redirectUri: URI }), 'redirect-uri-unknown');
});

test('a challenge is required, with S256; then scope and resource are checked [RFC 9700 2.1.1]', () => {
  const good: AskedCode = {
    responseType: 'code',
    responseMode: undefined,
    challenge: 'x'.repeat(43),
    challengeMethod: 'S256',
    scope: 'orders:read',
  };
  const reason = (difference: Partial<AskedCode>) => {
    const checked = checkAskedCode({ ...good, ...difference }, CODER, []);
    return checked.ok ? 'accepted' : checked.refusal.reason;
  };
  assert.equal(reason({}), 'accepted');
  assert.equal(reason({ responseMode: 'form_post' }), 'response-type-unsupported');
  for (const challengeMethod of [undefined, 'plain', 's256'])
    assert.equal(reason({ challengeMethod }), 'code-challenge-missing');
  for (const challenge of [undefined, '', 'x'.repeat(42), 'x'.repeat(44), `${'x'.repeat(42)}=`])
    assert.equal(reason({ challenge }), 'code-challenge-missing');
  assertOrder('page-authorize', reason, [
    ['resource-unknown', { resource: ['https://unknown.example'] }],
    ['scope-exceeds-integration', { scope: 'payroll:read' }],
    ['response-type-unsupported', { responseType: 'token' }],
  ]);
});
