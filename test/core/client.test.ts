// Integrations that authenticate, and what their grants need afterwards.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { type ClientId, hasProofs, type Integration } from '../../src/core/integration.ts';
import {
  checkClient,
  clientIssuer,
  decideClient,
  endingSecrets,
  liveSecrets,
  whyUnauthenticated,
  whyUnprovenRedemption,
  whyUnprovenRefresh,
  withFlow,
} from '../../src/core/rules/client.ts';
import { decideRedeem, decideStart } from '../../src/core/rules/device.ts';
import { DEFAULT_SETTINGS } from '../../src/core/settings.ts';
import { epochSeconds } from '../../src/core/time.ts';
import { aDevice, aGrant, anIdentity, anIntegration, CLIENT, hexOf, NOW } from '../samples.ts';

const DAY = 86_400;
const at = (offset: number) => epochSeconds(NOW + offset);
const flows = { device: true, certificate: true, secret: true };
const secretsUntil = (...offsets: number[]) =>
  offsets.map((offset) => ({ hash: hexOf(32), createdAt: NOW, endsAt: at(offset) }));
const keys = { from: 'file', set: {} } as unknown as NonNullable<Integration['keys']>;
const withKeys = anIntegration({ keys, confidential: true });

suite('an integration', () => {
  test('with keys is the issuer of its own assertions', () => {
    assert.equal(clientIssuer(anIntegration()), undefined);
    const issuer = clientIssuer(withKeys);
    assert.partialDeepStrictEqual(issuer, { issuer: CLIENT, kind: 'client', assertions: 'once', enabled: true });
    assert.partialDeepStrictEqual(issuer, { tokenEndpointAudience: false, maxAssertionLifetime: 3600 });
    assert.equal(clientIssuer(withKeys), issuer, 'made once');
    assert.equal(clientIssuer({ ...withKeys, tokenEndpointAudience: true })?.tokenEndpointAudience, true);
  });

  test('is served if it is known, enabled and has the flow', () => {
    const reason = (integration?: Integration) => {
      const outcome = checkClient(integration);
      return outcome.ok ? 'served' : outcome.refusal.reason;
    };
    assert.deepEqual(
      [reason(), reason(anIntegration({ enabled: false })), reason(anIntegration())],
      ['integration-unknown', 'integration-disabled', 'served'],
    );
    const flow = (integration?: Integration) => {
      const outcome = withFlow(integration, 'device');
      return outcome.ok ? 'served' : outcome.refusal.reason;
    };
    const without = { device: false, certificate: true };
    assert.equal(flow(anIntegration({ flows: without })), 'device-flow-disabled');
    assert.equal(flow(anIntegration({ flows: without, enabled: false })), 'integration-disabled');
    assert.equal(flow(), 'integration-unknown');
    assert.equal(flow(anIntegration()), 'served');
  });

  test('has the secrets that have not ended, while secrets are on', () => {
    const secrets = secretsUntil(1, 0, -1);
    assert.deepEqual(liveSecrets(anIntegration({ flows, secrets }), NOW), [secrets[0]]);
    assert.deepEqual(liveSecrets(anIntegration({ secrets }), NOW), []);
    assert.deepEqual(liveSecrets(anIntegration({ flows }), NOW), []);
  });

  test('has proofs with a key, while secrets are on, and with a secret, also after it has ended', () => {
    assert.equal(hasProofs(anIntegration()), false);
    for (const difference of [{ keys }, { flows }, { secrets: secretsUntil(-1) }])
      assert.equal(hasProofs(anIntegration(difference)), true, Object.keys(difference).join());
    assert.equal(hasProofs(anIntegration({ secrets: [] })), false);
  });

  test('that is confidential must authenticate, at doors where it can, whatever is left of its keys and secrets', () => {
    for (const integration of [withKeys, anIntegration({ confidential: true })]) {
      assert.equal(whyUnauthenticated(integration, false), 'client-authentication-required');
      assert.equal(whyUnauthenticated(integration, true), undefined);
      assert.equal(whyUnauthenticated(integration, undefined), undefined);
    }
    assert.equal(whyUnauthenticated(anIntegration(), false), undefined);
  });

  test('is warned of in the last quarter of the life of its last secret, and after that', () => {
    const until = (offset: number) => ({ hash: hexOf(32), createdAt: at(-90 * DAY), endsAt: at(offset) });
    const of = (difference: Partial<Integration>, ...offsets: number[]) =>
      endingSecrets([anIntegration({ flows, secrets: offsets.map(until), ...difference })], NOW);
    assert.deepEqual(of({}, 29 * DAY), [{ clientId: CLIENT, endsAt: at(29 * DAY) }]);
    assert.deepEqual(of({}, 30 * DAY), []);
    assert.deepEqual(of({}, 40 * DAY, 1), [], 'the last one to end counts, in whatever order');
    assert.deepEqual(of({}, -5, -1), [{ clientId: CLIENT, endsAt: at(-1) }]);
    assert.deepEqual(of({}), []);
    assert.deepEqual(of({ enabled: false }, 1), []);
    assert.deepEqual(of({ flows: { ...flows, secret: false } }, 1), []);
    const short = { secrets: [{ hash: hexOf(32), createdAt: NOW, endsAt: at(DAY) }] };
    assert.deepEqual(of(short), [], 'one for a day is not warned of from its first hour on');
  });

  test('gets a token as itself, within its scope and with the proof that it needs', () => {
    const reason = (integration: Integration, wanted: object = {}, identity = anIdentity()) => {
      const outcome = decideClient(integration, identity, { scope: 'orders:read', ...wanted }, []);
      return outcome.ok ? outcome.value.scope.text : outcome.refusal.reason;
    };
    assert.equal(reason(anIntegration()), 'orders:read');
    assert.equal(reason(anIntegration(), { scope: 'other' }), 'scope-exceeds-integration');
    assert.equal(reason(anIntegration(), {}, anIdentity({ enabled: false })), 'identity-disabled');
    assert.equal(reason(anIntegration({ binding: 'dpop' })), 'dpop-proof-missing');
    assert.equal(reason(anIntegration({ binding: 'dpop' }), { jkt: 'k' }), 'orders:read');
  });
});

test('a device authorization of a confidential integration is begun by itself', () => {
  const start = (integration: Integration, isAuthenticated?: boolean) => {
    const facts = { clientId: CLIENT, resourceServers: [], settings: DEFAULT_SETTINGS, scope: 'orders:read' };
    const outcome = decideStart({ ...facts, integration, isAuthenticated });
    return outcome.ok ? outcome.value.scope.text : outcome.refusal.reason;
  };
  assert.equal(start(withKeys, false), 'client-authentication-required');
  for (const isAuthenticated of [true, undefined]) assert.equal(start(withKeys, isAuthenticated), 'orders:read');
  assert.equal(start(anIntegration(), false), 'orders:read');
});

test('a device code that is dead gets its own error, not that of a limit', () => {
  const limit = { reason: 'rate-limited' } as const;
  const redeem = (now: number) => {
    const facts = { integration: anIntegration(), holder: anIdentity(), limit, resourceServers: [] };
    const decision = decideRedeem({ ...facts, device: aDevice(), now: at(now) });
    return 'refusal' in decision ? decision.refusal.reason : decision.do;
  };
  assert.equal(redeem(300), 'device-code-expired');
  assert.equal(redeem(0), 'rate-limited');
});

test('a code is redeemed with the proofs that the integration needs', () => {
  const proven = { isAuthenticated: true, jkt: 'k' };
  assert.equal(
    whyUnprovenRedemption(withKeys, { ...proven, isAuthenticated: false }),
    'client-authentication-required',
  );
  assert.equal(whyUnprovenRedemption(withKeys, undefined), undefined);
  const bound = anIntegration({ binding: 'dpop' });
  assert.equal(whyUnprovenRedemption(bound, undefined), 'dpop-proof-missing');
  assert.equal(whyUnprovenRedemption(bound, { ...proven, jkt: undefined }), 'dpop-proof-missing');
  assert.equal(whyUnprovenRedemption(bound, proven), undefined);
});

suite('a refresh', () => {
  const proven = { isAuthenticated: true, jkt: undefined as string | undefined };
  const bare = { ...proven, isAuthenticated: false };
  const ofClient = aGrant({ origin: { kind: 'client', proof: 'key' } });
  const bound = aGrant({ terms: { jkt: 'k' } as never });

  test('at a door that takes no proof is for grants that need none', () => {
    assert.equal(whyUnprovenRefresh(aGrant(), anIntegration(), undefined), undefined);
    assert.equal(whyUnprovenRefresh(aGrant(), withKeys, undefined), undefined);
    for (const grant of [ofClient, bound, aGrant({ scope: 'api://x/.default' })])
      assert.equal(whyUnprovenRefresh(grant, anIntegration(), undefined), 'grant-of-oauth-door');
    const byCode = aGrant({ origin: { kind: 'code' } });
    assert.equal(whyUnprovenRefresh(byCode, anIntegration(), undefined), undefined);
    assert.equal(whyUnprovenRefresh(byCode, withKeys, undefined), 'grant-of-oauth-door', 'it would shed the key');
  });

  test('is authenticated if the grant was, or the integration is confidential', () => {
    for (const [grant, integration] of [
      [ofClient, anIntegration()],
      [aGrant(), withKeys],
    ] as const) {
      assert.equal(whyUnprovenRefresh(grant, integration, bare), 'client-authentication-required');
      assert.equal(whyUnprovenRefresh(grant, integration, proven), undefined);
    }
    assert.equal(whyUnprovenRefresh(aGrant(), anIntegration(), bare), undefined);
  });

  test('of a grant that is bound to a key has a proof of this key', () => {
    const why = (jkt: string | undefined, grant = bound, integration = anIntegration()) =>
      whyUnprovenRefresh(grant, integration, { isAuthenticated: false, jkt });
    assert.equal(why(undefined), 'dpop-proof-missing');
    assert.equal(why('other'), 'dpop-key-differs');
    assert.equal(why('k'), undefined);
    assert.equal(why('k', aGrant()), 'dpop-key-differs', 'who sends a proof would get an unbound token');
    const needs = anIntegration({ clientId: 'other' as ClientId, binding: 'dpop' });
    for (const jkt of ['k', undefined])
      assert.equal(why(jkt, aGrant(), needs), 'dpop-key-differs', 'a grant from before it was required');
    assert.equal(whyUnprovenRefresh(aGrant(), needs, undefined), 'dpop-key-differs', 'nor without a proof elsewhere');
  });
});
