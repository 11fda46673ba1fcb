import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DeviceAuthorization } from '../../src/core/device.ts';
import type { ClientId, Integration } from '../../src/core/integration.ts';
import {
  checkRedeemRequest,
  type DecideFacts,
  decideConfirm,
  decideDeny,
  decideEnter,
  decideFailedSignIn,
  decideRedeem,
  decideStart,
  type RedeemFacts,
} from '../../src/core/rules/device.ts';
import { DEFAULT_SETTINGS } from '../../src/core/settings.ts';
import { epochSeconds } from '../../src/core/time.ts';
import { ADA, aDevice, anIdentity, anIntegration, NOW, scopeOf } from '../samples.ts';
import { assertOrder } from './ladder.ts';

const later = epochSeconds(NOW + 1);
const confirmed = aDevice({ decision: { is: 'confirmed', by: ADA, at: NOW } });
const serverWithoutDevices = { ...DEFAULT_SETTINGS, deviceFlow: false };

function redeem(difference: Partial<RedeemFacts> = {}): string {
  const decision = decideRedeem({
    integration: anIntegration(),
    device: confirmed,
    holder: anIdentity(),
    limit: undefined,
    resourceServers: [],
    now: later,
    ...difference,
  });
  return decision.do === 'redeem' ? 'redeem' : decision.refusal.reason;
}

function asked(integration: Integration | undefined, code: string | undefined, settings = DEFAULT_SETTINGS): string {
  const outcome = checkRedeemRequest(integration, code, settings);
  return outcome.ok ? 'asked' : outcome.refusal.reason;
}

test('device code pending: authorization_pending while the browser confirmation is missing [contract 3]', () => {
  assert.equal(redeem({ device: aDevice() }), 'authorization-pending');
});

test('device code confirmed: valid, unexpired and used for the first time yields a grant [contract 3]', () => {
  assert.equal(redeem(), 'redeem');
});

test('a device code is redeemed once only [contract 3]', () => {
  const redeemed = aDevice({ decision: { is: 'redeemed', by: ADA, at: NOW } });
  assert.equal(redeem({ device: redeemed }), 'device-code-redeemed');
  assert.equal(redeem({ device: redeemed, now: epochSeconds(NOW + 9999) }), 'device-code-redeemed');
});

test('the checks of a redemption are in their order', () => {
  const disabled = anIdentity({ enabled: false });
  assertOrder('redeem', redeem, [
    ['rate-limited', { limit: { reason: 'rate-limited' } }],
    ['identity-disabled', { holder: disabled }],
    ['resource-unknown', { wantedResource: ['https://unknown.example'] }],
    ['scope-no-longer-allowed', { integration: anIntegration({ scope: scopeOf('stock:read') }) }],
    ['device-code-expired', { device: aDevice(), now: epochSeconds(NOW + 9999) }],
    ['device-code-of-another-integration', { integration: anIntegration({ clientId: 'other' as ClientId }) }],
  ]);
});

test('invalid_client: browser-based authentication is disabled [contract 7.1]', () => {
  const off = anIntegration({ flows: { device: false, certificate: true } });
  assert.equal(asked(off, undefined), 'device-flow-disabled');
  assert.equal(asked(anIntegration(), undefined, serverWithoutDevices), 'device-flow-disabled');
});

test('invalid_grant: the device_code is expired or invalid, or client_id does not match [contract 7.1]', () => {
  assert.equal(asked(anIntegration(), 'a code'), 'asked');
  assert.equal(asked(anIntegration(), undefined), 'device-code-not-authentic');
  assert.equal(redeem({ now: epochSeconds(NOW + 299) }), 'redeem');
  assert.equal(redeem({ now: epochSeconds(NOW + 300) }), 'device-code-expired');
  assert.equal(
    redeem({ integration: anIntegration({ clientId: 'x' as ClientId }) }),
    'device-code-of-another-integration',
  );
  assert.equal(asked(undefined, undefined), 'integration-unknown');
  assert.equal(asked(anIntegration({ enabled: false }), undefined), 'integration-disabled');
});

test('invalid_grant: the user ID and password of the authorization were invalid too often [contract 7.1]', () => {
  assert.equal(redeem({ device: aDevice({ decision: { is: 'spent', at: NOW } }) }), 'device-code-spent');
});

test('a device that waits for a code that was ended is told so, not that sign-in failed [contract 3]', () => {
  const ended = aDevice({ enteredBy: 'a', decision: { is: 'ended', at: NOW } });
  assert.equal(redeem({ device: ended }), 'code-ended');
  for (const decide of [decideEnter, decideConfirm, decideDeny])
    assert.equal(reason(decide(facts(ended))), 'code-ended');
});

test('unauthorized_client: denied in the browser, until expiry [contract 7.1]', () => {
  const device = aDevice({ decision: { is: 'denied', by: ADA, at: NOW } });
  assert.equal(redeem({ device }), 'device-denied');
  assert.equal(redeem({ device, now: epochSeconds(NOW + 300) }), 'device-code-expired');
});

test('unauthorized_client: the identity was disabled or lost access between confirm and redeem [contract 7.1]', () => {
  assert.equal(redeem({ holder: anIdentity({ enabled: false }) }), 'identity-disabled');
  assert.equal(redeem({ holder: anIdentity({ mayUseApi: false }) }), 'identity-without-api-access');
  assert.equal(redeem({ holder: undefined }), 'identity-unknown');
});

test('invalid_scope: the integration was narrowed between confirm and redeem [contract 7.1]', () => {
  assert.equal(redeem({ integration: anIntegration({ scope: scopeOf('stock:read') }) }), 'scope-no-longer-allowed');
});

test('polling too fast is detected, and a later polite poll is not punished', () => {
  const polled = aDevice({ lastPolledAt: later });
  assert.equal(redeem({ device: polled, now: epochSeconds(later + 4) }), 'polled-too-fast');
  assert.equal(redeem({ device: polled, now: epochSeconds(later + 5) }), 'authorization-pending');
});

/** The seconds at which a device polls → what it is told, and the interval in the end. */
function pollsAt(moments: readonly number[]): [...string[], number] {
  let device = aDevice();
  const told = moments.map((moment) => {
    const now = epochSeconds(NOW + moment);
    const facts = { integration: anIntegration(), holder: undefined, limit: undefined, slowsDown: true };
    const decision = decideRedeem({ ...facts, device, resourceServers: [], now });
    if (decision.do === 'redeem') return 'redeem';
    if (decision.do === 'wait') device = { ...device, interval: decision.interval, lastPolledAt: now };
    return decision.refusal.reason;
  });
  return [...told, device.interval];
}

test('a device that polls too fast is told to slow down, by 5 seconds each time and up to 30 [RFC 8628 3.5]', () => {
  assert.deepEqual(pollsAt([0, 5, 10]), [...Array(3).fill('authorization-pending'), 5]);
  assert.deepEqual(pollsAt([0, 3, 13]), ['authorization-pending', 'polled-too-fast', 'authorization-pending', 10]);
  assert.deepEqual(pollsAt([0, 2, 4, 6, 8, 10, 12, 14]).slice(1), [...Array(7).fill('polled-too-fast'), 30]);
});

test('a poll repeated at once does not count, however often; a steady one each second does', () => {
  assert.deepEqual(pollsAt([0, 0, 5, 5, 10, 11]), [...Array(6).fill('authorization-pending'), 5]);
  assert.deepEqual(pollsAt([0, 1, 2]), ['authorization-pending', 'authorization-pending', 'polled-too-fast', 10]);
});

test('a poll every 5 seconds is never too fast, also if one request is faster on its way than the one before', () => {
  assert.deepEqual(pollsAt([5, 5, 9, 10, 15, 15, 19, 20]), [...Array(8).fill('authorization-pending'), 5]);
  assert.deepEqual(pollsAt([5, 8]), ['authorization-pending', 'polled-too-fast', 10]);
});

test('a confirmed code is redeemed however fast it is polled', () => {
  const device = { ...confirmed, lastPolledAt: later };
  assert.equal(redeem({ device, slowsDown: true, now: epochSeconds(later + 2) }), 'redeem');
});

test('without slowing down, polling too fast leaves the interval alone [contract 7.1]', () => {
  const facts = { integration: anIntegration(), holder: undefined, limit: undefined, resourceServers: [] };
  const decision = decideRedeem({ ...facts, device: aDevice({ lastPolledAt: later }), now: epochSeconds(later + 2) });
  assert.deepEqual(decision, { do: 'wait', refusal: { reason: 'polled-too-fast', retryAfter: 5 }, interval: 5 });
});

test('start: client_id, integration, flow and scope are checked in this order', () => {
  const start = (difference: object) => {
    const facts = {
      clientId: 'orders-sync',
      integration: anIntegration(),
      scope: 'orders:read',
      resourceServers: [],
      settings: DEFAULT_SETTINGS,
      ...difference,
    };
    const outcome = decideStart(facts);
    return outcome.ok ? 'started' : outcome.refusal.reason;
  };
  assert.equal(start({}), 'started');
  assertOrder('authorize-device', start, [
    ['resource-unknown', { resource: ['https://unknown.example'] }],
    ['scope-exceeds-integration', { scope: 'orders:delete' }],
    ['client-authentication-required', { integration: anIntegration({ confidential: true }), isAuthenticated: false }],
    ['device-flow-disabled', { settings: serverWithoutDevices }],
    ['integration-unknown', { integration: undefined }],
    ['client-id-missing', { clientId: undefined }],
  ]);
  assert.equal(start({ scope: 'orders:' }), 'scope-malformed');
  assert.equal(start({ scope: undefined }), 'scope-missing');
  assert.equal(start({ scope: undefined, settings: serverWithoutDevices }), 'device-flow-disabled');
});

function facts(device: DeviceAuthorization | undefined, difference: Partial<DecideFacts> = {}): DecideFacts {
  const shared = {
    integration: anIntegration(),
    identity: anIdentity(),
    session: 'a',
    settings: DEFAULT_SETTINGS,
    now: later,
  };
  return { device, ...shared, ...difference };
}

function reason(outcome: ReturnType<typeof decideConfirm>): string {
  return outcome.ok ? 'accepted' : outcome.refusal.reason;
}

test('only the browser session that entered the code decides', () => {
  const entered = aDevice({ enteredBy: 'a' });
  assert.equal(reason(decideEnter(facts(aDevice()))), 'accepted');
  assert.equal(reason(decideEnter(facts(entered, { session: 'b' }))), 'decision-elsewhere');
  for (const decide of [decideConfirm, decideDeny]) {
    assert.equal(reason(decide(facts(entered))), 'accepted');
    assert.equal(reason(decide(facts(entered, { session: 'b' }))), 'decision-elsewhere');
    assert.equal(reason(decide(facts(aDevice()))), 'decision-elsewhere', 'nobody entered it');
  }
});

test('a decision is final', () => {
  for (const is of ['confirmed', 'denied', 'redeemed'] as const) {
    const device = aDevice({ enteredBy: 'a', decision: { is, by: ADA, at: NOW } });
    for (const decide of [decideEnter, decideConfirm, decideDeny])
      assert.equal(reason(decide(facts(device))), 'decision-final');
  }
});

test('an expired or spent code cannot be decided, and an unknown one cannot be entered', () => {
  const device = aDevice({ enteredBy: 'a' });
  assert.equal(reason(decideConfirm(facts(device, { now: epochSeconds(NOW + 300) }))), 'device-code-expired');
  assert.equal(reason(decideDeny(facts(aDevice({ decision: { is: 'spent', at: NOW } })))), 'device-code-spent');
  assert.equal(reason(decideEnter(facts(undefined))), 'user-code-unknown');
});

test('failed sign-ins spend a pending code at the limit, and no other code', () => {
  const once = decideFailedSignIn(aDevice(), DEFAULT_SETTINGS, NOW);
  assert.deepEqual(once, aDevice({ failedSignIns: 1 }));
  const last = decideFailedSignIn(aDevice({ failedSignIns: 4 }), DEFAULT_SETTINGS, NOW);
  assert.deepEqual(last, aDevice({ failedSignIns: 5, decision: { is: 'spent', at: NOW } }));
  for (const done of [confirmed, aDevice({ decision: { is: 'spent', at: NOW } })])
    assert.equal(decideFailedSignIn(done, DEFAULT_SETTINGS, NOW), undefined);
  assert.equal(decideFailedSignIn(aDevice(), DEFAULT_SETTINGS, epochSeconds(NOW + 300)), undefined);
});

test('a person without access to the integration may deny but not confirm', () => {
  const identity = anIdentity({ mayUseApi: false });
  const device = aDevice({ enteredBy: 'a' });
  assert.equal(reason(decideConfirm(facts(device, { identity }))), 'identity-without-api-access');
  assert.equal(reason(decideConfirm(facts(device, { settings: serverWithoutDevices }))), 'device-flow-disabled');
  assert.equal(reason(decideDeny(facts(device, { identity }))), 'accepted');
});
