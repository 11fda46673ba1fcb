import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accessTokenExpiry, grantPeriod, revoke } from '../../src/core/grant.ts';
import type { IdentityId } from '../../src/core/identity.ts';
import type { ClientId } from '../../src/core/integration.ts';
import { accept, refuse } from '../../src/core/outcome.ts';
import { withOutage, withStart } from '../../src/core/rules/outage.ts';
import { checkRefreshRequest, decideRefresh, type RefreshFacts, type Standing } from '../../src/core/rules/refresh.ts';
import { DEFAULT_SETTINGS } from '../../src/core/settings.ts';
import { epochSeconds, seconds } from '../../src/core/time.ts';
import { ADA, aGrant, anIdentity, anIntegration, hexOf, NOW, scopeOf } from '../samples.ts';
import { assertOrder } from './ladder.ts';

type Difference = Partial<Omit<RefreshFacts, 'standing'>> & { standing?: Standing };

function facts({ standing = 'current', ...rest }: Difference = {}): RefreshFacts {
  return {
    integration: anIntegration(),
    grant: aGrant(),
    standing: () => standing,
    generation: 0,
    holder: anIdentity(),
    caller: undefined,
    limit: undefined,
    settings: DEFAULT_SETTINGS,
    outages: [],
    loss: 'explained',
    now: NOW,
    ...rest,
  };
}

function reasonOf(difference: Difference): string {
  const decision = decideRefresh(facts(difference));
  return 'refusal' in decision ? decision.refusal.reason : decision.do;
}

const at = (moment: number) => epochSeconds(moment);

test('token valid, or expired but refreshable: a valid refresh token yields a new token pair [contract 3]', () => {
  assert.equal(decideRefresh(facts()).do, 'rotate');
  assert.equal(decideRefresh(facts({ now: at(NOW + 500) })).do, 'rotate', 'after expires, before refresh_until');
});

test('any state: after refresh_until the refresh token stops working [contract 3]', () => {
  assert.equal(reasonOf({ now: at(NOW + 999) }), 'rotate');
  assert.equal(reasonOf({ now: at(NOW + 1000) }), 'grant-expired');
  assert.equal(reasonOf({ now: at(NOW + 1001) }), 'grant-expired');
});

test('nothing works after revocation [contract 3]', () => {
  const grant = revoke(aGrant(), NOW, 'by-caller');
  for (const standing of ['current', 'last-spent', 'spent', 'ahead'] as const) {
    assert.equal(reasonOf({ grant, standing }), 'grant-revoked');
  }
  assert.equal(revoke(grant, at(NOW + 5), 'reuse').revoked?.at, NOW, 'the first revocation stands');
});

test('a retry in the window returns the same pair; the window is never extended, and 0 allows no retry', () => {
  assert.equal(reasonOf({ standing: 'last-spent', now: at(NOW + 60) }), 'repeat');
  assert.equal(reasonOf({ standing: 'last-spent', now: at(NOW + 61) }), 'refresh-token-reused');
  const strict = anIntegration({ overrides: { refreshRetryWindow: seconds(0) } });
  assert.equal(reasonOf({ standing: 'last-spent', integration: strict }), 'refresh-token-reused');
});

test('after an outage the window counts from the moment the service began answering again', () => {
  const outage = { silentFrom: at(NOW + 50), answeringSince: at(NOW + 500) };
  const reason = (now: number, different: Difference = {}) =>
    reasonOf({ standing: 'last-spent', outages: [outage], now: at(now), ...different });
  assert.equal(reason(NOW + 560), 'repeat');
  assert.equal(reason(NOW + 561), 'refresh-token-reused');
  const closed = { ...outage, silentFrom: at(NOW + 61) };
  assert.equal(
    reason(NOW + 501, { outages: [closed] }),
    'refresh-token-reused',
    'its window had closed before the outage',
  );
  const over = { silentFrom: at(NOW - 100), answeringSince: at(NOW - 10) };
  assert.equal(reason(NOW + 60, { outages: [over] }), 'repeat');
  assert.equal(reason(NOW + 61, { outages: [over] }), 'refresh-token-reused', 'committed after the outage');
  assert.equal(reason(NOW + 501, { standing: 'spent' }), 'refresh-token-reused');
  const strict = anIntegration({ overrides: { refreshRetryWindow: seconds(0) } });
  assert.equal(reason(NOW + 501, { integration: strict }), 'refresh-token-reused', '0 is strict');
});

test('the last outage is loaded only if a token would otherwise count as reused', () => {
  const reason = (difference: Difference) => reasonOf({ outages: 'not-loaded', ...difference });
  assert.equal(reason({}), 'rotate');
  assert.equal(reason({ standing: 'last-spent', now: at(NOW + 60) }), 'repeat');
  assert.equal(reason({ standing: 'last-spent', now: at(NOW + 61) }), 'load-outages');
  assert.equal(reason({ standing: 'spent' }), 'refresh-token-reused');
});

test('a window that an outage extended is extended again by the next; one that closed between two outages stays closed', () => {
  const outages = [
    { silentFrom: at(NOW + 50), answeringSince: at(NOW + 100) },
    { silentFrom: at(NOW + 150), answeringSince: at(NOW + 200) },
    { silentFrom: at(NOW + 400), answeringSince: at(NOW + 500) },
  ];
  const reason = (now: number) => reasonOf({ standing: 'last-spent', outages, now: at(now) });
  assert.equal(reason(NOW + 260), 'repeat');
  assert.equal(reason(NOW + 261), 'refresh-token-reused');
  assert.equal(reason(NOW + 501), 'refresh-token-reused');
});

test('the trouble of one row extends the window of its own grant alone', () => {
  const outage = { silentFrom: at(NOW + 5), answeringSince: at(NOW + 500) };
  const reason = (of: string) => reasonOf({ standing: 'last-spent', outages: [{ ...outage, of }], now: at(NOW + 501) });
  assert.equal(reason(aGrant().id), 'repeat');
  assert.equal(reason('another'), 'refresh-token-reused');
});

test('outages that follow each other at once are one, and the row stays small', () => {
  const outage = (from: number, to: number) => ({ silentFrom: at(from), answeringSince: at(to) });
  const first = withOutage(undefined, outage(NOW, NOW + 100));
  assert.deepEqual(withOutage(first, outage(NOW + 101, NOW + 120)), {
    seenAt: NOW + 120,
    outages: [outage(NOW, NOW + 120)],
  });
  let times = first;
  for (let n = 1; n < 100; n++) times = withOutage(times, outage(NOW + 200 * n, NOW + 200 * n + 10));
  assert.equal(times.outages.length, 20);
  const service = times.outages;
  for (let n = 0; n < 100; n++) times = withOutage(times, { ...outage(NOW + 30_000, NOW + 30_010), of: `row ${n}` });
  assert.equal(times.outages.length, 40);
  assert.deepEqual(times.outages.slice(0, 20), service, 'those of single rows do not displace those of the service');
});

test('a start is the end of an outage unless another node was running', () => {
  const times = { seenAt: at(NOW), outages: [] };
  const outages = (...given: Parameters<typeof withStart>) => withStart(...given).outages;
  assert.deepEqual(outages(times, undefined, true, at(NOW + 3)), [{ silentFrom: NOW, answeringSince: NOW + 3 }]);
  assert.deepEqual(outages(times, at(NOW + 2), true, at(NOW + 3)), [{ silentFrom: NOW + 2, answeringSince: NOW + 3 }]);
  assert.deepEqual(outages(times, at(NOW + 3), true, at(NOW + 3)), []);
  assert.deepEqual(outages(times, undefined, false, at(NOW + 13)), []);
  assert.deepEqual(outages(times, undefined, false, at(NOW + 14)), [{ silentFrom: NOW, answeringSince: NOW + 14 }]);
});

test('reuse of a spent refresh token ends the grant; with onReuse: report it is only reported', () => {
  const refusal = { reason: 'refresh-token-reused' };
  assert.deepEqual(decideRefresh(facts({ standing: 'spent' })), { do: 'end', why: 'reuse', refusal });
  const tolerant = anIntegration({ overrides: { onReuse: 'report' } });
  assert.deepEqual(decideRefresh(facts({ standing: 'spent', integration: tolerant })), { do: 'report-reuse', refusal });
  const overCap = () => ({ reason: 'rate-limited' }) as const;
  const capped = decideRefresh(facts({ standing: 'spent', integration: tolerant, overCap }));
  assert.equal(capped.do, 'refuse', 'above a cap, it is not even reported');
});

test('without the proof that it needs, a token changes nothing: a stolen one may not even end the grant', () => {
  const integration = anIntegration({ confidential: true });
  const proven = { isAuthenticated: false, jkt: undefined };
  for (const standing of ['current', 'last-spent', 'spent', 'ahead'] as const)
    assert.equal(reasonOf({ standing, integration, proven }), 'client-authentication-required');
  assert.equal(reasonOf({ integration, proven: { ...proven, isAuthenticated: true } }), 'rotate');
});

test('a generation ahead of the row proves a rolled-back store: refused, and the grant ends', () => {
  const refusal = { reason: 'store-rolled-back' };
  assert.deepEqual(decideRefresh(facts({ standing: 'ahead' })), { do: 'end', why: 'rolled-back-store', refusal });
});

test('a caller over its limit is refused only if its token would have worked; reuse still ends the grant', () => {
  const limit = { reason: 'rate-limited', retryAfter: seconds(3) } as const;
  const limited = (difference: Difference) => decideRefresh(facts({ limit, ...difference }));
  assert.deepEqual(limited({}), { do: 'refuse', refusal: limit });
  assert.deepEqual(limited({ standing: 'last-spent' }), { do: 'refuse', refusal: limit });
  assert.equal(limited({ standing: 'spent' }).do, 'end');
  assert.equal(limited({ standing: 'last-spent', now: at(NOW + 61), outages: 'not-loaded' }).do, 'load-outages');
  assert.equal(reasonOf({ limit, holder: anIdentity({ enabled: false }) }), 'identity-disabled');
  assert.equal(reasonOf({ limit, now: at(NOW + 2000) }), 'grant-expired');
});

test('invalid_grant: client_id does not match the integration, and a wrong client_id never revokes [contract 7.1]', () => {
  const other = anIntegration({ clientId: 'someone-else' as ClientId });
  for (const standing of ['current', 'last-spent', 'spent', 'ahead'] as const) {
    const decision = decideRefresh(facts({ integration: other, standing }));
    assert.deepEqual(decision, { do: 'refuse', refusal: { reason: 'refresh-token-of-another-integration' } });
  }
});

test('invalid_scope: scope removed from the integration, refresh refused [contract 7.1]', () => {
  const narrowed = anIntegration({ scope: scopeOf('stock:read') });
  assert.equal(reasonOf({ integration: narrowed }), 'scope-no-longer-allowed');
  assert.equal(reasonOf({ integration: narrowed, standing: 'last-spent' }), 'scope-no-longer-allowed');
});

test('unauthorized_client: the identity was disabled or lost access [contract 7.1]', () => {
  assert.equal(reasonOf({ holder: anIdentity({ enabled: false }) }), 'identity-disabled');
  assert.equal(reasonOf({ holder: anIdentity({ mayUseApi: false }) }), 'identity-without-api-access');
  const others = anIntegration({ access: { to: 'named', identities: [], groups: ['admins'] } });
  assert.equal(reasonOf({ integration: others }), 'identity-without-integration-access');
  const named = anIntegration({ access: { to: 'named', identities: [ADA], groups: [] } });
  assert.equal(reasonOf({ integration: named }), 'rotate');
  const group = anIntegration({ access: { to: 'named', identities: [], groups: ['staff'] } });
  assert.equal(reasonOf({ integration: group }), 'rotate');
});

test('each refusal hides those later in the order of checks', () => {
  const ladder: [string, Difference][] = [
    ['identity-disabled', { holder: anIdentity({ enabled: false }) }],
    ['scope-no-longer-allowed', { integration: anIntegration({ scope: scopeOf('stock:read') }) }],
    ['refresh-token-reused', { standing: 'spent' }],
    [
      'client-authentication-required',
      {
        integration: anIntegration({ confidential: true, scope: scopeOf('stock:read') }),
        proven: { isAuthenticated: false, jkt: undefined },
      },
    ],
    ['grant-expired', { now: at(NOW + 2000) }],
    ['grant-revoked', { grant: revoke(aGrant(), NOW, 'by-caller') }],
    [
      'refresh-token-of-another-integration',
      { integration: anIntegration({ clientId: 'x' as ClientId, scope: scopeOf('stock:read') }) },
    ],
  ];
  assertOrder('refresh', reasonOf, ladder);
});

test('before a row is loaded, the integration is checked, then the token', () => {
  const asked = (...question: Parameters<typeof checkRefreshRequest>) => {
    const outcome = checkRefreshRequest(...question);
    return outcome.ok || outcome.refusal.reason;
  };
  assert.equal(asked(undefined, undefined), 'integration-unknown');
  assert.equal(asked(anIntegration({ enabled: false }), undefined), 'integration-disabled');
  assert.equal(asked(anIntegration(), undefined), 'refresh-token-not-authentic');
  assert.equal(asked(anIntegration(), 'a token'), true);
});

test('a bound grant needs its certificate; without it even reuse does not end the grant', () => {
  const mark = { certificate: hexOf(16, 1), issuerKey: hexOf(16, 2), key: hexOf(32, 3) };
  const grant = aGrant({ origin: { kind: 'certificate', certificate: mark } });
  const bound = anIntegration({ binding: 'certificate' });
  assert.equal(reasonOf({ grant, integration: bound, standing: 'spent' }), 'certificate-binding-unmet');
  const caller = (difference: Partial<typeof mark> = {}, id = ADA) =>
    accept({ identity: anIdentity({ id }), mark: { ...mark, ...difference }, thumbprint: hexOf(32) });
  const sibling = { key: hexOf(32, 9) };
  assert.equal(reasonOf({ grant, integration: bound, caller: caller(sibling) }), 'certificate-binding-unmet');
  assert.equal(reasonOf({ grant, integration: bound, caller: caller() }), 'rotate');
  const byIdentity = anIntegration({ binding: 'identity' });
  assert.equal(
    reasonOf({ grant, integration: byIdentity, caller: caller(sibling) }),
    'rotate',
    'a renewed certificate',
  );
  assert.equal(
    reasonOf({ grant, integration: byIdentity, caller: caller(sibling, 'local:00' as IdentityId) }),
    'certificate-binding-unmet',
  );
  const otherIssuer = caller({ issuerKey: hexOf(16, 9) });
  assert.equal(reasonOf({ grant, integration: byIdentity, caller: otherIssuer }), 'certificate-binding-unmet');
  const refused = refuse('certificate-expired');
  assert.equal(reasonOf({ grant, integration: bound, caller: refused }), 'certificate-binding-unmet');
});

test('a refresh binds its tokens to the certificate that it presents, if the integration or an earlier one does [RFC 8705 3]', () => {
  const mark = { certificate: hexOf(16, 1), issuerKey: hexOf(16, 2), key: hexOf(32, 3) };
  const grant = aGrant({ origin: { kind: 'certificate', certificate: mark } });
  const caller = accept({ identity: anIdentity(), mark, thumbprint: hexOf(32, 7) });
  const boundTo = (binding: 'certificate' | 'identity', of = grant) => {
    const decision = decideRefresh(facts({ grant: of, integration: anIntegration({ binding }), caller }));
    return decision.do === 'rotate' ? decision.bindTo : decision.do;
  };
  const bound = { ...grant, bindings: [{ since: 0, thumbprint: hexOf(32, 1) }] };
  assert.deepEqual([boundTo('certificate'), boundTo('identity', bound)], [hexOf(32, 7), hexOf(32, 7)]);
  assert.deepEqual([boundTo('identity'), boundTo('certificate', aGrant())], [undefined, undefined]);
});

test('an unknown revocation status does not end a bound grant: the caller may retry', () => {
  const mark = { certificate: hexOf(16, 1), issuerKey: hexOf(16, 2), key: hexOf(32, 3) };
  const grant = aGrant({ origin: { kind: 'certificate', certificate: mark } });
  const bound = anIntegration({ binding: 'certificate' });
  const caller = refuse('certificate-revocation-unknown');
  const refusal = { reason: 'revocation-unavailable', retryAfter: 5 };
  assert.deepEqual(decideRefresh(facts({ grant, integration: bound, caller })), { do: 'refuse', refusal });
  assert.equal(reasonOf({ integration: bound, caller }), 'rotate', 'a grant of another origin is not bound');
  const revoked = revoke(grant, NOW, 'by-caller');
  assert.equal(reasonOf({ grant: revoked, integration: bound, caller }), 'grant-revoked');
});

test('expires is the earlier of now + lifetime and refresh_until', () => {
  const settings = { ...DEFAULT_SETTINGS, accessTokenLifetime: seconds(100) };
  assert.equal(accessTokenExpiry(aGrant(), NOW, settings), NOW + 100);
  assert.equal(accessTokenExpiry(aGrant(), at(NOW + 950), settings), NOW + 1000);
});

test('without refresh the grant ends with its only access token', () => {
  const once = { ...DEFAULT_SETTINGS, refresh: false, accessTokenLifetime: seconds(100) };
  assert.deepEqual(grantPeriod(NOW, 'orders:read', once), { expiresAt: NOW + 100, refreshUntil: NOW + 100 });
  assert.equal(reasonOf({ grant: aGrant({ refreshable: false }) }), 'refresh-not-offered');
});

test('a refresh may name a scope within that of the grant, and not beyond [RFC 6749 6]', () => {
  const grant = aGrant({ scope: 'orders:read;stock:read' });
  for (const standing of ['current', 'last-spent'] as const) {
    assert.equal(reasonOf({ grant, standing, wantedScope: 'orders:write' }), 'scope-exceeds-grant');
    assert.equal(reasonOf({ grant, standing, wantedScope: 'Orders:Read!' }), 'scope-malformed');
    assert.notEqual(reasonOf({ grant, standing, wantedScope: 'stock:read' }), 'scope-exceeds-grant');
  }
  assert.equal(reasonOf({ grant, wantedScope: 'stock:read' }), 'rotate');
});
